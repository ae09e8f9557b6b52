// Which kind of care a child gets on this machine. A pid namespace is ended whole by the kernel,
// also when the run is killed; a process group is a matter of finding who belongs to it.
//
// Whether a kind works is tried, not guessed: distributions and containers forbid namespaces in
// many ways. Each kind is tried once per process.
import { spawnSync } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { StintError } from "../core/stint-error.ts";
import { whichProgram } from "./find-program.ts";
import { pidNamespace } from "./process-table.ts";

export type IsolationKind = "bwrap" | "unshare" | "group";

export interface Isolation {
  readonly kind: IsolationKind;
  /** What holds on this machine, for a person to read. */
  readonly guarantees: string;
}

const NAMESPACE =
  "own pid namespace: when the session or the run ends, even by kill -9, the kernel ends every " +
  "process started in it; work handed to an outside service (docker, systemd, cron) is not in it";

const GUARANTEES: Record<IsolationKind, string> = {
  bwrap: `${NAMESPACE}. Stint's state folder is hidden; a session that runs as root could uncover it`,
  unshare: `${NAMESPACE}. Stint's state folder is not hidden`,
  group:
    "own process group and a run-id variable: background processes are found and ended with the " +
    "session, or before the next one if the run was killed. A process that left the group, " +
    "cleared its environment and soon lost its parent is not found, and a session can kill the " +
    "run. Stint's state folder is not hidden",
};

/** Best first. */
const KINDS: readonly IsolationKind[] = ["bwrap", "unshare", "group"];

/** `on` demands a namespace, `auto` takes the best that works, `off` takes the group. */
export function chooseIsolation(wanted: "auto" | "on" | "off"): Isolation {
  // Trying costs some milliseconds of every run: the first that works will do.
  const kind = wanted === "off" ? "group" : (KINDS.find(works) ?? "group");
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

/** The kinds that work here, best first; the group always does. */
export function availableKinds(): IsolationKind[] {
  return KINDS.filter(works);
}

function works(kind: IsolationKind): boolean {
  return kind === "group" || wrapperOf(kind).words !== undefined;
}

export function isolationOf(kind: IsolationKind): Isolation {
  return { kind, guarantees: GUARANTEES[kind] };
}

/** The words to put before a command so that it runs in a namespace of this kind. */
export function namespaceWords(kind: "bwrap" | "unshare", hide: readonly string[]): string[] {
  const { words, why } = wrapperOf(kind);
  if (words === undefined) {
    throw new StintError(
      "bad-input",
      `isolation by ${kind} does not work: ${why}`,
      "set isolation: auto",
    );
  }
  if (kind === "unshare") return [...words, "--"];
  // A folder that is not there has nothing to hide, and bwrap would create it for real.
  const hidden = hide.filter((path) => existsSync(path)).map((path) => realpathSync(path));
  return [...words, ...hidden.flatMap((path) => ["--tmpfs", path]), "--"];
}

function reasons(): string {
  return `bwrap: ${wrapperOf("bwrap").why}; unshare: ${wrapperOf("unshare").why}`;
}

interface Wrapper {
  readonly words?: readonly string[];
  readonly why?: string;
}

const tried = new Map<"bwrap" | "unshare", Wrapper>();

function wrapperOf(kind: "bwrap" | "unshare"): Wrapper {
  let wrapper = tried.get(kind);
  if (wrapper === undefined) {
    wrapper = firstThatWorks(kind === "bwrap" ? bwrapVariants() : unshareVariants());
    tried.set(kind, wrapper);
  }
  return wrapper;
}

function bwrapVariants(): string[][] {
  // Its own session, so that `kill 0` inside cannot reach bwrap outside.
  const options = "--dev-bind / / --unshare-pid --proc /proc --die-with-parent --new-session";
  return [["bwrap", ...options.split(" ")]];
}

function unshareVariants(): string[][] {
  const before = ["setpriv", "--pdeathsig", "KILL", "unshare"];
  const pid = ["--pid", "--fork", "--kill-child", "--mount-proc"];
  const user = ["--user", "--map-current-user"];
  // Root needs no user namespace and may be denied one; everyone else needs it.
  const plain = [...before, ...pid];
  const mapped = [...before, ...user, ...pid];
  return process.getuid?.() === 0 ? [plain, mapped] : [mapped, plain];
}

function firstThatWorks(variants: readonly (readonly string[])[]): Wrapper {
  let why = "there is nothing to try";
  if (process.platform !== "linux") return { why: "only on Linux" };
  for (const variant of variants) {
    const words = variant.map(absolute);
    const missing = words.find((word) => word.startsWith("no "));
    why = missing ?? tryOut([...words, "--"]) ?? "works";
    if (why === "works") return { words };
  }
  return { why };
}

/** The programs of a variant by absolute path: the child's PATH is not ours. */
function absolute(word: string): string {
  if (!["bwrap", "setpriv", "unshare"].includes(word)) return word;
  return whichProgram(word, process.env["PATH"]) ?? `no ${word} is installed`;
}

/** Runs a tiny command in the wrapper; undefined when it was in another pid namespace. */
function tryOut([program = "", ...words]: readonly string[]): string | undefined {
  const readlink = whichProgram("readlink", process.env["PATH"]) ?? "readlink";
  const args = [...words, readlink, "/proc/self/ns/pid"];
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    encoding: "utf8",
    timeout: 10_000,
    killSignal: "SIGKILL",
    stdio: ["ignore", "pipe", "pipe"],
  });
  if (error !== undefined) return error.message;
  if (status !== 0) return stderr.trim().split("\n")[0] ?? `exit code ${status}`;
  return stdout.trim() === pidNamespace() ? "it made no namespace" : undefined;
}
