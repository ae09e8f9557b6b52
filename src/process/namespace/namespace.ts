// The two ways to run a command in a namespace of its own that shows it a view: bubblewrap, and
// util-linux alone. Whether one works here is tried with the real thing, once per process:
// distributions and containers forbid namespaces and mounts in many ways.
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { StintError } from "../../core/stint-error.ts";
import { whichProgram } from "../find-program.ts";
import { makeTemporaryFolder, noRoom } from "../temporary-folder.ts";
import { LAY_VIEW, type View, viewSteps } from "./view.ts";
import { pidNamespace } from "../process-table.ts";
import { sameUsers } from "./same-users.ts";

export type NamespaceKind = "bwrap" | "unshare";

export interface Namespace {
  /** Whether nobody inside can take a mount away. */
  readonly isLocked: boolean;
  /** Why it cannot keep a child from writing outside its view; null where it can. */
  readonly whyNoWalls?: string | null;
  /** What a command behind these words is to be started with as descriptor `USERS`. */
  readonly users?: number;
  /**
   * What to put before a command, which starts in this folder of the view. A person's own shell keeps
   * the terminal that it is started from; nothing else does.
   * Throws a StintError when the view cannot be shown.
   */
  words(view: View, cwd: string, keepsTerminal?: boolean): string[];
}

/** Above the standard streams and the channel of a child. Whoever is started behind the words closes it. */
export const USERS = 4;

export type Tried = { readonly namespace: Namespace } | { readonly why: string };

const tried = new Map<NamespaceKind, Tried>();

export function tryNamespace(kind: NamespaceKind): Tried {
  let result = tried.get(kind);
  if (result === undefined) {
    result = firstThatWorks(kind === "bwrap" ? bwrapVariants() : unshareVariants());
    tried.set(kind, result);
  }
  return result;
}

/** Throws a sentence when a program is missing. */
type Variant = () => Namespace;

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/** What still happens behind the mounts, and what it makes of them. */
interface Last {
  readonly isLocked: boolean;
  readonly words: readonly string[];
  readonly users?: number;
}

function bwrapVariants(): Variant[] {
  // Who is not root has no power over mounts in there.
  if (!isRoot()) return [() => bwrap(PROC, { isLocked: true, words: [] })];
  // The /proc that it makes for root is covered in part, so that no sandbox inside could make another.
  const withProc = (): string[] => [found("unshare"), "--mount-proc", "--"];
  return [() => bwrap([], lock(withProc())), () => bwrap(PROC, UNLOCKED)];
}

function unshareVariants(): Variant[] {
  const user = ["--user", "--map-current-user", "--keep-caps"];
  if (!isRoot()) return [() => unshare(user, dropPowers())];
  // Root may be denied a user namespace, or everything but one.
  return [
    () => unshare([], lock([])),
    () => unshare(user, lockAlone()),
    () => unshare([], UNLOCKED),
  ];
}

const UNLOCKED: Last = { isLocked: false, words: [] };

const BIND = { "read-write": "--bind", "read-only": "--ro-bind", show: "--bind" } as const;

const PROC = ["--proc", "/proc"];

function bwrap(proc: readonly string[], { words: last, ...rest }: Last): Namespace {
  const program = found("bwrap");
  const options = ["--unshare-pid", ...proc, "--die-with-parent"];
  // Its own network always has loopback, so one without any is made around it.
  const apart = [found("unshare"), ...(isRoot() ? [] : ["--user", "--map-current-user"]), "--net"];
  return {
    ...rest,
    words: (view, cwd, keepsTerminal = false) => [
      ...(view.network === "none" ? [...apart, "--"] : []),
      program,
      ...(view.writable === undefined
        ? ["--dev-bind", "/", "/"]
        : ["--ro-bind", "/", "/", "--dev-bind", "/dev", "/dev"]),
      ...viewSteps(view).flatMap((step) => {
        if ("from" in step) return [BIND[step.act], step.from, step.at];
        // Where the socket is gone by then, bwrap makes a file: `removeMadeFor` takes it away.
        if (step.act === "cover") return ["--dev-bind", "/dev/null", step.at];
        if (step.act === "pin") return ["--bind-try", step.at, step.at];
        // It locks everything and makes mount points by itself.
        return step.act === "hide" ? ["--tmpfs", step.at] : [];
      }),
      ...(view.network === "loopback" ? ["--unshare-net"] : []),
      ...options,
      // Its own session, so that `kill 0` inside cannot reach bwrap outside.
      ...(keepsTerminal ? [] : ["--new-session"]),
      "--chdir",
      cwd,
      "--",
      ...last,
    ],
  };
}

function unshare(user: readonly string[], { words: last, ...rest }: Last): Namespace {
  const before = [found("setpriv"), "--pdeathsig", "KILL", found("unshare"), ...user];
  const mounting = ["mount", "umount", "mkdir"].map(found);
  const pid = ["--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "--"];
  const laying = ["/bin/sh", "-c", LAY_VIEW, "sh", ...mounting];
  return {
    ...rest,
    words: (view, cwd) => [
      ...before,
      ...((view.network ?? "all") === "all" ? [] : ["--net"]),
      ...pid,
      ...laying,
      cwd,
      ...viewSteps(view).flatMap((step) => {
        if ("from" in step) return [step.act, step.from, step.at];
        return "at" in step ? [step.act, step.at] : [step.act];
      }),
      ...(view.network === "loopback" ? ["loopback", foundForLoopback()] : []),
      "--",
      ...last,
    ],
  };
}

/**
 * For root: goes on in a user namespace that has the same users. The kernel lets nobody in it undo a mount
 * from outside of it, while root's power over files and the making of namespaces (an agent's own sandbox)
 * stay. The mount namespace is its own, so that more can be mounted.
 */
function lock(before: readonly string[]): Last {
  const enter = [found("nsenter"), `--user=/proc/self/fd/${USERS}`, "--preserve-credentials"];
  const words = [...before, ...enter, found("unshare"), "--mount", "--"];
  return { isLocked: true, words, users: sameUsers(found("unshare")) };
}

/** The same for root in a user namespace that has no other user. */
function lockAlone(): Last {
  return {
    isLocked: true,
    words: [found("unshare"), "--user", "--map-root-user", "--mount", "--"],
  };
}

/** An agent's own sandbox still gets all of them, in a user namespace that it makes itself. */
function dropPowers(): Last {
  const sets = ["--inh-caps=-all", "--ambient-caps=-all", "--bounding-set=-all"];
  return { isLocked: true, words: [found("setpriv"), ...sets, "--"] };
}

/** A new network has its loopback down. */
function foundForLoopback(): string {
  const path = whichProgram("ip", `${process.env["PATH"] ?? ""}:/usr/sbin:/sbin`);
  if (path !== undefined) return path;
  throw new StintError(
    "bad-input",
    "network: loopback needs the program ip to start loopback, and it is not installed",
    "install iproute2 or bubblewrap; or choose network: none or network: all",
  );
}

/** By absolute path: the child's PATH is not ours. */
function found(program: string): string {
  const path = whichProgram(program, process.env["PATH"]);
  if (path === undefined) throw new Error(`no ${program} is installed`);
  return path;
}

function firstThatWorks(variants: readonly Variant[]): Tried {
  if (process.platform !== "linux") return { why: "only on Linux" };
  let why = "there is nothing to try";
  for (const variant of variants) {
    try {
      const namespace = variant();
      return { namespace: { ...namespace, whyNoWalls: tryOut(namespace) } };
    } catch (error) {
      // No room to try it out says nothing about it, and is no reason to do without.
      if (error instanceof StintError && error.code === "state-unwritable") throw error;
      why = (error as Error).message;
    }
  }
  return { why };
}

/** Covers a folder by one that is hidden, and shows a part of what is covered below what is hidden. */
const LOOK =
  "test -e shown && test ! -e ../state/key && test -e ../state/kept/old && " +
  "! (: >../state/kept/new) 2>/dev/null && : >new && readlink /proc/self/ns/pid";

/** The same, and that nothing can be written outside but in the one folder that may be. */
const LOOK_AT_WALLS = `! (: >../outside/new) 2>/dev/null && : >../free/new && test ! -s ../covered && ${LOOK}`;

/**
 * Throws what is wrong when a tiny command sees anything else than it is to see.
 * @returns why it cannot have walls, where it cannot
 */
function tryOut(namespace: Namespace): string | null {
  const folder = makeTemporaryFolder("stint-try-");
  const at = (path: string): string => join(folder, path);
  const look = (more: Partial<View>, line: string): void => {
    const view: View = {
      hide: [at("state")],
      mounts: [
        { from: at("state/tree"), at: at("work"), mode: "read-write" },
        { from: at("work/part"), at: at("state/kept"), mode: "read-only" },
      ],
      ...more,
    };
    const words = [...namespace.words(view, at("work")), "/bin/sh", "-c", line];
    const space = runQuickly(words, namespace.users);
    if (space === pidNamespace()) throw new Error("it made no namespace");
  };
  try {
    layOut(at);
    try {
      look({ writable: [at("free")], cover: [at("covered")] }, LOOK_AT_WALLS);
      return null;
    } catch (error) {
      look({}, LOOK);
      if (!folder.startsWith("/dev/")) return (error as Error).message;
      return `${dirname(folder)} is the folder of temporary files, and below /dev nothing is protected; set TMPDIR to another one`;
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function layOut(at: (path: string) => string): void {
  try {
    for (const path of ["state/tree", "work/part", "free", "outside"])
      mkdirSync(at(path), { recursive: true });
    for (const path of ["state/key", "state/tree/shown", "work/part/old", "covered"])
      writeFileSync(at(path), path);
  } catch (error) {
    throw noRoom(error);
  }
}

function runQuickly([program = "", ...args]: readonly string[], users?: number): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    cwd: "/",
    encoding: "utf8",
    timeout: 10_000,
    killSignal: "SIGKILL",
    stdio: ["ignore", "pipe", "pipe", "ignore", users ?? "ignore"],
  });
  if (error !== undefined) throw error;
  if (status === 0) return stdout.trim();
  throw new Error(stderr.trim().split("\n")[0] || "a namespace here does not show or hide files");
}
