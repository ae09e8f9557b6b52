// Which programs a command starts, told from its text: what stands behind `env`, `sudo`, `sh -c`, `npx` and their like,
// and, where files can be read, what the scripts that it calls start. What a text does not tell (variables, downloads,
// compiled programs) is not guessed.
import { type ReadText, type Script, scriptsCalled, SHELLS } from "./scripts-called.ts";
import { type SimpleCommand, simpleCommands, wordSet } from "./shell-commands.ts";

export interface StartedProgram {
  /** Without the folder it lies in: `npm`, `deploy.sh`. */
  readonly name: string;
  readonly args: readonly string[];
  /** What it runs was read, and is in the list after it. */
  readonly isFollowed: boolean;
}

/** `dir`: the folder that it starts in, below the root. */
export function programsStarted(
  command: string,
  dir = "",
  read: ReadText = () => undefined,
): readonly StartedProgram[] {
  const found: StartedProgram[] = [];
  followCommands({ command, dir, read, within: null }, (commands) => {
    for (const { name, args, isFollowed, isText } of commands) {
      if (!isText && name !== "" && !/[$`]/.test(name)) found.push({ name, args, isFollowed });
    }
    return commands.map(() => null);
  });
  return found;
}

/** A simple command without what only starts it. */
export interface FollowedCommand extends StartedProgram, Omit<SimpleCommand, "words" | "input"> {
  /** As it is written, with its folder. */
  readonly program: string;
  /** It is a shell that is given its text: what that starts comes next. */
  readonly isText: boolean;
  /** It is a program in another language, whose calls were read: they come next. */
  readonly isCaller: boolean;
}

interface Followed<Within> {
  readonly command: string;
  readonly dir: string;
  readonly read: ReadText;
  /** What is known of the text that it all begins with. */
  readonly within: Within;
}

const DEPTH = 6;
/** Longer scripts are not followed. */
const SCRIPT_CHARACTERS = 64 * 1024;

/**
 * Goes through a command and the scripts that it calls, a text at a time. `each` is given the commands of one text in
 * their order, and says for each of them what is known of the texts that it runs.
 */
export function followCommands<Within>(
  { command, dir, read, within: known }: Followed<Within>,
  each: (commands: readonly FollowedCommand[], within: Within) => readonly Within[],
): void {
  const seen = new Set<string>();
  const follow = (text: string, at: string | null, within: Within, depth: number): void => {
    const key = JSON.stringify([at, within, text]);
    if (depth === 0 || text.length > SCRIPT_CHARACTERS || seen.has(key)) return;
    seen.add(key);
    const found = simpleCommands(text, at).map((simple) => followed(simple, read));
    const withins = each(
      found.map(({ as }) => as),
      within,
    );
    found.forEach(({ scripts }, n) => {
      for (const script of scripts) {
        follow(script.text, script.dir, withins[n] ?? within, depth - 1);
      }
    });
  };
  follow(command, dir, known, DEPTH);
}

interface WithScripts {
  readonly as: FollowedCommand;
  readonly scripts: readonly Script[];
}

function followed(simple: SimpleCommand, read: ReadText): WithScripts {
  const { dir, isPiped, isSubstituted } = simple;
  const peeled = peel(simple);
  const isText = "texts" in peeled;
  const [program = "", ...args] = isText ? simple.words : peeled.words;
  // Without the version that `npx` takes with it.
  const name = program.slice(program.lastIndexOf("/") + 1).replace(/(.)@.*$/, "$1");
  const scripts: readonly Script[] = isText
    ? peeled.texts.map((text) => ({ text, dir: peeled.dir }))
    : scriptsCalled({ program, name, args, dir: peeled.dir }, read);
  const isFollowed = scripts.length > 0;
  const isCaller = scripts.some(({ isCalled }) => isCalled === true);
  return {
    as: { program, name, args, dir, isPiped, isSubstituted, isText, isCaller, isFollowed },
    scripts,
  };
}

/** What starts another program, with its options that take a value and how many words come before that program. */
const WRAPPERS: Readonly<Record<string, { readonly valued?: string; readonly before?: number }>> = {
  builtin: {},
  bunx: { valued: "-p --package" },
  caffeinate: { valued: "-t -w" },
  chronic: {},
  command: {},
  "cross-env": {},
  doas: { valued: "-u -C" },
  dotenv: { valued: "-e -f -v -c" },
  env: { valued: "-u -C --unset --chdir" },
  exec: { valued: "-a" },
  flock: { valued: "-w -E", before: 1 },
  ionice: { valued: "-c -n -p" },
  nice: { valued: "-n" },
  nohup: {},
  npx: { valued: "-p --package" },
  setsid: {},
  stdbuf: { valued: "-i -o -e" },
  strace: { valued: "-o -e -p -s" },
  sudo: { valued: "-u -g -h -p -C -r -t -U -D --user --group" },
  time: { valued: "-f -o" },
  timeout: { valued: "-s -k --signal --kill-after", before: 1 },
  unbuffer: {},
  uvx: { valued: "--from --with --python" },
  xargs: { valued: "-n -P -I -L -d -s -a -E" },
};

/** Subcommands that start another program, with how many words come before that. */
const SUB_WRAPPERS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  bun: { x: 0 },
  bundle: { exec: 0 },
  corepack: { npm: -1, pnpm: -1, yarn: -1 },
  direnv: { exec: 1 },
  doppler: { run: 0 },
  mise: { exec: 0, x: 0 },
  npm: { exec: 0, x: 0 },
  op: { run: 0 },
  pdm: { run: 0 },
  pipenv: { run: 0 },
  pipx: { run: 0 },
  pnpm: { dlx: 0, exec: 0 },
  poetry: { run: 0 },
  uv: { run: 0 },
  yarn: { dlx: 0, exec: 0 },
};

const SSH_VALUED = new Set(
  "-b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w".split(" "),
);

type Peeled =
  | { readonly words: readonly string[]; readonly dir: string | null }
  | { readonly texts: readonly string[]; readonly dir: string | null };

function peel({ words, dir, input }: SimpleCommand): Peeled {
  let rest = words;
  for (;;) {
    const [first = "", ...others] = rest;
    const name = first.slice(first.lastIndexOf("/") + 1);
    const inner = behind(name, others);
    if (inner === undefined) {
      const texts = textsOf(name, others, input);
      return texts === undefined ? { words: rest, dir } : { texts, dir };
    }
    rest = inner;
  }
}

/** The words of the program behind one that only starts it; undefined where this is the program itself. */
function behind(name: string, others: readonly string[]): readonly string[] | undefined {
  const wrapper = Object.hasOwn(WRAPPERS, name) ? WRAPPERS[name] : undefined;
  if (wrapper !== undefined) {
    // It only says where a program is.
    if (name === "command" && /^-[vV]$/.test(others[0] ?? "")) return [];
    // A text, which the options alone do not show.
    if ((name === "npx" || name === "env") && others.some((word) => /^-[cS]$/.test(word))) {
      return undefined;
    }
    return afterOptions(others, wordSet(wrapper.valued), wrapper.before);
  }
  if (/^python[\d.]*$/.test(name) && others[0] === "-m") return others.slice(1);
  if (name === "find") {
    const at = others.findIndex((word) => /^-exec(?:dir)?$/.test(word));
    return at === -1 ? undefined : others.slice(at + 1);
  }
  const subs = Object.hasOwn(SUB_WRAPPERS, name) ? SUB_WRAPPERS[name] : undefined;
  const at = others.findIndex((word) => !word.startsWith("-"));
  const before = subs?.[others[at] ?? ""];
  if (before === undefined) return undefined;
  return before < 0 ? others.slice(at) : afterOptions(others.slice(at + 1), new Set(), before);
}

function afterOptions(
  words: readonly string[],
  valued: ReadonlySet<string>,
  before = 0,
): readonly string[] {
  let at = 0;
  while (at < words.length) {
    const word = words[at] ?? "";
    const isAssignment = /^[A-Za-z_]\w*=/.test(word);
    if (!isAssignment && (!word.startsWith("-") || word === "-")) break;
    at += valued.has(word) ? 2 : 1;
    if (word === "--") break;
  }
  return words.slice(at + before);
}

/** Texts of commands that a program is given in its arguments or on stdin; undefined where it is given none. */
function textsOf(
  name: string,
  args: readonly string[],
  input: string | undefined,
): readonly string[] | undefined {
  if (name === "eval") return [args.join(" ")];
  if (name === "ssh") return sshTexts(args, input);
  if (name === "su" || name === "npx" || name === "script" || name === "env") {
    const at = args.findIndex((word) => /^-[cS]$/.test(word));
    return at === -1 ? undefined : [args[at + 1] ?? ""];
  }
  if (!SHELLS.has(name)) return undefined;
  // It only looks whether the text could be run.
  if (args.includes("-n")) return [];
  const at = args.findIndex((word) => /^-[a-z]*c[a-z]*$/.test(word));
  if (at !== -1) return [args.slice(at + 1).find((word) => !word.startsWith("-")) ?? ""];
  const isGivenFile = args.some((word) => !word.startsWith("-")) && !args.includes("-s");
  return isGivenFile || input === undefined ? undefined : [input];
}

function sshTexts(args: readonly string[], input: string | undefined): readonly string[] {
  const [, ...remote] = afterOptions(args, SSH_VALUED);
  return remote.length > 0 ? [remote.join(" ")] : input === undefined ? [] : [input];
}
