// Ends what a run that is gone left behind, before anything new starts. A process belongs to that
// run if it is the recorded one (pid, start time and boot), is under such a process, or carries the
// run's variables. One that only has the recorded pid is somebody else's.
import { StintError } from "../core/stint-error.ts";
import { endProcesses } from "./end-processes.ts";
import { Family } from "./namespace/family.ts";
import { variablesOfRun } from "./run-variables.ts";
import type { ProcessRecord } from "./process-record.ts";
import { bootId, pidNamespace } from "./process-table.ts";

const KILL_MS = 5000;

/** How many were ended. Throws when one of them cannot be. */
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
