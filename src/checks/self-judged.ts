// Whether an attempt changed what judges it: a file its check names, a script the check calls, or a
// test file the check runs. The label informs a person; it fails nothing, so it errs on saying it.
import type { Check } from "../core/schema/task.ts";
import { posix } from "node:path";
import { splitWords } from "../core/written/commands.ts";

export interface JudgedAttempt {
  readonly checks: readonly Check[];
  /** Relative to the work tree, with `/`. */
  readonly changed: readonly string[];
  /** Files as they were when the checks were frozen, and as they are. */
  readonly before: ReadText;
  readonly after: ReadText;
}

/** The changed paths that had a say in the attempt's own checks; none when it was judged by others. */
export function selfJudgedPaths({ checks, changed, before, after }: JudgedAttempt): string[] {
  const found = new Set<string>();
  for (const check of checks) {
    // The file of a file check is what the task makes, not what judges it.
    if (check.kind !== "command") continue;
    const was = calledBy(check.command, before);
    const is = calledBy(check.command, after);
    for (const path of changed) {
      const isNamed = was.isNamed(path) || is.isNamed(path);
      const isRunTest = (was.runsTests || is.runsTests) && isTestFile(path);
      if (isNamed || isRunTest) found.add(path);
    }
    // A manifest of scripts changes for many reasons; only the scripts that are called count.
    for (const path of was.scriptsFrom) {
      if (changed.includes(path) && was.scriptTexts !== is.scriptTexts) found.add(path);
    }
  }
  return [...found].toSorted();
}

/** The text of a file of the work tree, or undefined when there is none. */
export type ReadText = (path: string) => string | undefined;

export interface Called {
  /** Whether a path is named by the command or by a script it calls, itself or by a folder above. */
  isNamed(path: string): boolean;
  readonly runsTests: boolean;
  /** The manifests whose scripts are called. */
  readonly scriptsFrom: readonly string[];
  /** Those scripts, as one text. */
  readonly scriptTexts: string;
}

const DEPTH = 4;
/** Longer scripts are not followed. */
const SCRIPT_CHARACTERS = 64 * 1024;
const PACKAGE_MANAGERS = new Set(["npm", "pnpm", "yarn", "bun"]);
const MAKEFILES = ["GNUmakefile", "makefile", "Makefile"];
/** What runs a script by itself, without the word `run`. */
const OWN_SCRIPTS = new Set(["test", "start", "stop", "restart"]);
const SHORT_NAMES: ReadonlyMap<string, string> = new Map([
  ["t", "test"],
  ["tst", "test"],
]);

export function calledBy(command: string, read: ReadText): Called {
  const found: Found = { names: new Set(), texts: [], manifests: new Set(), runsTests: false };
  follow(command, read, found, DEPTH);
  return {
    isNamed: (path) => [...found.names].some((name) => path === name || isBelow(path, name)),
    runsTests: found.runsTests,
    scriptsFrom: [...found.manifests],
    scriptTexts: found.texts.join("\n"),
  };
}

interface Found {
  readonly names: Set<string>;
  readonly texts: string[];
  readonly manifests: Set<string>;
  runsTests: boolean;
}

function follow(text: string, read: ReadText, found: Found, depth: number): void {
  if (depth === 0 || text.length > SCRIPT_CHARACTERS) return;
  for (const words of commandsIn(text)) {
    if (runsTests(words)) found.runsTests = true;
    for (const script of scriptsCalled(words, read, found)) follow(script, read, found, depth - 1);
    for (const path of words.flatMap(pathsIn)) {
      if (found.names.has(path)) continue;
      const content = read(path);
      found.names.add(path);
      if (content !== undefined && isScript(path, content)) follow(content, read, found, depth - 1);
    }
  }
}

/** The simple commands of a line or a script, each as its words. */
function commandsIn(text: string): readonly (readonly string[])[] {
  return text
    .split(/\n|&&|\|\|?|;|&|[()]/)
    .filter((part) => !/^\s*#/.test(part))
    .map((part) => {
      const split = splitWords(part.trim());
      return split.ok ? split.words : part.replace(/['"]/g, " ").trim().split(/\s+/);
    })
    .filter((words) => words.length > 0);
}

function scriptsCalled(words: readonly string[], read: ReadText, found: Found): readonly string[] {
  const at = words.findIndex((word) => PACKAGE_MANAGERS.has(word) || word === "make");
  if (at === -1) return [];
  const rest = words.slice(at + 1).filter((word) => !word.startsWith("-"));
  return words[at] === "make" ? makeTargets(read, found) : packageScripts(rest, read, found);
}

function packageScripts(rest: readonly string[], read: ReadText, found: Found): readonly string[] {
  const isRun = rest[0] === "run" || rest[0] === "run-script";
  const written = (isRun ? rest[1] : rest[0]) ?? "";
  const name = SHORT_NAMES.get(written) ?? written;
  if (name === "") return [];
  const scripts = scriptsOf(read("package.json"));
  const texts = [`pre${name}`, name, `post${name}`].flatMap((key) => scripts.get(key) ?? []);
  // `npm test` runs tests even where its script does not look like it.
  if (name === "test") found.runsTests = true;
  if (texts.length === 0 && !isRun && !OWN_SCRIPTS.has(name)) return [];
  found.manifests.add("package.json");
  found.texts.push(...texts);
  return texts;
}

function scriptsOf(text: string | undefined): ReadonlyMap<string, string> {
  try {
    const scripts = (JSON.parse(text ?? "{}") as { scripts?: Record<string, unknown> }).scripts;
    const entries = Object.entries(scripts ?? {});
    return new Map(
      entries.flatMap(([key, value]) => (typeof value === "string" ? [[key, value]] : [])),
    );
  } catch {
    return new Map();
  }
}

/** Targets need others, set variables and include files: the whole makefile judges. */
function makeTargets(read: ReadText, found: Found): readonly string[] {
  for (const name of MAKEFILES) found.names.add(name);
  const text = MAKEFILES.map(read).find((content) => content !== undefined);
  if (text === undefined) return [];
  return text
    .split("\n")
    .filter((line) => line.startsWith("\t"))
    .map((line) => line.replace(/^\t[@+-]*/, ""));
}

/** Words, and values of options, that can be paths of the work tree. */
function pathsIn(word: string): readonly string[] {
  const value = word.replace(/^-{1,2}[\w-]+=/, "");
  if (value.startsWith("-") || value.includes("://") || /[*?$`<>{}\n]/.test(value)) return [];
  const path = posix.normalize(value.replace(/::.*$/, "").replace(/\/+$/, ""));
  const isInside = path !== "." && !path.startsWith("..") && !path.startsWith("/");
  // A bare word is a path only when it looks like one; `test` is a word in many commands.
  return isInside && (value.includes("/") || /\.[A-Za-z0-9]+$/.test(path)) ? [path] : [];
}

function isScript(path: string, content: string): boolean {
  return /\.(?:sh|bash|zsh)$/.test(path) || content.startsWith("#!");
}

function isBelow(path: string, folder: string): boolean {
  return path.startsWith(`${folder}/`);
}

const TEST_FILES: readonly RegExp[] = [
  /(?:^|\/)(?:__tests__|__mocks__|__snapshots__|tests?|specs?|e2e|cypress|testdata|fixtures)\//,
  /\.(?:test|spec|cy|e2e)\.[cm]?[jt]sx?$/,
  /\.(?:snap|feature)$/,
  /(?:^|\/)(?:test_[^/]+|[^/]+_test|conftest)\.py$/,
  /_test\.(?:go|exs?|dart|rb|cc|cpp)$/,
  /_spec\.rb$/,
  /(?:Tests?|Spec|IT)\.(?:java|kt|cs|scala|swift|php|groovy)$/,
  // What decides which tests run, and how.
  /(?:^|\/)(?:vitest|jest|playwright|cypress|karma|ava)\.(?:config|workspace)\.[cm]?[jt]s(?:on)?$/,
  /(?:^|\/)(?:pytest\.ini|tox\.ini|phpunit\.xml(?:\.dist)?|\.mocharc\.[a-z]+|\.rspec)$/,
];

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

export function isTestFile(path: string): boolean {
  return TEST_FILES.some((pattern) => pattern.test(path));
}

/** Whether the words of a command start tests. */
export function runsTests(words: readonly string[]): boolean {
  return words.some((word, n) => {
    const program = word.split("/").at(-1) ?? word;
    if (RUNNERS.some((pattern) => pattern.test(program))) return true;
    const subcommand = Object.hasOwn(SUBCOMMANDS, program) ? SUBCOMMANDS[program] : undefined;
    return subcommand !== undefined && words.slice(n + 1).some((next) => subcommand.test(next));
  });
}
