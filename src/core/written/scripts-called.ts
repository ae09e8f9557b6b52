// The scripts that a program runs, where their text can be read: those of package.json, the targets of a makefile or
// justfile with what they need, shell scripts, and the commands that scripts in other languages start by literals.
import { folderFrom, plainWords, wordSet } from "./shell-commands.ts";

/** The text of a file of the work tree, or undefined when there is none. */
export type ReadText = (path: string) => string | undefined;

export const SHELLS: ReadonlySet<string> = wordSet("sh bash dash zsh ksh fish ash");

/** A text of commands that a program runs, and the folder it runs in. */
export interface Script {
  /** A program in another language starts it: whether its exit code decides anything is not told by the text. */
  readonly isCalled?: true;
  readonly text: string;
  readonly dir: string | null;
}

interface Caller {
  readonly program: string;
  readonly name: string;
  readonly args: readonly string[];
  readonly dir: string | null;
}

export function scriptsCalled(caller: Caller, read: ReadText): readonly Script[] {
  const { name, dir } = caller;
  if (dir === null) return [];
  if (PACKAGE_MANAGERS.has(name)) return packageScripts(caller, dir, read);
  if (name === "make" || name === "gmake" || name === "just") return targets(caller, dir, read);
  return scriptFile(caller, dir, read);
}

export const PACKAGE_MANAGERS: ReadonlySet<string> = wordSet("npm pnpm yarn bun");
export const PACKAGE_VALUED: ReadonlySet<string> = wordSet(
  "-w --workspace --prefix -C --dir --cwd --filter -F --registry --tag --otp --access --userconfig --loglevel",
);
const OWN_SCRIPTS = new Set(["test", "start", "stop", "restart", "version"]);

/** The words of a package manager without its options, from the subcommand on: `yarn workspace a publish` is `publish`. */
export function packageWords(args: readonly string[]): readonly string[] {
  const words = plainWords(args, PACKAGE_VALUED);
  if (words[0] === "workspace") return words.slice(2);
  return words[0] === "workspaces" && words[1] === "foreach" ? words.slice(2) : words;
}

function packageScripts({ name, args }: Caller, dir: string, read: ReadText): readonly Script[] {
  const [first = "", second = ""] = packageWords(args);
  const isRun = first === "run" || first === "run-script";
  const script = isRun ? second : first === "t" ? "test" : first;
  if (script === "" || (name === "npm" && !isRun && !OWN_SCRIPTS.has(script))) return [];
  return packageFolders(args, dir).flatMap((folder) => {
    const written = scriptsIn(read(folder === "" ? "package.json" : `${folder}/package.json`));
    return [`pre${script}`, script, `post${script}`].flatMap((key) => {
      const text = written.get(key);
      return text === undefined ? [] : [{ text, dir: folder }];
    });
  });
}

/** Where the package may lie whose script is meant. */
function packageFolders(args: readonly string[], dir: string): readonly string[] {
  const after = (...flags: string[]): string | undefined => {
    const at = args.findIndex((word) => flags.some((flag) => word === flag));
    const joined = args.find((word) => flags.some((flag) => word.startsWith(`${flag}=`)));
    return at === -1 ? joined?.slice(joined.indexOf("=") + 1) : args[at + 1];
  };
  const base = folderFrom(dir, after("--prefix", "-C", "--dir", "--cwd") ?? ".") ?? dir;
  const words = plainWords(args, PACKAGE_VALUED);
  const workspace =
    words[0] === "workspace" ? words[1] : after("-w", "--workspace", "-F", "--filter");
  if (workspace === undefined) return [base];
  const short = workspace.slice(workspace.lastIndexOf("/") + 1);
  const places = [workspace, `packages/${short}`, `apps/${short}`];
  return places.flatMap((place) => folderFrom(base, place) ?? []);
}

function scriptsIn(text: string | undefined): ReadonlyMap<string, string> {
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

const ASSIGNED = /^(?:export\s+)?([A-Za-z_]\w*)\s*(?::|\?|\+)?=\s*(.*)$/;
const MAKEFILES = ["GNUmakefile", "makefile", "Makefile"];
const JUSTFILES = ["justfile", "Justfile", ".justfile"];
const MAKE_VALUED = wordSet("-C -f -j -l -o -W --directory --file --makefile --justfile");

/** The recipe of each target that is made, those that it needs before it. */
function targets(caller: Caller, dir: string, read: ReadText): readonly Script[] {
  const { folder, made } = madeBy(caller, dir, read);
  // A line at a time, as make does it: a `cd` counts for its own line alone.
  return made.flatMap(({ recipe }) => recipe.map((line) => ({ text: line, dir: folder })));
}

/** Paths that make would make by a recipe: where one is there, it may not do so. */
export function madePaths(caller: Caller, read: ReadText): readonly string[] {
  const { name, dir } = caller;
  if (dir === null || (name !== "make" && name !== "gmake")) return [];
  const { folder, made, phony } = madeBy(caller, dir, read);
  return made.flatMap(({ target, recipe }) =>
    recipe.length === 0 || phony.includes(target) ? [] : (folderFrom(folder, target) ?? []),
  );
}

interface Made {
  readonly folder: string | null;
  readonly made: readonly { readonly target: string; readonly recipe: readonly string[] }[];
  readonly phony: readonly string[];
}

function madeBy(caller: Caller, dir: string, read: ReadText): Made {
  const { args } = caller;
  const isDry = args.some((word) => /^(?:-[a-z]*n[a-z]*|--dry-run|--just-print)$/.test(word));
  const { folder, text } = isDry ? { folder: dir, text: undefined } : rulesFor(caller, dir, read);
  if (text === undefined) return { folder, made: [], phony: [] };
  const { rules, first } = rulesOf(text);
  const wanted = plainWords(args, MAKE_VALUED).filter((word) => !word.includes("="));
  const made = new Map<string, readonly string[]>();
  const make = (target: string): void => {
    const rule = rules.get(target);
    if (rule === undefined || made.has(target)) return;
    made.set(target, []);
    rule.needs.forEach(make);
    // What it needs comes before it.
    made.delete(target);
    made.set(target, rule.recipe);
  };
  (wanted.length > 0 ? wanted : [first ?? ""]).forEach(make);
  return {
    folder,
    made: [...made].map(([target, recipe]) => ({ target, recipe })),
    phony: rules.get(".PHONY")?.needs ?? [],
  };
}

/** The rule file that make or just reads, with every file that it includes; an include may hold wildcards. */
export function ruleFiles(caller: Caller, read: ReadText): readonly string[] {
  const isMaking = caller.name === "make" || caller.name === "gmake" || caller.name === "just";
  return caller.dir === null || !isMaking ? [] : rulesFor(caller, caller.dir, read).files;
}

interface RuleText {
  readonly folder: string | null;
  /** With what it includes in place of the includes. */
  readonly text: string | undefined;
  readonly files: readonly string[];
}

function rulesFor({ name, args }: Caller, dir: string, read: ReadText): RuleText {
  const after = (...flags: string[]): string | undefined => {
    const at = args.findIndex((word) => flags.includes(word));
    return at === -1 ? undefined : args[at + 1];
  };
  const folder = folderFrom(dir, after("-C", "--directory") ?? ".");
  const named = after("-f", "--file", "--makefile", "--justfile");
  const names = name === "just" ? JUSTFILES : MAKEFILES;
  const paths = (named === undefined ? names : [named]).flatMap(
    (each) => folderFrom(folder, each) ?? [],
  );
  const path = paths.find((each) => read(each) !== undefined);
  if (path === undefined || folder === null) return { folder, text: undefined, files: [] };
  const files: string[] = [path];
  return {
    folder,
    text: withIncluded(read(path) ?? "", { folder, read, files, values: new Map() }),
    files,
  };
}

const INCLUDE = /^ *(?:[-s]?include\s+([^#\n]+)|import\??\s+(["'])([^"'\n]+)\2)/;
const MOST_INCLUDED = 50;

/** A text of rules with the texts of what it includes; what cannot be read by its name is named, and left out. */
function withIncluded(
  text: string,
  within: {
    readonly folder: string;
    readonly read: ReadText;
    readonly files: string[];
    /** Of its variables, as far as they are known here. */
    readonly values: Map<string, string>;
  },
): string {
  const { folder, read, files, values } = within;
  const lines = text.replaceAll("\\\n", " ").split("\n");
  return lines
    .map((line) => {
      const [, key, value = ""] = ASSIGNED.exec(line) ?? [];
      if (key !== undefined) values.set(key, value);
      const found = INCLUDE.exec(line);
      if (found === null) return line;
      const texts = includedBy(found[1] ?? found[3] ?? "", values).map((name) => {
        const isPattern = /[*?]/.test(name);
        const path = isPattern
          ? [folder, name].filter(Boolean).join("/")
          : folderFrom(folder, name);
        if (path === null || files.includes(path) || files.length >= MOST_INCLUDED) return "";
        files.push(path);
        const included = isPattern ? undefined : read(path);
        return included === undefined ? "" : withIncluded(included, within);
      });
      return texts.join("\n");
    })
    .join("\n");
}

/** An innermost reference: to a variable, or to what a function makes of its words. */
const REFERENCE = /\$(?:\{([^${}()]*)\}|\(([^${}()]*)\)|(\w))/g;
const NESTED = 8;

/** The names that an include is given; they may hold wildcards. */
function includedBy(text: string, values: ReadonlyMap<string, string>): readonly string[] {
  let known = text;
  for (let depth = 0; depth < NESTED && known.includes("$"); depth += 1) {
    known = known.replaceAll(REFERENCE, (_, one, two, three) =>
      referredTo(((one ?? two ?? three) as string).trim(), values),
    );
  }
  return known.split(/\s+/).filter((word) => word !== "" && !word.includes("$"));
}

/** Of a variable that is not known it may be anything; of most functions it is not told. */
function referredTo(body: string, values: ReadonlyMap<string, string>): string {
  if (/^\w+$/.test(body)) return values.get(body) ?? "*";
  const named = /^(?:wildcard|sort|strip|abspath|realpath)\s+(.*)$/.exec(body)?.[1];
  const replaced = /^(?:\w+:[^=]*=|patsubst\s+[^,]*,)([^,]*)/.exec(body)?.[1]?.trim();
  if (named !== undefined) return named;
  if (replaced === undefined || replaced === "") return "";
  return replaced.includes("%") ? replaced.replace("%", "*") : `*${replaced}`;
}

interface Rule {
  readonly needs: readonly string[];
  readonly recipe: string[];
}

function rulesOf(text: string): {
  readonly rules: ReadonlyMap<string, Rule>;
  readonly first?: string;
} {
  const rules = new Map<string, Rule>();
  const values = new Map<string, string>([["MAKE", "make"]]);
  let open: Rule[] = [];
  let first: string | undefined;
  for (const line of text.replaceAll("\\\n", " ").split("\n")) {
    const assigned = ASSIGNED.exec(line);
    const colon = /^[^\s:=#]/.test(line) ? line.indexOf(":") : -1;
    if (/^\s+\S/.test(line)) {
      const plain = line.trim().replace(/^[@+-]+/, "");
      const known = plain.replaceAll(
        /\$[({](\w+)[)}]/g,
        (all, key: string) => values.get(key) ?? all,
      );
      for (const each of open) each.recipe.push(known);
    } else if (assigned !== null) values.set(assigned[1] ?? "", assigned[2] ?? "");
    else if (colon !== -1) {
      const needs = line
        .slice(colon + 1)
        .replace(/[#;].*$/, "")
        .split(/\s+/);
      open = line
        .slice(0, colon)
        .split(/\s+/)
        .map((target) => {
          const own = rules.get(target) ?? { needs: [], recipe: [] };
          const joined = { needs: [...own.needs, ...needs], recipe: own.recipe };
          rules.set(target, joined);
          if (!target.startsWith(".")) first ??= target;
          return joined;
        });
    }
  }
  return { rules, ...(first !== undefined && { first }) };
}

/** What runs a script file that is named to it. */
const INTERPRETERS = /^(?:node|deno|bun|tsx|ts-node|python[\d.]*|ruby|perl|php|pwsh|source|\.)$/;

function scriptFile(caller: Caller, dir: string, read: ReadText): readonly Script[] {
  const { program, name, args } = caller;
  const isRunner = SHELLS.has(name) || INTERPRETERS.test(name);
  const named = isRunner ? args.find((word) => !word.startsWith("-") && word !== "run") : program;
  // A bare name is looked up in PATH, not here.
  if (named === undefined || (!isRunner && !named.includes("/"))) return [];
  const path = folderFrom(dir, named);
  const text = path === null ? undefined : read(path);
  if (text === undefined) return [];
  const isShell =
    SHELLS.has(name) || name === "source" || name === "." || /\.(?:sh|bash|zsh)$/.test(named);
  const begins = /^#!\S*[/ ](\w+)/.exec(text)?.[1];
  if (isShell || (begins !== undefined && SHELLS.has(begins))) return [{ text, dir }];
  return begins !== undefined || isRunner
    ? callsIn(text).map((call) => ({ text: call, dir, isCalled: true as const }))
    : [];
}

/** How programs in other languages start a command: a function of one of these names, and the literals it is given. */
const CALL =
  /\b(?:exec\w*|spawn\w*|system|shell|check_call|check_output|Popen|run|call|sh|zx)\s*\(([^)]{1,400})|\$`([^`]{1,400})`/g;
const LITERAL = /(["'`])((?:(?!\1)[^\\]|\\.)*)\1/g;

/** The commands that a script in another language starts, as far as they are literals. */
function callsIn(text: string): readonly string[] {
  const code = text.replaceAll(/^\s*(?:\/\/|#|\*|\/\*).*$/gm, "");
  return [...code.matchAll(CALL)].map(([, given, template]) =>
    given === undefined
      ? (template ?? "")
      : [...given.matchAll(LITERAL)].map(([, , literal = ""]) => literal).join(" "),
  );
}
