// Ends processes and makes sure that they are gone: SIGTERM, a time to tidy up, SIGKILL until the
// table shows none of them. A zombie is gone.
import { setTimeout as sleep } from "node:timers/promises";
import type { ProcessEntry } from "./process-table.ts";

export interface Ending {
  /** Who gets SIGTERM, and is waited for. */
  readonly polite: () => readonly ProcessEntry[];
  /** Who gets SIGKILL when time is up; by default the same. */
  readonly forced?: () => readonly ProcessEntry[];
  readonly killMs: number;
}

export interface Outcome {
  /** How many different processes were found. */
  readonly count: number;
  /** Who is still there: stuck in the kernel, or of another account. */
  readonly alive: readonly ProcessEntry[];
}

/** How long the kernel may take to remove what was killed. */
const REMOVAL_MS = 5000;

export async function endProcesses(ending: Ending): Promise<Outcome> {
  const found = new Set<string>();
  const asked = (signal: "SIGTERM" | "SIGKILL", list: readonly ProcessEntry[]): void => {
    for (const entry of list) {
      const key = `${entry.pid} ${entry.start}`;
      // SIGTERM once: a program may take a second one for impatience and skip its tidying up.
      if (signal === "SIGKILL" || !found.has(key)) send(entry.pid, signal);
      found.add(key);
    }
  };
  const politely = await until(ending.polite, ending.killMs, (list) => asked("SIGTERM", list));
  if (politely.length === 0) return { count: found.size, alive: [] };
  const forced = ending.forced ?? ending.polite;
  const counted = found.size;
  const alive = await until(forced, REMOVAL_MS, (list) => asked("SIGKILL", list));
  return { count: ending.forced === undefined ? found.size : counted, alive };
}

/** Waits, without a signal, until none is left; kills what stays longer than it may. */
export async function seeGone(members: () => readonly ProcessEntry[], ms: number): Promise<void> {
  const left = await until(members, ms, () => {});
  if (left.length === 0) return;
  await until(members, REMOVAL_MS, (list) => list.forEach(({ pid }) => send(pid, "SIGKILL")));
}

/** Looks, acts on what it sees, and looks again until nothing is left or the time is over. */
async function until(
  members: () => readonly ProcessEntry[],
  ms: number,
  act: (list: readonly ProcessEntry[]) => void,
): Promise<readonly ProcessEntry[]> {
  const end = performance.now() + ms;
  for (let pause = 2; ; pause = Math.min(pause * 2, 100)) {
    const list = members();
    if (list.length === 0) return list;
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
