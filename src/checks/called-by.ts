// What a check command calls: the files it names, the scripts behind package managers and make, and,
// a few levels deep, what those call in turn. Heuristics; a shell is not imitated.
import { posix } from "node:path";
import { splitWords } from "../core/written/commands.ts";
import { runsTests } from "./test-files.ts";

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
