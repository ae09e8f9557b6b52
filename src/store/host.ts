// The machine as the store sees it: a clock, randomness, and who is alive. Everything that assumes
// one host's pid or clock goes through here.
import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { setTimeout as wait } from "node:timers/promises";
import { bootId, findProcess, pidNamespace } from "../process/process-table.ts";

export interface ProcessIdentity {
  readonly host: string;
  /** Changes at every boot. */
  readonly boot_id: string;
  /** Pids compare only within one namespace. */
  readonly pid_namespace: string;
  readonly pid: number;
  /** Start time as the system tells it; a reused pid has another. */
  readonly process_start: string;
}

export type ProcessState = "alive" | "dead" | "unknown";

export interface Host {
  nowMs(): number;
  randomBytes(count: number): Uint8Array;
  /** Does nothing for so long, or until the signal is given. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** Does this every so many ms, until the returned function is called. Keeps no process alive. */
  every(ms: number, act: () => void): () => void;
  self(): ProcessIdentity;
  /** Whether the process with this pid and start time still runs; a zombie is dead. */
  processState(pid: number, processStart: string): ProcessState;
}

/** The host this process runs on. */
export function thisHost(): Host {
  let identity: ProcessIdentity | undefined;
  return {
    nowMs: () => Date.now(),
    randomBytes: (count) => randomBytes(count),
    sleep,
    every,
    self: () => (identity ??= identify()),
    processState,
  };
}

async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  // Only the signal can reject it.
  await wait(ms, undefined, { signal }).catch(() => {});
}

function every(ms: number, act: () => void): () => void {
  const interval = setInterval(act, ms);
  interval.unref();
  return () => clearInterval(interval);
}

function identify(): ProcessIdentity {
  return {
    host: hostname(),
    boot_id: bootId(),
    pid_namespace: pidNamespace(),
    pid: process.pid,
    process_start: findProcess(process.pid)?.start ?? "unknown",
  };
}

function processState(pid: number, start: string): ProcessState {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM means that it exists and belongs to someone else.
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return "dead";
  }
  const found = findProcess(pid);
  if (found?.zombie === true) return "dead";
  if (found === undefined || start === "unknown") return "unknown";
  return found.start === start ? "alive" : "dead";
}
