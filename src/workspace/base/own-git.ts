// Git as the workspace starts it: the repository, the files and the configuration are named, and nothing
// is taken from where it happens to run. An answer that is missing and a warning are failures.
import { readdirSync } from "node:fs";
import { devNull } from "node:os";
import { join } from "node:path";
import { StintError } from "../../core/stint-error.ts";
import { DURABLE, failure, type GitOptions, type GitOutput, runGit } from "../../git/run-git.ts";
import { looksOf, onDisk, type RawPath, toText } from "./raw-path.ts";

export interface GitCommand extends Omit<GitOptions, "onlyEnv"> {
  /** A warning means that git left something out. */
  readonly isStrict?: boolean;
}

export interface Git {
  readonly gitDir: string;
  /** The file that is its index. */
  readonly index: string;
  run(args: readonly string[], command?: GitCommand): Promise<GitOutput>;
  /** For commands that answer with one object id: anything else is a failure. */
  id(args: readonly string[], command?: GitCommand): Promise<string>;
}

/** For commands that write this file anew, as git writes an index: one that is as it was is a failure. */
export async function runWriting(
  git: Git,
  file: string,
  args: readonly string[],
  command: GitCommand = {},
): Promise<GitOutput> {
  const before = looksOf(file);
  const output = await git.run(args, command);
  if (looksOf(file) !== before) return output;
  throw failure(git.gitDir, args, `it left ${file} as it was`, output.stderr);
}

/** The lines of a command that answers with so many: fewer or more are a failure. */
export async function answersTo(
  git: Git,
  count: number,
  args: readonly string[],
  command: GitCommand = {},
): Promise<string[]> {
  const { stdout, stderr } = await git.run(args, command);
  const lines = stdout.split("\n").filter((line) => line !== "");
  if (lines.length === count) return lines;
  throw failure(git.gitDir, args, `it gave ${lines.length} answers to ${count} questions`, stderr);
}

/** Of either object format. */
export const OBJECT_ID = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** Smudging, hashing and fetching of large files take their time. */
const TIMEOUT_MS = 60 * 60_000;

/** What a person sets for every git, and no hook or session sets for one. */
const KEPT =
  /^GIT_(?:AUTHOR|COMMITTER)_|^GIT_(?:EXEC_PATH|CONFIG_GLOBAL|CONFIG_SYSTEM|CONFIG_NOSYSTEM)$/;

const SETTINGS = [
  `core.hooksPath=${devNull}`,
  "core.fsmonitor=false",
  "gc.auto=0",
  "maintenance.auto=false",
  "submodule.recurse=false",
  "core.quotePath=false",
].flatMap((setting) => ["-c", setting]);

/** The person's index keeps the form that they gave it. */
const OWN_SETTINGS = ["core.untrackedCache=false", "core.splitIndex=false"].flatMap((setting) => [
  "-c",
  setting,
]);

/**
 * `workTree` is where the files are; also where git is started. `own` reads the repository's configuration alone,
 * `person` also the person's own files.
 */
export function gitAt(gitDir: string, workTree: string, config: "own" | "person" = "own"): Git {
  const where = [`--git-dir=${gitDir}`, `--work-tree=${workTree}`];
  const run = async (args: readonly string[], command: GitCommand = {}): Promise<GitOutput> => {
    const { isStrict, ...options } = command;
    const own = config === "own" ? OWN_SETTINGS : [];
    const words = [...where, ...SETTINGS, ...own, ...DURABLE, ...args];
    const output = await untilTrapped(workTree, (signal) =>
      runGit(workTree, words, {
        timeoutMs: TIMEOUT_MS,
        signal,
        ...options,
        onlyEnv: environment(config),
      }),
    );
    if (isStrict === true && warningsOf(output.stderr).length > 0) {
      throw failure(workTree, words, "it left something out", output.stderr);
    }
    return output;
  };
  return {
    gitDir,
    index: join(gitDir, "index"),
    run,
    async id(args, command) {
      const output = await run(args, command);
      const id = output.stdout.trim();
      if (OBJECT_ID.test(id)) return id;
      const words = [...where, ...args];
      throw failure(workTree, words, `it answered "${id}", not an object`, output.stderr);
    },
  };
}

/** Git follows no link to what tells it about files: to it, as to every other git, there is none. */
const LINKED =
  /^warning: unable to access '(?:.*\/)?\.git(?:ignore|attributes)': Too many levels of symbolic links$/;

/** Every git passes over such a line or file of attributes, and leaves no file out because of it. */
const PASSED_OVER =
  /^warning: (?:Negative patterns are ignored in git attributes$|ignoring overly (?:long attributes line|large gitattributes) )/;

/** Said where git only compares: it takes the bytes as they are. Where it stores them, it fails instead. */
const NOT_ENCODED =
  /^error: (?:failed to encode '.*' from .* to UTF-8$|BOM is (?:required|prohibited) in ')/;

const HARMLESS = [LINKED, PASSED_OVER, NOT_ENCODED];

/** Filters may talk on the same stream; git begins its own lines like this. */
export function warningsOf(stderr: string): string[] {
  const lines = stderr.split("\n").filter((line) => /^(?:warning|error|fatal): /.test(line));
  return lines.filter((line) => !HARMLESS.some((pattern) => pattern.test(line)));
}

function environment(config: "own" | "person"): NodeJS.ProcessEnv {
  const entries = Object.entries(process.env).filter(
    ([name]) => !name.startsWith("GIT_") || KEPT.test(name),
  );
  return {
    ...Object.fromEntries(entries),
    GIT_TERMINAL_PROMPT: "0",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_NO_REPLACE_OBJECTS: "1",
    GIT_EDITOR: "true",
    LC_ALL: "C",
    ...(config === "own" ? { GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: devNull } : {}),
  };
}

/** Pipes in their place would make git wait for ever; they are looked for only once it takes long. */
const READ_BY_GIT = new Set([".gitignore", ".gitattributes", ".gitmodules"]);
const FIRST_LOOK_MS = 2_000;

/** Attributes ask for what git cannot do with the files that are there. */
export class GitCannotConvert extends StintError {
  readonly said: string;

  constructor({ code, message, hint }: StintError, said: string) {
    super(code, message, hint);
    this.said = said;
  }
}

export class GitIsTrapped extends StintError {
  readonly paths: readonly RawPath[];

  constructor(paths: readonly RawPath[]) {
    const names = paths.map(toText).join(", ");
    super("bad-input", `git cannot read ${names}: it is not a file`, `Remove it: rm ${names}`);
    this.paths = paths;
  }
}

/**
 * Runs an act of git on the files of a folder, and ends it where it waits for what will never come.
 * The longer it takes, the more rarely somebody looks.
 */
async function untilTrapped<T>(
  folder: string,
  act: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const ending = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const lookIn = (ms: number): void => {
    timer = setTimeout(() => {
      const traps = trapsIn(folder);
      if (traps.length > 0) ending.abort(new GitIsTrapped(traps));
      else lookIn(ms * 2);
    }, ms);
  };
  lookIn(FIRST_LOOK_MS);
  try {
    return await act(ending.signal);
  } finally {
    clearTimeout(timer);
  }
}

function trapsIn(folder: string): RawPath[] {
  const found: RawPath[] = [];
  const look = (path: RawPath): void => {
    for (const entry of entriesOf(folder, path)) {
      const { name } = entry;
      const inner = path === "" ? name : `${path}/${name}`;
      if (entry.isDirectory()) {
        if (name !== ".git") look(inner);
      } else if (READ_BY_GIT.has(name) && !entry.isFile() && !entry.isSymbolicLink()) {
        found.push(inner);
      }
    }
  };
  look("");
  return found;
}

function entriesOf(folder: string, path: RawPath) {
  try {
    return readdirSync(onDisk(folder, path), { withFileTypes: true, encoding: "latin1" });
  } catch {
    // Git says what it cannot look into.
    return [];
  }
}
