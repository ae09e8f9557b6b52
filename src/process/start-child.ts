// Starts one child behind a shell that waits for a word on descriptor 3 before it becomes
// the program. What must be written down about the child is written while it waits; if this
// process dies first, the shell reads the end of its channel and leaves.
//
// In a namespace the shell stays: it reports how the program ended and keeps the
// namespace open, so that background processes get the chance to end politely. When the channel
// closes it leaves, and the kernel ends whatever is still in the namespace.
//
// The kernel ties a namespace to the thread that started it: start children from the main thread.
// It is the system's shell, so variables whose names are no words (`A-B`) may get lost.
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import type { Socket } from "node:net";
import { constants } from "node:os";
import type { Readable } from "node:stream";
import type { RunId } from "../core/ids.ts";
import { StintError } from "../core/stint-error.ts";
import { newRunVariables } from "./child-environment.ts";
import {
  type ChildStreams,
  feed,
  inheritedDescriptors,
  openStreams,
  type Output,
} from "./child-streams.ts";
import { checkFolder, type ChildCommand, findProgram } from "./find-program.ts";
import { type Isolation, namespaceOf, showsViews } from "./namespace/isolation.ts";
import { followBehind, type View } from "./namespace/view.ts";
import {
  bootId,
  findProcess,
  innerPid,
  pidNamespace,
  type ProcessEntry,
  type ProcessRecord,
} from "./process-table.ts";

export interface Start {
  readonly command: ChildCommand;
  readonly runId: RunId;
  readonly isolation: Isolation;
  /** What the child sees; its working folder and its program are found in there. */
  readonly view: View;
  readonly combined: boolean;
  /** Called while the program waits. If it throws, the program never runs. */
  readonly onStarted?: ((record: ProcessRecord) => void) | undefined;
}

export interface StartedChild {
  readonly process: ChildProcess;
  readonly record: ProcessRecord;
  /** What finds its descendants by their environment. */
  readonly variable: string;
  /** Says "go" to the shell; carries what it reports; closing it ends the namespace. */
  readonly channel: Socket;
  readonly outputs: readonly Output[];
}

/** Throws a StintError when there is nothing to start; then nothing was started. */
export function startChild(start: Start): StartedChild {
  const { command, isolation } = start;
  const { words, users } = wordsOf(start);
  // The folder of a view is entered behind its mounts: before them it is the one that they cover.
  const cwd = showsViews(isolation) ? "/" : command.cwd;
  const own = newRunVariables(start.runId);
  const streams = openStreams({ stdin: command.stdin, combined: start.combined });
  const stdio = [...streams.stdio, "pipe" as const, ...(users === undefined ? [] : [users])];
  const child = spawnWith(words, { ...command, cwd }, own.variables, streams, stdio);
  const channel = child.stdio[CHANNEL] as Socket;
  // The other side may be gone at any time; how the child ended is told by its exit.
  channel.on("error", () => {});
  const record = recordOf(child, start);
  try {
    start.onStarted?.(record);
  } catch (error) {
    channel.destroy();
    child.kill("SIGKILL");
    streams.discard();
    throw error;
  }
  channel.write("go\n");
  feed(child.stdin, command.stdin);
  return {
    process: child,
    record,
    variable: own.beginning,
    channel,
    outputs: streams.outputs(child),
  };
}

/** The absolute path of the program as the child sees it; its folder is there as well, or it is refused. */
export function programIn(command: ChildCommand, isolation: Isolation, view: View): string {
  const place = (path: string): string | undefined =>
    showsViews(isolation) ? followBehind(view, path) : path;
  checkFolder(command.cwd, place);
  return findProgram(command, place);
}

/** The words, and the descriptor that they need after the channel. */
function wordsOf({ command, isolation, view }: Start): { words: string[]; users?: number } {
  const program = [programIn(command, isolation, view), ...command.args];
  if (!showsViews(isolation)) return { words: ["/bin/sh", "-c", WAITING_SHELL, "sh", ...program] };
  const namespace = namespaceOf(isolation.kind);
  const words = namespace.words(view, command.cwd);
  return { ...namespace, words: [...words, "/bin/sh", "-c", WATCHING_SHELL, "sh", ...program] };
}

function spawnWith(
  words: readonly string[],
  { program, cwd, env }: ChildCommand,
  variables: Readonly<Record<string, string>>,
  streams: ChildStreams,
  stdio: (number | "pipe" | "ignore")[],
): ChildProcess {
  const [file = "", ...args] = words;
  const nothing = openSync("/dev/null", "r");
  const wanted = stdio.length;
  for (const fd of inheritedDescriptors().filter((each) => each >= wanted)) {
    while (stdio.length < fd) stdio.push("ignore");
    stdio[fd] = nothing;
  }
  try {
    // Its own session: no terminal, and no signal meant for the group of this process.
    const child = spawn(file, args, { cwd, env: { ...env, ...variables }, detached: true, stdio });
    if (child.pid !== undefined) return child;
    child.on("error", () => {});
    throw new Error("no process or no descriptor is free (EAGAIN, EMFILE or ENFILE)");
  } catch (cause) {
    streams.discard();
    throw cannotStart(program, cause);
  } finally {
    streams.handedOver();
    closeSync(nothing);
  }
}

function cannotStart(program: string, cause: unknown): StintError {
  const { code, message } = cause as NodeJS.ErrnoException;
  const hints: Record<string, string> = {
    E2BIG: "arguments and environment are too long for the system: pass long texts on stdin",
    ERR_INVALID_ARG_VALUE: "remove the NUL byte: it cannot be passed to a program",
  };
  const hint =
    hints[code ?? ""] ??
    "end other programs or raise the limits (ulimit -u, ulimit -n), then run again";
  return new StintError("bad-input", `${program} cannot be started: ${message}`, hint, { cause });
}

function recordOf(child: ChildProcess, start: Start): ProcessRecord {
  const pid = child.pid ?? 0;
  return {
    run_id: start.runId,
    pid,
    process_start: findProcess(pid)?.start ?? "unknown",
    boot_id: bootId(),
    pid_namespace: pidNamespace(),
    isolation: start.isolation.kind,
  };
}

export interface Exit {
  readonly exitCode: number | null;
  readonly signal: string | null;
}

/** What is said with the shell between Stint and the program goes over this descriptor. */
const CHANNEL = 3;

/** Waits for one line, then becomes the program; at the end of the channel it leaves. */
const WAITING_SHELL = `read -r go <&3 || exit 125; exec 3<&-; exec "$@"`;

/**
 * Tells its pid, waits as well, runs the program, tells how it ended, and stays until the channel is closed.
 * Its own words about how a program died are not the program's output, so it keeps quiet; in a subshell,
 * because some shells redirect themselves while they wait. With descriptor 4 it closes what was handed over
 * there to enter its namespace.
 */
const WATCHING_SHELL = `echo "$$" >&3; read -r go <&3 || exit 125; exec 4>&2 2>/dev/null
(exec "$@" 2>&4 3>&- 4>&-)
echo "$?" >&3; read -r end <&3`;

export class StartShell {
  readonly #root: number;
  #lines: string[] = [];
  #tell: (exit: Exit) => void = () => {};
  /** How the program ended, as the shell saw it. Stays open when the shell dies first. */
  readonly told = new Promise<Exit>((resolve) => (this.#tell = resolve));
  #hear: () => void = () => {};
  /** Its namespace is there. Stays open when there will be none. */
  readonly heard = new Promise<void>((resolve) => (this.#hear = resolve));

  constructor(root: number, channel: Readable) {
    this.#root = root;
    let text = "";
    channel.on("data", (bytes: Buffer) => {
      text += bytes.toString("latin1");
      this.#lines = text.split("\n").slice(0, -1);
      if (this.isThere) this.#hear();
      const status = this.#lines[1];
      if (status !== undefined) this.#tell(exitOf(Number(status)));
    });
  }

  /** Whether it came to start the program at all. */
  get isThere(): boolean {
    return this.#lines.length > 0;
  }

  /**
   * The members that are not there to keep the namespace: its maker, its first process, the shell.
   * None while the shell has not been heard: it would be taken for the program.
   */
  without(members: readonly ProcessEntry[]): ProcessEntry[] {
    if (!this.isThere) return [];
    const own = Number(this.#lines[0]);
    return members.filter(({ pid }) => {
      const inner = innerPid(pid);
      return pid !== this.#root && inner !== 1 && inner !== own;
    });
  }
}

/** A shell tells an end by a signal as 128 and its number. */
export function exitOf(status: number): Exit {
  const signals = Object.entries(constants.signals);
  const signal = signals.find(([, number]) => status === 128 + number)?.[0];
  return signal === undefined ? { exitCode: status, signal: null } : { exitCode: null, signal };
}
