// Which programs the text of a check runs by name, itself or by the scripts it calls, and which of them decide by
// their exit code: not those whose output goes to another command, or after which something is compared. A shell is
// read only as far as that takes.
import { posix } from "node:path";
import { splitWords } from "../core/written/commands.ts";

/** The text of a file of the work tree, or undefined when there is none. */
export type ReadText = (path: string) => string | undefined;

export interface ProgramRun {
  /** As it is written; it may hold wildcards, and what it is relative to is not known. */
  readonly word: string;
  readonly decides: boolean;
}

export interface Executed {
  readonly programs: readonly ProgramRun[];
  /** A test runner is started. */
  readonly runsTests: boolean;
  /** Something decides by its exit code that is no mere comparison. */
  readonly decidesByExit: boolean;
  /** Paths that comparisons may look at. */
  readonly compared: readonly string[];
}

const DEPTH = 5;
/** Longer scripts are not followed. */
const SCRIPT_CHARACTERS = 64 * 1024;

/** `dir` is where the check starts, below the root; what looks at nothing but old files compares nothing of the work. */
export function executedBy(
  command: string,
  dir: string,
  read: ReadText,
  isOld: (path: string) => boolean = () => false,
): Executed {
  const found: Found = {
    programs: [],
    runsTests: false,
    decidesByExit: false,
    compared: [],
    isOld,
    texts: new Set(),
    places: new Set(["", dir]),
    read,
  };
  follow(command, found, { decides: true, depth: DEPTH });
  return found;
}

/** Whether a changed file is the one that a word of a command means, wherever that command starts. */
export function isMeantBy(path: string, word: string): boolean {
  const name = posix.normalize(word).replace(/^(?:\.\.?\/)+/, "");
  if (name === "" || name === ".") return false;
  if (/[*?[]/.test(name)) return globOf(name).test(`/${path}`);
  const isIt = (each: string): boolean => each === name || each.endsWith(`/${name}`);
  // Node finds a module without its extension.
  return isIt(path) || isIt(path.replace(/(?:\/index)?\.[cm]?[jt]s$/, ""));
}

function globOf(name: string): RegExp {
  const pattern = name
    .replace(/[.+^${}()|\\]/g, "\\$&")
    .replaceAll("**", "\u0000")
    .replaceAll("*", "[^/]*")
    .replaceAll("?", "[^/]")
    .replaceAll("\u0000", ".*");
  try {
    return new RegExp(`/${pattern}$`);
  } catch {
    return /^$/;
  }
}

interface Found {
  readonly programs: ProgramRun[];
  runsTests: boolean;
  decidesByExit: boolean;
  readonly compared: string[];
  readonly isOld: (path: string) => boolean;
  /** What was followed already, so that scripts that call each other come to an end. */
  readonly texts: Set<string>;
  /** Folders that a package or a makefile may lie in. */
  readonly places: Set<string>;
  readonly read: ReadText;
}

interface Within {
  readonly decides: boolean;
  readonly depth: number;
}

function follow(text: string, found: Found, { decides, depth }: Within): void {
  if (depth === 0 || text.length > SCRIPT_CHARACTERS || found.texts.has(`${decides} ${text}`))
    return;
  found.texts.add(`${decides} ${text}`);
  const { commands, inner } = commandsIn(text);
  for (const each of inner) follow(each, found, { decides: false, depth: depth - 1 });
  for (const { words } of commands) words.forEach((word) => notePlace(word, found));
  commands.forEach(({ words, isPiped }, at) => {
    const isCompared = commands.slice(at + 1).some((later) => comparesWork(later.words, found));
    const within = { decides: decides && !isPiped && !isCompared, depth: depth - 1 };
    runOne(words, found, within);
  });
}

function runOne(words: readonly string[], found: Found, within: Within): void {
  if (runsTests(words)) found.runsTests = true;
  if (within.decides && !isComparison(words) && !PREPARES.has(words[0] ?? "")) {
    found.decidesByExit = true;
  }
  for (const script of scriptsCalled(words, found)) follow(script, found, within);
  for (const program of programsIn(words)) {
    if (program.text !== undefined) follow(program.text, found, within);
    else noteProgram(program.word, found, within);
  }
}

function noteProgram(word: string, found: Found, within: Within): void {
  found.programs.push({ word, decides: within.decides });
  for (const place of found.places) {
    const path = posix.join(place, word);
    const text = path.startsWith("..") ? undefined : found.read(path);
    if (text === undefined) continue;
    const isShell = /\.(?:sh|bash|zsh)$/.test(path) || /^#![^\n]*sh\b/.test(text.slice(0, 200));
    if (isShell) follow(text, found, within);
  }
}

/** Where a command goes, or is told to go. */
function notePlace(word: string, { places, read }: Found): void {
  const value = word.replace(/^-{1,2}[\w-]+=/, "");
  if (value.startsWith("-") || value.startsWith("/") || !/^[\w@./-]+$/.test(value)) return;
  const before = [...places];
  for (const place of before) {
    const folder = posix.join(place, value).replace(/\/$/, "");
    if (folder.startsWith("..") || places.has(folder)) continue;
    const isPlace = ["package.json", ...MAKEFILES].some(
      (name) => read(posix.join(folder, name)) !== undefined,
    );
    if (isPlace) places.add(folder);
  }
}

interface Simple {
  readonly words: readonly string[];
  /** Its output goes to another command, whose exit code counts. */
  readonly isPiped: boolean;
}

/** The simple commands of a text, in order, and the texts that only give words to one. */
function commandsIn(text: string): {
  readonly commands: readonly Simple[];
  readonly inner: string[];
} {
  const inner: string[] = [];
  const commands: Simple[] = [];
  let part = "";
  let quote = "";
  const end = (isPiped: boolean): void => {
    const split = splitWords(part.trim());
    const words = split.ok ? split.words : part.replace(/['"]/g, " ").trim().split(/\s+/);
    const plain = withoutPrefixes(words.filter((word) => word !== ""));
    if (plain.length > 0) commands.push({ words: plain, isPiped });
    part = "";
  };
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charAt(at);
    const next = text.charAt(at + 1);
    if (char === "\\") {
      part += char + next;
      at += 1;
    } else if (quote === "'") {
      if (char === "'") quote = "";
      part += char;
    } else if ((char === "$" && next === "(") || char === "`") {
      const close = char === "`" ? text.indexOf("`", at + 1) : closing(text, at + 1);
      const last = close === -1 ? text.length : close;
      inner.push(text.slice(at + (char === "`" ? 1 : 2), last));
      part += "_";
      at = last;
    } else if (quote !== "") {
      if (char === quote) quote = "";
      part += char;
    } else if (char === "'" || char === '"') {
      quote = char;
      part += char;
    } else if (char === "#" && /(?:^|\s)$/.test(part)) {
      at = text.indexOf("\n", at) === -1 ? text.length : text.indexOf("\n", at) - 1;
    } else if (char === "|" && next !== "|") {
      end(true);
    } else if (char === "\n" || char === ";" || char === "(" || char === ")") {
      end(false);
    } else if (char === "|" || (char === "&" && next === "&")) {
      end(false);
      at += 1;
    } else if (char === "&" && !/[<>]$/.test(part) && next !== ">") {
      end(false);
    } else part += char;
  }
  end(false);
  return { commands, inner };
}

/** Where the bracket at `open` is closed, or -1. */
function closing(text: string, open: number): number {
  let depth = 0;
  for (let at = open; at < text.length; at += 1) {
    if (text.charAt(at) === "(") depth += 1;
    else if (text.charAt(at) === ")") depth -= 1;
    if (depth === 0) return at;
  }
  return -1;
}

/** Words before a command that do not change what it is. */
const PREFIXES = new Set(
  "! if then elif else while until do time exec command env sudo nohup nice npx bunx xargs { @ -".split(
    " ",
  ),
);

function withoutPrefixes(words: readonly string[]): readonly string[] {
  const at = words.findIndex((word) => !PREFIXES.has(word) && !/^\w+=/.test(word));
  if (at === -1) return [];
  const [first = "", ...rest] = words.slice(at);
  if (first === "timeout") return withoutPrefixes(rest.filter((word) => !/^-|^\d/.test(word)));
  return [first.replace(/^[@+-]+(?=\w|\.)/, ""), ...rest];
}

/** They look at what is there, and say whether it is as it should be. */
const COMPARES = new Set(
  "test [ [[ grep egrep fgrep rg diff cmp jq comm sha256sum md5sum".split(" "),
);

function isComparison(words: readonly string[]): boolean {
  return COMPARES.has(base(words[0] ?? ""));
}

/** Whether it looks at something that may be of the work, and not at how a command ended. */
function comparesWork(words: readonly string[], { places, isOld, compared }: Found): boolean {
  if (!isComparison(words) || words.some((word) => word.includes("$?"))) return false;
  const looksAt = words
    .slice(1)
    .filter((word) => /^[\w@./-]*[\w]$/.test(word) && /[./]/.test(word))
    .map((word) => [...places].map((place) => posix.join(place, word)));
  compared.push(...looksAt.flat());
  return looksAt.length === 0 || looksAt.some((paths) => !paths.some(isOld));
}

/** By their exit code nothing is told of the work. */
const PREPARES = new Set(
  "cd export set true : echo printf mkdir rm cp mv touch sleep ls cat".split(" "),
);

const INTERPRETERS = new Set(
  "node nodejs python python2 python3 ruby perl php lua Rscript tsx ts-node sh bash dash zsh ksh source . awk".split(
    " ",
  ),
);
/** Their program is named after a word of their own. */
const RUNS: Readonly<Record<string, string>> = { deno: "run", bun: "run", go: "run", uv: "run" };
const SHELLS = new Set(["sh", "bash", "dash", "zsh", "ksh"]);
/** Options whose value is loaded as well. */
const LOADS = new Set("-r --require --import --loader --experimental-loader -f".split(" "));

type Named = { readonly word: string; readonly text?: undefined } | { readonly text: string };

function programsIn(words: readonly string[]): readonly Named[] {
  const at = words.findIndex((word) => INTERPRETERS.has(base(word)) || base(word) in RUNS);
  const first = words[0] ?? "";
  const own: Named[] = at !== 0 && isPath(first) ? [{ word: first }] : [];
  if (at === -1) return own;
  const interpreter = base(words[at] ?? "");
  const rest = words.slice(at + 1).filter((word) => word !== RUNS[interpreter]);
  for (let n = 0; n < rest.length; n += 1) {
    const word = rest[n] ?? "";
    const value = rest[n + 1] ?? "";
    if (SHELLS.has(interpreter) && /^-\w*c$/.test(word)) return [...own, { text: value }];
    if (/^-(?:m|e|p|c)$/.test(word)) return own;
    if (LOADS.has(word)) {
      own.push({ word: value });
      n += 1;
    } else if (!word.startsWith("-")) {
      // A shell makes several words of a pattern; the first is what is run.
      return [...own, { word }];
    }
  }
  return own;
}

function isPath(word: string): boolean {
  return word.includes("/") && !word.includes("://") && !word.startsWith("/");
}

function base(word: string): string {
  return word.slice(word.lastIndexOf("/") + 1);
}

const PACKAGE_MANAGERS = new Set(["npm", "pnpm", "yarn", "bun"]);
const MAKEFILES = ["GNUmakefile", "makefile", "Makefile"];
/** What runs a script by itself, without the word `run`. */
const OWN_SCRIPTS = new Set(["test", "start", "stop", "restart"]);
const SHORT_NAMES: ReadonlyMap<string, string> = new Map([
  ["t", "test"],
  ["tst", "test"],
]);

function scriptsCalled(words: readonly string[], found: Found): readonly string[] {
  const at = words.findIndex((word) => PACKAGE_MANAGERS.has(word) || /^g?make$/.test(base(word)));
  if (at === -1) return [];
  return PACKAGE_MANAGERS.has(words[at] ?? "")
    ? packageScripts(words.slice(at + 1), found)
    : makeRecipes(found);
}

/** The first word that is the name of a script, whatever options stand before it. */
function packageScripts(words: readonly string[], found: Found): readonly string[] {
  const rest = words.filter((word) => !word.startsWith("-"));
  const isRun = rest.some((word) => word === "run" || word === "run-script");
  const names = rest.map((word) => SHORT_NAMES.get(word) ?? word);
  if (names.includes("test")) found.runsTests = true;
  return [...found.places].flatMap((place) => {
    const scripts = scriptsOf(found.read(posix.join(place, "package.json")));
    const name = names.find((each) => scripts.has(each) && (isRun || isOwnScript(each, names)));
    if (name === undefined) return [];
    return [`pre${name}`, name, `post${name}`].flatMap((key) => scripts.get(key) ?? []);
  });
}

/** Yarn and pnpm run any script by its name, where it is the first word. */
function isOwnScript(name: string, names: readonly string[]): boolean {
  return OWN_SCRIPTS.has(name) || names[0] === name;
}

function scriptsOf(text: string | undefined): ReadonlyMap<string, string> {
  try {
    const { scripts } = JSON.parse(text ?? "{}") as { scripts?: Record<string, unknown> };
    const entries = Object.entries(scripts ?? {});
    return new Map(
      entries.flatMap(([key, value]) => (typeof value === "string" ? [[key, value]] : [])),
    );
  } catch {
    return new Map();
  }
}

/** Targets need others, set variables and include files: every recipe may be run. */
function makeRecipes({ places, read }: Found): readonly string[] {
  return [...places].flatMap((place) => {
    const text = MAKEFILES.map((name) => read(posix.join(place, name))).find(
      (content) => content !== undefined,
    );
    return (text ?? "")
      .split("\n")
      .filter((line) => line.startsWith("\t"))
      .map((line) => line.replace(/^\t[@+-]*/, ""));
  });
}

const RUNNERS: readonly RegExp[] = [
  /^(?:vitest|jest|mocha|ava|tap|tape|jasmine|karma|playwright|cypress|uvu)$/,
  /^(?:pytest|py\.test|tox|nose2?|rspec|phpunit|ctest|bats|busted|prove)$/,
];

/** `<program> test`, and the like. */
const SUBCOMMANDS: Readonly<Record<string, RegExp>> = {
  go: /^test$/,
  cargo: /^(?:test|nextest)$/,
  deno: /^test$/,
  bun: /^test$/,
  dotnet: /^test$/,
  swift: /^test$/,
  dart: /^test$/,
  flutter: /^test$/,
  mix: /^test$/,
  rails: /^test$/,
  zig: /^test$/,
  mvn: /^(?:test|verify|integration-test)$/,
  gradle: /^(?:test|check|build)$/,
  gradlew: /^(?:test|check|build)$/,
  node: /^--test$/,
  python: /^(?:unittest|pytest)$/,
  python3: /^(?:unittest|pytest)$/,
};

/** Whether the words of a command start tests. */
function runsTests(words: readonly string[]): boolean {
  return words.some((word, n) => {
    const program = base(word);
    if (RUNNERS.some((pattern) => pattern.test(program))) return true;
    const subcommand = Object.hasOwn(SUBCOMMANDS, program) ? SUBCOMMANDS[program] : undefined;
    return subcommand !== undefined && words.slice(n + 1).some((next) => subcommand.test(next));
  });
}
