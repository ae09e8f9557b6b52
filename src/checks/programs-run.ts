// Which programs the text of a check runs by name, itself or by the scripts it calls, and which of them decide by
// their exit code: not those whose output goes to another command, or after which something is compared.
import { posix } from "node:path";
import { type FollowedCommand, followCommands } from "../core/written/programs-started.ts";
import {
  PACKAGE_MANAGERS,
  madePaths,
  packageWords,
  type ReadText,
  ruleFiles,
} from "../core/written/scripts-called.ts";

export type { ReadText };

export interface ProgramRun {
  /** As it is written; it may hold wildcards, and what it is relative to is not known. */
  readonly word: string;
  /** The folder that its command starts in, as far as the text tells. */
  readonly dir: string | null;
  readonly decides: boolean;
}

export interface Executed {
  readonly programs: readonly ProgramRun[];
  /** A test runner is started. */
  readonly runsTests: boolean;
  /** Something decides by its exit code that is no mere comparison. */
  readonly decidesByExit: boolean;
  /** Nothing is started but programs that look at files: a test is text for them. */
  readonly onlyLooks: boolean;
  /** Paths that comparisons may look at. */
  readonly compared: readonly string[];
  /** Files by which what is run is configured: what rule files include, and what an option of a tool names. */
  readonly configured: readonly string[];
  /** Paths that make would make: where one is there already, its recipe may not run. */
  readonly targets: readonly string[];
  /** Common programs that are looked up in PATH. */
  readonly lookedUp: ReadonlySet<string>;
  /** Folders that commands start in. */
  readonly dirs: ReadonlySet<string>;
}

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
    onlyLooks: false,
    compared: [],
    configured: [],
    targets: [],
    lookedUp: new Set(),
    dirs: new Set([dir]),
    isOld,
  };
  const started: FollowedCommand[] = [];
  followCommands({ command, dir, read, within: true }, (commands, decides) =>
    commands.map((each, at) => {
      if (!each.isText) started.push(each);
      if (!each.isText) noteConfiguration(each, found, read);
      const later = commands.slice(at + 1).filter(({ isSubstituted }) => !isSubstituted);
      const isCompared = later.some((other) => comparesWork(other, found));
      const isDeciding = decides && !each.isPiped && !each.isSubstituted && !isCompared;
      if (!each.isText) noteRun(each, found, isDeciding);
      // What a program starts is what it looks at, as a test does; it decides itself.
      return isDeciding && !each.isCaller;
    }),
  );
  return { ...found, onlyLooks: started.length > 0 && started.every(looks) };
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

interface Found extends Executed {
  readonly programs: ProgramRun[];
  runsTests: boolean;
  decidesByExit: boolean;
  readonly compared: string[];
  readonly configured: string[];
  readonly targets: string[];
  readonly lookedUp: Set<string>;
  readonly dirs: Set<string>;
  readonly isOld: (path: string) => boolean;
}

function noteRun(command: FollowedCommand, found: Found, decides: boolean): void {
  if (runsTests(command)) found.runsTests = true;
  if (decides && !compares(command) && !isOneOf(PREPARES, command)) found.decidesByExit = true;
  const { dir } = command;
  found.programs.push(...programsIn(command).map((word) => ({ word, dir, decides })));
}

function noteConfiguration(command: FollowedCommand, found: Found, read: ReadText): void {
  const { program, name, args, dir } = command;
  if (dir !== null) found.dirs.add(dir);
  found.configured.push(...ruleFiles(command, read));
  found.targets.push(...madePaths(command, read));
  const isInterpreter = INTERPRETERS.has(name);
  if (!program.includes("/") && isCommon(name)) found.lookedUp.add(name);
  // What any other program is given may be what it looks at.
  const options = isInterpreter ? ENVIRONMENTS : CONFIGURES;
  if (!isInterpreter && !runsTests(command) && !INSPECTS.test(name)) return;
  args.forEach((word, at) => {
    const [option = "", value] = word.split("=", 2);
    const named = options.has(option) ? (value ?? args[at + 1]) : undefined;
    if (named !== undefined && named !== "") found.configured.push(named);
  });
}

const INSPECTS =
  /^(?:tsc|vue-tsc|eslint|oxlint|stylelint|biome|prettier|mypy|pyright|ruff|flake8|pylint|rubocop|golangci-lint|nyc|c8|coverage)$/;
/** Options of tools whose value is a file that says what they do. */
const CONFIGURES = new Set(
  "-c --config --config-file --configuration --rcfile --settings --tsconfig --project -p -r --require --env-file --setup --bootstrap --init-script -I --include".split(
    " ",
  ),
);
const ENVIRONMENTS = new Set(["--env-file", "--env-file-if-exists"]);

/** What a shell does itself is not looked up. */
const BUILTIN = new Set("test [ [[ . source export set true : echo printf".split(" "));

/** A program that a machine has, and that no task is to write. */
function isCommon(name: string): boolean {
  if (BUILTIN.has(name)) return false;
  const isTool = COMPARES.has(name) || PREPARES.has(name) || PACKAGE_MANAGERS.has(name);
  const isTester = Object.hasOwn(SUBCOMMANDS, name) || isTestRunner(name);
  const isOther = INTERPRETERS.has(name) || INSPECTS.test(name) || /^(?:g?make|just)$/.test(name);
  return isTool || isTester || isOther;
}

/** A program that runs tests, or a module that Python runs them with. */
export function isTestRunner(name: string): boolean {
  return RUNNERS.some((pattern) => pattern.test(name));
}

/** They look at what is there, and say whether it is as it should be. */
const COMPARES = new Set(
  "test [ [[ grep egrep fgrep rg diff cmp jq comm sha256sum md5sum".split(" "),
);

/** A program of the repository may have any name. */
function isOneOf(names: ReadonlySet<string>, { program, name }: FollowedCommand): boolean {
  return names.has(name) && (program.startsWith("/") || !program.includes("/"));
}

function compares(command: FollowedCommand): boolean {
  return isOneOf(COMPARES, command);
}

/** Whether it looks at something that may be of the work, and not at how a command ended. */
function comparesWork(command: FollowedCommand, { isOld, compared }: Found): boolean {
  const { args, dir } = command;
  if (!compares(command) || args.some((word) => word.includes("$?"))) return false;
  const looksAt = filesIn(command)
    .filter((word) => /^[\w@./-]*[\w]$/.test(word) && /[./]/.test(word))
    .map((word) => posix.join(dir ?? "", word));
  compared.push(...looksAt);
  return looksAt.length === 0 || looksAt.some((path) => !isOld(path));
}

const SEARCHES = /^(?:grep|egrep|fgrep|rg)$/;
/** What they search for is given by one of these, else by the first word. */
const PATTERN = /^-[A-Za-z]*e$|^--regexp$/;
const PATTERNS = /^-[A-Za-z]*f$|^--file$|^--(?:regexp|file)=|^-[ef]./;
const EQUALS = /^[!=]?=$/;

/** The words of a comparison that may name files: what is searched for, or compared as a text, names none. */
function filesIn({ name, args }: FollowedCommand): readonly string[] {
  if (!SEARCHES.test(name)) {
    return args.filter(
      (_, at) => ![args[at - 1], args[at + 1]].some((word) => EQUALS.test(word ?? "")),
    );
  }
  const isGiven = args.some((word) => PATTERN.test(word) || PATTERNS.test(word));
  const first = isGiven ? -1 : args.findIndex((word) => !word.startsWith("-"));
  return args.filter((_, at) => at !== first && !PATTERN.test(args[at - 1] ?? ""));
}

/** By their exit code nothing is told of the work. */
const PREPARES = new Set(
  "export set true : echo printf mkdir rm cp mv touch sleep ls cat".split(" "),
);

/** They show what is in a file, or where it is, and run nothing of it. */
const SHOWS = new Set(
  "awk basename cut dirname exit false file find head sed sha1sum sort stat tail tr uniq wc".split(
    " ",
  ),
);
/** What git says of files. */
const ASKS_GIT = /^(?:cat-file|diff|grep|log|ls-files|ls-tree|rev-parse|show|status)$/;

function looks(command: FollowedCommand): boolean {
  const { name, args } = command;
  if (name === "git") return ASKS_GIT.test(args.find((word) => !word.startsWith("-")) ?? "");
  // These run a program of their own that a file holds.
  if ((name === "awk" || name === "sed") && args.includes("-f")) return false;
  return [COMPARES, PREPARES, SHOWS].some((names) => isOneOf(names, command));
}

const INTERPRETERS = new Set(
  "node nodejs python python2 python3 ruby perl php lua Rscript tsx ts-node sh bash dash zsh ksh source . awk".split(
    " ",
  ),
);
/** Their program is named after a word of their own. */
const RUNS: Readonly<Record<string, string>> = { deno: "run", bun: "run", go: "run" };
/** Options whose value is loaded as well. */
const LOADS = new Set("-r --require --import --loader --experimental-loader -f".split(" "));

/** The files that are run, as they are named. */
function programsIn({ program, name, args }: FollowedCommand): readonly string[] {
  const run = Object.hasOwn(RUNS, name) ? RUNS[name] : undefined;
  if (!INTERPRETERS.has(name) && run === undefined) return isPath(program) ? [program] : [];
  const rest = args.filter((word) => word !== run);
  const found: string[] = [];
  for (let n = 0; n < rest.length; n += 1) {
    const word = rest[n] ?? "";
    if (/^-(?:m|e|p|c)$/.test(word)) return found;
    if (LOADS.has(word)) {
      found.push(rest[n + 1] ?? "");
      n += 1;
    } else if (!word.startsWith("-")) {
      // A shell makes several words of a pattern; the first is what is run.
      return [...found, word];
    }
  }
  return found;
}

function isPath(word: string): boolean {
  return /\/|\.\w+$/.test(word) && !word.includes("://") && !word.startsWith("/");
}

const RUNNERS: readonly RegExp[] = [
  /^(?:vitest|jest|mocha|ava|tap|tape|jasmine|karma|playwright|cypress|uvu)$/,
  /^(?:pytest|py\.test|unittest|tox|nose2?|rspec|phpunit|ctest|bats|busted|prove)$/,
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
};

/** Whether it starts tests. */
function runsTests({ name, args }: FollowedCommand): boolean {
  if (isTestRunner(name)) return true;
  if (PACKAGE_MANAGERS.has(name)) {
    const [first = "", second = ""] = packageWords(args);
    return /^(?:t|tst|test)$/.test(first.startsWith("run") ? second : first);
  }
  const subcommand = Object.hasOwn(SUBCOMMANDS, name) ? SUBCOMMANDS[name] : undefined;
  return subcommand !== undefined && args.some((word) => subcommand.test(word));
}
