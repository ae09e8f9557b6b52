// The one place that starts git. No shell, no pager, no prompt, no terminal; bounded time and
// output. Failures carry the exact command and what git said.
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { closeSync, existsSync, openSync } from "node:fs";
import { devNull } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { StintError } from "../core/stint-error.ts";
import { errnoOf } from "../core/words/system-error.ts";
import { meaningAt } from "../process/meaning-at.ts";
import { untilRead } from "../process/until-read.ts";
import { endWithProcess } from "./end-with-process.ts";
import {
  gitDirOf,
  refusalOfMachine,
  refusalOfSystem,
  type SystemRefusal,
} from "./refused-by-system.ts";

export interface GitOptions {
  readonly input?: string | Uint8Array;
  /** A file that it reads instead, of any size. */
  readonly inputFile?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The whole environment, instead of this process's own. */
  readonly onlyEnv?: NodeJS.ProcessEnv;
  /** Exit codes that are an answer, not a failure. */
  readonly accept?: readonly number[] | "any";
  readonly timeoutMs?: number;
  /** Ends git and its hooks when aborted; the call then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

export interface GitOutput {
  readonly code: number;
  readonly stdout: string;
  /** The same before it was taken for UTF-8. */
  readonly bytes: Buffer;
  readonly stderr: string;
}

/** Objects and refs reach the disk before the command ends; git's default leaves loose objects to luck. */
export const DURABLE = ["-c", "core.fsync=objects,reference", "-c", "core.fsyncMethod=batch"];

/**
 * What the person's settings and hooks start with every git, and what a session may have written where that is a file of
 * the repository. Hooks of a commit and of a push run where sessions run.
 */
const WITHOUT_PROGRAMS = ["-c", "core.fsmonitor=false", "-c", `core.hooksPath=${devNull}`];

const LOCAL_TIMEOUT_MS = 120_000;
const OUTPUT_LIMIT = 256 * 1024 * 1024;
const KILL_AFTER_MS = 2_000;
const LOOK_MS = 20;
/** How long a background child of a hook may hold our pipes after git itself is gone. */
const DRAIN_MS = 250;

/** Variables that point git at another repository, as inside a hook. */
const REPOSITORY_VARIABLES = [
  "GIT_ALTERNATE_OBJECT_DIRECTORIES",
  "GIT_COMMON_DIR",
  "GIT_DIR",
  "GIT_EXTERNAL_DIFF",
  "GIT_GLOB_PATHSPECS",
  "GIT_GRAFT_FILE",
  "GIT_ICASE_PATHSPECS",
  "GIT_IMPLICIT_WORK_TREE",
  "GIT_INDEX_FILE",
  "GIT_INTERNAL_SUPER_PREFIX",
  "GIT_LITERAL_PATHSPECS",
  "GIT_NAMESPACE",
  "GIT_NOGLOB_PATHSPECS",
  "GIT_OBJECT_DIRECTORY",
  "GIT_PREFIX",
  "GIT_QUARANTINE_PATH",
  "GIT_SHALLOW_FILE",
  "GIT_WORK_TREE",
];

export async function runGit(
  root: string,
  args: readonly string[],
  options: GitOptions = {},
): Promise<GitOutput> {
  const { killedBy, ...output } = await start(root, args, options);
  const accept = options.accept ?? [0];
  // Whoever takes any end takes this one for a failure, too.
  if (accept === "any") return output;
  // Whoever was killed has answered nothing, whatever number stands for it.
  if (killedBy !== null) throw failure(root, args, `it was killed by ${killedBy}`, output.stderr);
  if (accept.includes(output.code)) return output;
  throw failure(root, args, `exit code ${output.code}`, output.stderr);
}

/** The lines of a command that prints one plain word per line. */
export async function gitLines(
  root: string,
  args: readonly string[],
  options?: GitOptions,
): Promise<string[]> {
  const { stdout } = await runGit(root, args, options);
  return stdout.split("\n").filter((line) => line !== "");
}

interface Ended extends GitOutput {
  readonly killedBy: NodeJS.Signals | null;
}

function start(root: string, args: readonly string[], options: GitOptions): Promise<Ended> {
  return new Promise((resolve, reject) => {
    // A session of its own: no terminal that ssh or gpg could ask on, no Ctrl-C in mid-commit, and
    // one group to end when time is up.
    const file = options.inputFile === undefined ? null : openSync(options.inputFile, "r");
    const watched = endWithProcess();
    const child = spawn("git", ["--no-pager", ...WITHOUT_PROGRAMS, ...args], {
      cwd: root,
      env: environment(options),
      stdio: [file ?? "pipe", "pipe", "pipe"],
      detached: true,
    }) as ChildProcessByStdio<Writable | null, Readable, Readable>;
    if (file !== null) closeSync(file);
    child.on("error", (cause) => {
      watched.end();
      reject(notStarted(root, args, cause));
    });
    // It has no streams where no descriptor is free.
    if (child.pid === undefined) return;
    watched.begin(child.pid);
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    let bytes = 0;
    let stopped: string | undefined;
    const timeoutMs = options.timeoutMs ?? LOCAL_TIMEOUT_MS;

    const stop = (why: string): void => {
      if (stopped !== undefined) return;
      stopped = why;
      // SIGTERM lets git remove its lock files.
      signal(child.pid, "SIGTERM");
      setTimeout(() => signal(child.pid, "SIGKILL"), KILL_AFTER_MS).unref();
    };
    const collect = (into: Buffer[]) => (data: Buffer) => {
      bytes += data.length;
      if (bytes > OUTPUT_LIMIT) stop(`more than ${OUTPUT_LIMIT} bytes of output`);
      else into.push(data);
    };
    const timer = setTimeout(() => stop(`no end after ${timeoutMs} ms`), timeoutMs);
    child.stdout.on("data", collect(out));
    child.stderr.on("data", collect(err));
    // A git that ends early closes its stdin; its exit code says why.
    child.stdin?.on("error", () => {});
    child.stdin?.end(options.input ?? "");

    const unwanted = (): void => stop("no longer wanted");
    options.signal?.addEventListener("abort", unwanted);
    if (options.signal?.aborted === true) unwanted();

    const finish = (code: number, killedBy: NodeJS.Signals | null): void => {
      clearTimeout(timer);
      watched.end();
      options.signal?.removeEventListener("abort", unwanted);
      const stderr = Buffer.concat(err).toString("utf8");
      if (stopped !== undefined) {
        const why = options.signal?.aborted === true ? options.signal.reason : undefined;
        const rejection: unknown = why ?? failure(root, args, stopped, stderr);
        void groupGone(child.pid).then(() => reject(rejection as Error));
      } else {
        const all = Buffer.concat(out);
        resolve({ code, killedBy, stdout: all.toString("utf8"), bytes: all, stderr });
      }
    };
    child.on("exit", (code, killedBy) => {
      const exitCode = code ?? 128;
      const drain = setTimeout(() => {
        void untilRead([child.stdout, child.stderr]).then(() => {
          child.stdout.destroy();
          child.stderr.destroy();
          finish(exitCode, killedBy);
        });
      }, DRAIN_MS);
      child.on("close", () => {
        clearTimeout(drain);
        finish(exitCode, killedBy);
      });
    });
  });
}

/** A hook that did not heed SIGTERM must not outlive the git that started it. */
async function groupGone(pid: number | undefined): Promise<void> {
  const end = performance.now() + KILL_AFTER_MS;
  for (;;) {
    if (pid === undefined || !isAlive(pid)) return;
    if (performance.now() > end) signal(pid, "SIGKILL");
    // oxlint-disable-next-line no-await-in-loop
    await sleep(LOOK_MS);
  }
}

function isAlive(group: number): boolean {
  try {
    process.kill(-group, 0);
    return true;
  } catch {
    return false;
  }
}

function environment(options: GitOptions): NodeJS.ProcessEnv {
  if (options.onlyEnv !== undefined) return { ...options.onlyEnv, ...options.env };
  const env: NodeJS.ProcessEnv = { ...process.env };
  for (const name of REPOSITORY_VARIABLES) delete env[name];
  env["GIT_TERMINAL_PROMPT"] = "0";
  return Object.assign(env, { GIT_OPTIONAL_LOCKS: "0", LC_ALL: "C" }, options.env);
}

function signal(pid: number | undefined, name: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, name);
  } catch {
    // The group is gone: that is what was wanted.
  }
}

export function failure(
  root: string,
  args: readonly string[],
  what: string,
  stderr: string,
): StintError {
  const said = inOneLine(stderr);
  const message = `${actOf(args)} failed: ${commandLine(withoutSettings(args))} in ${root}: ${what}${said === "" ? "" : `: ${said}`}`;
  const refusal = refusalOf(root, args, said);
  if (refusal !== null) return byTheSystem(message, refusal);
  return new StintError(
    "git-failed",
    message,
    `${repairOf(root, args, `${what} ${said}`)}\n${GO_ON}`,
  );
}

function byTheSystem(message: string, { errno, path }: SystemRefusal): StintError {
  const { repair } = meaningAt(errno, path);
  return new StintError("state-unwritable", message, `${repair(path)}\n${GO_ON}`);
}

/** What a remote says is about another machine. */
function refusalOf(root: string, args: readonly string[], said: string): SystemRefusal | null {
  if (/^(?:push|fetch|ls-remote)$/.test(verbOf(args))) return null;
  return refusalOfSystem(root, gitDirOf(root, args), said);
}

/** Where git failed because the disk, the memory or the files of this machine are used up, that is the error. */
export function machineFailure(
  root: string,
  args: readonly string[],
  stderr: string,
): StintError | null {
  const isOfMachine = refusalOfMachine(root, gitDirOf(root, args), stderr) !== null;
  return isOfMachine ? failure(root, args, "it was refused", stderr) : null;
}

/** Stint's own settings of git are the same for every command, and explain nothing. */
function withoutSettings(args: readonly string[]): readonly string[] {
  const at = args.indexOf(verbOf(args));
  const before = args.slice(0, at);
  const kept = before.filter(
    (arg, index) =>
      arg !== "-c" && before[index - 1] !== "-c" && !/^--(?:git-dir|work-tree)=/.test(arg),
  );
  return [...kept, ...args.slice(at)];
}

const GO_ON = "Then run the same command again; what is done stays done.";

/** What each command is asked for. */
const ACTS: Record<string, string> = {
  add: "staging files",
  "cat-file": "reading from the repository",
  "check-ignore": "asking what git ignores",
  "checkout-index": "writing files",
  commit: "making a commit",
  "commit-tree": "making a commit",
  config: "reading git's settings",
  diff: "comparing files",
  "diff-tree": "comparing commits",
  fetch: "fetching",
  "for-each-ref": "listing branches",
  "hash-object": "storing files in the repository",
  init: "making a repository",
  log: "reading the history",
  "ls-files": "listing files",
  "ls-remote": "asking the remote",
  "merge-base": "comparing branches",
  "merge-tree": "combining work",
  mktree: "storing files in the repository",
  "patch-id": "comparing commits",
  push: "the push",
  remote: "listing remotes",
  "read-tree": "reading a commit",
  reset: "setting files back",
  "rev-list": "reading the history",
  "rev-parse": "looking up a commit",
  status: "asking what is changed",
  "symbolic-ref": "asking which branch is checked out",
  "unpack-objects": "storing files in the repository",
  "update-index": "staging files",
  "update-ref": "moving a branch",
  "write-tree": "storing files in the repository",
};

function actOf(args: readonly string[]): string {
  const verb = verbOf(args);
  return ACTS[verb] ?? `git ${verb}`.trim();
}

function verbOf(args: readonly string[]): string {
  return args.find((arg, index) => !arg.startsWith("-") && args[index - 1] !== "-c") ?? "";
}

/** What git said, without its advice on locks: the hint says that. */
function inOneLine(stderr: string): string {
  const lines = stderr
    .replaceAll(/^Another git process seems[^]*?to continue\.$/gm, "")
    .split("\n");
  return lines
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join("; ");
}

function notStarted(root: string, args: readonly string[], cause: Error): StintError {
  const errno = errnoOf(cause) ?? "";
  if (["EAGAIN", "ENOMEM", "EMFILE", "ENFILE"].includes(errno)) {
    const { reason, repair } = meaningAt(errno, root);
    const message = `${actOf(args)} failed: git could not be started in ${root}: ${reason} (${errno})`;
    return new StintError("state-unwritable", message, `${repair(root)}\n${GO_ON}`, { cause });
  }
  const [what, hint] = existsSync(root)
    ? [
        "git could not be started",
        "Install git 2.31 or newer and put it on the PATH: git --version",
      ]
    : ["the folder does not exist", `Look for it: ls -ld ${root}`];
  const message = `${actOf(args)} failed: ${commandLine(withoutSettings(args))} in ${root}: ${what}`;
  return new StintError("git-failed", message, `${hint}\n${GO_ON}`, { cause });
}

function repairOf(root: string, args: readonly string[], said: string): string {
  if (said.startsWith("it was killed by")) {
    return "Somebody ended it, or the system had no memory left; look: dmesg | tail";
  }
  const lock = /Unable to create '(.+\.lock)': File exists/.exec(said)?.[1];
  if (lock !== undefined) {
    return `Another git process works in this repository, or one was killed. If none runs: rm '${lock}'`;
  }
  const trust = /git config --global --add safe\.directory .+/.exec(said)?.[0];
  if (trust !== undefined) return `If you trust this repository: ${trust}`;
  if (/not a git repository/.test(said) && existsSync(join(root, ".git"))) {
    return `The repository in ${join(root, ".git")} is damaged. Look at its file HEAD first: it has to name your branch, as in: ref: refs/heads/main`;
  }
  if (
    /index file (?:corrupt|smaller than expected|open failed)|bad (?:index file|signature)/.test(
      said,
    )
  ) {
    return `The index of git is damaged. Make it again from the last commit; your files stay as they are: cd ${root} && rm "$(git rev-parse --git-path index)" && git reset`;
  }
  return `See it for yourself: cd ${root} && ${commandLine(args)}`;
}

function commandLine(args: readonly string[]): string {
  const quoted = args.map((arg) =>
    /^[\w@%+=:,./^{}-]+$/.test(arg) ? arg : `'${arg.replaceAll("'", String.raw`'\''`)}'`,
  );
  return ["git", ...quoted].join(" ");
}
