// The host this process runs on.
import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { setTimeout as wait } from "node:timers/promises";
import { bootId, findProcess, pidNamespace } from "../process/process-table.ts";
import type { Host, ProcessIdentity, ProcessState } from "./host.ts";

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
