// Which kind of care a child gets on this machine. A namespace is ended whole by the kernel, also when
// the run is killed, and shows the child a view; a process group is a matter of finding who
// belongs to it, and its children see what is there.
import { readFileSync } from "node:fs";
import { StintError } from "../../core/stint-error.ts";
import { type Namespace, type NamespaceKind, tryNamespace, USERS } from "./namespace.ts";
import type { View } from "./view.ts";

export type IsolationKind = NamespaceKind | "group";

export interface Isolation {
  readonly kind: IsolationKind;
  /** What holds on this machine, for a person to read. */
  readonly guarantees: string;
}

const NAMESPACE =
  "own pid namespace: when the session or the run ends, even by kill -9, the kernel ends every " +
  "process started in it; work handed to an outside service (docker, systemd, cron) is not in it";

const HIDDEN = "Stint's state folder is hidden";

const GROUP =
  "own process group and a run-id variable: background processes are found and ended with the " +
  "session, or before the next one if the run was killed. A process that left the group, " +
  "cleared its environment and soon lost its parent may outlive them, and a session can kill the " +
  "run. Stint's state folder is not hidden";

/** Best first. */
export const KINDS: readonly IsolationKind[] = ["bwrap", "unshare", "group"];

/** `on` demands a namespace, `auto` takes the best that works, `off` takes the group. */
export function chooseIsolation(wanted: "auto" | "on" | "off"): Isolation {
  // Trying costs some milliseconds of every run: the first that works will do.
  const kind = wanted === "off" ? "group" : (KINDS.find(isAvailable) ?? "group");
  if (wanted === "on" && kind === "group") {
    throw new StintError(
      "bad-input",
      `isolation is on, but no pid namespace can be made on this machine (${reasons()})`,
      process.platform === "linux"
        ? "install bubblewrap (apt install bubblewrap, dnf install bubblewrap) or allow " +
            "unprivileged user namespaces; or set isolation: auto"
        : "namespaces exist on Linux only; set isolation: auto",
    );
  }
  return isolationOf(kind);
}

export function isolationOf(kind: IsolationKind): Isolation {
  return { kind, guarantees: kind === "group" ? GROUP : `${NAMESPACE}. ${whatIsHidden(kind)}` };
}

/** Whether children see their view; otherwise they see what is there. */
export function showsViews(
  isolation: Isolation,
): isolation is Isolation & { readonly kind: NamespaceKind } {
  return isolation.kind !== "group";
}

/** Why no walls can be put around a child; null where they hold. */
export function whyNoWalls(isolation: Isolation): string | null {
  if (!showsViews(isolation)) {
    return process.platform === "linux"
      ? "sessions run without a namespace"
      : "walls need the namespaces of Linux";
  }
  return namespaceOf(isolation.kind).whyNoWalls ?? null;
}

/** The same of walls that nobody inside may undo. */
export function whyNoStrictWalls(isolation: Isolation): string | null {
  const why = whyNoWalls(isolation);
  if (why !== null || !showsViews(isolation)) return why;
  return namespaceOf(isolation.kind).isLocked ? null : "a session that runs as root could undo it";
}

/** As the first process of a namespace a program would not die of SIGTERM; bwrap has one of its own. */
const NOT_THE_FIRST = ["/bin/sh", "-c", `"$@"; exit "$?"`, "sh"];

/** The words to put before a person's own shell, which keeps its terminal. None without a namespace. */
export function terminalWords(isolation: Isolation, view: View, cwd: string): string[] {
  if (!showsViews(isolation)) return [];
  const namespace = namespaceOf(isolation.kind);
  const words = namespace.words(view, cwd, true);
  if (isolation.kind === "unshare") words.push(...NOT_THE_FIRST);
  if (namespace.users === undefined) return words;
  // Nothing but its standard streams is passed on to it, so it opens the descriptor itself.
  const [open, close] = [`exec ${USERS}<"$0"; exec "$@"`, `exec ${USERS}<&-; exec "$@"`];
  const here = `/proc/${process.pid}/fd/${namespace.users}`;
  return ["/bin/sh", "-c", open, here, ...words, "/bin/sh", "-c", close, "sh"];
}

function whatIsHidden(kind: NamespaceKind): string {
  const isRoot = process.getuid?.() === 0;
  const result = tryNamespace(kind);
  if ("namespace" in result && !result.namespace.isLocked) {
    return `${HIDDEN}; a session that runs as root could uncover it`;
  }
  const locked = `${HIDDEN}, and no mount can be undone from inside`;
  return isRoot
    ? `${locked}. A session that runs as root has root's rights to files and disks, but not to the ` +
        "network's settings and ports below 1024; one that attacks on purpose finds other ways"
    : locked;
}

export function isAvailable(kind: IsolationKind): boolean {
  return kind === "group" || "namespace" in tryNamespace(kind);
}

/** Throws a StintError where it does not work. */
export function namespaceOf(kind: NamespaceKind): Namespace {
  const result = tryNamespace(kind);
  if ("namespace" in result) return result.namespace;
  throw new StintError(
    "bad-input",
    `isolation by ${kind} does not work: ${result.why}`,
    "set isolation: auto",
  );
}

function reasons(): string {
  const why = (kind: NamespaceKind): string => {
    const result = tryNamespace(kind);
    return `${kind}: ${"why" in result ? result.why : "works"}`;
  };
  return `${why("bwrap")}; ${why("unshare")}`;
}

export interface NamespaceRefusal {
  readonly why: string;
  readonly fix: string;
}

interface Switch extends NamespaceRefusal {
  readonly file: string;
  readonly off: string;
}

/** Files that a distribution sets to forbid it; the first that does is told. */
const SWITCHES: readonly Switch[] = [
  {
    file: "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
    off: "1",
    why: "AppArmor denies user namespaces to programs without a profile (default since Ubuntu 24.04) (kernel.apparmor_restrict_unprivileged_userns is 1)",
    fix: "allow bubblewrap alone: a file /etc/apparmor.d/bwrap with `abi <abi/4.0>, include <tunables/global> profile bwrap /usr/bin/bwrap flags=(unconfined) { userns, }`, then: sudo apparmor_parser -r /etc/apparmor.d/bwrap; or allow all programs: sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0",
  },
  {
    file: "/proc/sys/kernel/unprivileged_userns_clone",
    off: "0",
    why: "the kernel denies user namespaces to ordinary users (kernel.unprivileged_userns_clone is 0)",
    fix: "sudo sysctl -w kernel.unprivileged_userns_clone=1",
  },
  {
    file: "/proc/sys/user/max_user_namespaces",
    off: "0",
    why: "the kernel allows no user namespaces (user.max_user_namespaces is 0)",
    fix: "sudo sysctl -w user.max_user_namespaces=15000",
  },
];

/**
 * Why this system lets an ordinary user make no namespace, where it says so, and what allows it again. Null
 * where nothing known forbids it, or to root, whom these do not bind.
 */
export function namespaceRefusal(
  read: (file: string) => string | null = readIfThere,
  isRoot: boolean = process.getuid?.() === 0,
): NamespaceRefusal | null {
  if (isRoot) return null;
  const found = SWITCHES.find(({ file, off }) => read(file)?.trim() === off);
  return found === undefined ? null : { why: found.why, fix: found.fix };
}

function readIfThere(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return null;
  }
}
