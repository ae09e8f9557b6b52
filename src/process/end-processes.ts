// Ends processes and makes sure that they are gone: SIGTERM, a time to tidy up, SIGKILL until the
// table shows none of them. A zombie is gone.
import { setTimeout as sleep } from "node:timers/promises";
import type { RunId } from "../core/ids.ts";
import { StintError } from "../core/stint-error.ts";
import { Family } from "./family.ts";
import { bootId, pidNamespace, type ProcessEntry, type ProcessRecord } from "./process-table.ts";
import { variablesOfRun } from "./child-environment.ts";

export interface Ending {
  /** Who gets SIGTERM, and is waited for. */
  readonly polite: () => readonly ProcessEntry[];
  /** Who gets SIGKILL when time is up; by default the same. */
  readonly forced?: () => readonly ProcessEntry[];
  readonly killMs: number;
  /** False while more of them may still come to be. */
  readonly isOver?: () => boolean;
}

export interface Outcome {
  /** How many different processes were found. */
  readonly count: number;
  /** How many of them SIGTERM did not end in time. */
  readonly stubborn: number;
  /** Who is still there: stuck in the kernel, or of another account. */
  readonly alive: readonly ProcessEntry[];
}

/** How long the kernel may take to remove what was killed. */
const REMOVAL_MS = 5000;

export async function endProcesses(ending: Ending): Promise<Outcome> {
  const { polite, forced = polite, killMs, isOver = () => true } = ending;
  const found = new Set<string>();
  const terminate = (list: readonly ProcessEntry[]): void => {
    for (const { pid, start } of list) {
      // Once: a program may take a second SIGTERM for impatience and skip its tidying up.
      if (!found.has(`${pid} ${start}`)) send(pid, "SIGTERM");
      found.add(`${pid} ${start}`);
    }
  };
  const stubborn = await until(polite, killMs, terminate, isOver);
  const alive = stubborn.length === 0 && isOver() ? [] : await killed(forced, REMOVAL_MS);
  return { count: found.size, stubborn: stubborn.length, alive };
}

/** Waits, without a signal, until none is left; kills what stays longer than it may. */
export async function seeGone(members: () => readonly ProcessEntry[], ms: number): Promise<void> {
  const left = await until(members, ms, () => {});
  if (left.length > 0) await killed(members, REMOVAL_MS);
}

function killed(
  members: () => readonly ProcessEntry[],
  ms: number,
): Promise<readonly ProcessEntry[]> {
  return until(members, ms, (list) => list.forEach(({ pid }) => send(pid, "SIGKILL")));
}

/** Looks, acts on what it sees, and looks again until nothing is left or the time is over. */
async function until(
  members: () => readonly ProcessEntry[],
  ms: number,
  act: (list: readonly ProcessEntry[]) => void,
  isOver = () => true,
): Promise<readonly ProcessEntry[]> {
  const end = performance.now() + ms;
  for (let pause = 2; ; pause = Math.min(pause * 2, 100)) {
    const list = members();
    if (list.length === 0 && isOver()) return list;
    act(list);
    const rest = end - performance.now();
    if (rest <= 0) return list;
    await sleep(Math.min(pause, rest));
  }
}

function send(pid: number, signal: "SIGTERM" | "SIGKILL"): void {
  try {
    process.kill(pid, signal);
  } catch {
    // Gone since the table was read, or not ours to end; the next look tells which.
  }
}

/** Time for whoever started them to note that their end is wanted, before they are seen to be gone. */
const FIRST_KILL_MS = 250;

/**
 * Kills, without asking, whatever a run has started and starts from now on. Whoever started a process sees it gone and
 * goes on from there. @returns how to end this
 */
export function killProcessesOfRun(runId: RunId): () => void {
  const family = new Family({ group: false, variables: variablesOfRun(runId) });
  const timer = setInterval(
    () => family.members().forEach(({ pid }) => send(pid, "SIGKILL")),
    FIRST_KILL_MS,
  );
  return () => clearInterval(timer);
}

const KILL_MS = 5000;

/**
 * Ends what a run that is gone left behind, before anything new starts. A process belongs to that
 * run if it is the recorded one (pid, start time and boot), is under such a process, or carries the
 * run's variables. One that only has the recorded pid is somebody else's.
 * @returns how many were ended. Throws when one of them cannot be.
 */
export async function endProcessesOfRun(
  record: ProcessRecord,
  options: { readonly killMs?: number } = {},
): Promise<number> {
  // Nothing outlives a boot.
  if (record.boot_id !== bootId()) return 0;
  // In another pid namespace the same number is another process; the variable counts everywhere.
  const isOurs = record.pid_namespace === pidNamespace() && record.process_start !== "unknown";
  const family = new Family({
    ...(isOurs ? { root: { pid: record.pid, start: record.process_start } } : {}),
    // A group outlives its first process, but then its number alone proves nothing.
    group: false,
    variables: variablesOfRun(record.run_id),
  });
  const { count, alive } = await endProcesses({
    polite: () => family.members(),
    killMs: options.killMs ?? KILL_MS,
  });
  if (alive.length === 0) return count;
  const pids = alive.map(({ pid }) => pid).join(" ");
  throw new StintError(
    "lease-held",
    `processes of run ${record.run_id} are still alive and cannot be ended: ${pids}`,
    `end them, then run again: kill -9 ${pids}`,
  );
}
