// The host this process runs on: Linux through /proc, other systems through ps and sysctl.
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { setTimeout as wait } from "node:timers/promises";
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
    process_start: processStart(process.pid) ?? "unknown",
  };
}

function bootId(): string {
  const linux = attempt(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim());
  return linux ?? attempt(() => runForText("sysctl", ["-n", "kern.bootsessionuuid"])) ?? "unknown";
}

function pidNamespace(): string {
  return attempt(() => readlinkSync("/proc/self/ns/pid")) ?? "host";
}

function processState(pid: number, start: string): ProcessState {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM means that it exists and belongs to someone else.
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return "dead";
  }
  const now = processStart(pid);
  if (now === "zombie") return "dead";
  if (now === undefined || start === "unknown") return "unknown";
  return now === start ? "alive" : "dead";
}

/** The start time of a process, "zombie" for one that ended and was not reaped, or undefined. */
function processStart(pid: number): string | undefined {
  const stat = attempt(() => readFileSync(`/proc/${pid}/stat`, "latin1"));
  if (stat !== undefined) {
    // The name stands in parentheses and may itself hold spaces and parentheses.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const state = fields[0];
    return state === "Z" || state === "X" ? "zombie" : fields[19];
  }
  if (process.platform === "linux") return undefined;
  const ps = attempt(() => runForText("ps", ["-o", "stat=,lstart=", "-p", String(pid)]));
  if (ps === undefined) return undefined;
  return ps.startsWith("Z") ? "zombie" : ps.replace(/^\S+\s+/, "");
}

function runForText(program: string, args: readonly string[]): string {
  return execFileSync(program, args, {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  }).trim();
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
