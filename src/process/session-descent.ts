// Whether a process was started by a run: by a session, a check, an act or a hook of it. It carries the
// run's variables, or one of the processes it is under does; who clears its environment still has a parent.
import { readFileSync } from "node:fs";
import { isRunVariable } from "./run-variables.ts";
import { findProcess, thisMachine } from "./process-table.ts";

/** In words for a person, or null for a process that no run has started. */
export function sessionDescent(
  env: Readonly<Record<string, string | undefined>>,
  pid: number = process.pid,
): string | null {
  const own = Object.keys(env).find((name) => isRunVariable(name) && env[name] !== undefined);
  if (own !== undefined) return `it carries ${own}`;
  const marked = markedAmong(lineOf(pid));
  return marked === undefined
    ? null
    : `process ${marked}, which it is under, carries a variable of the run`;
}

/** The process and everything it is under, as far as this pid namespace tells. */
function lineOf(pid: number): number[] {
  const line: number[] = [];
  for (let at: number | undefined = pid; at !== undefined && at > 0 && !line.includes(at);) {
    line.push(at);
    at = findProcess(at)?.parent;
  }
  return line;
}

function markedAmong(pids: readonly number[]): number | undefined {
  if (process.platform === "linux") return pids.find(carriesRunVariable);
  const carriers = thisMachine().carriers(["STINT_RUN_ID=", "STINT_CHILD_"]);
  return pids.find((pid) => carriers.has(pid));
}

function carriesRunVariable(pid: number): boolean {
  let environment: string;
  try {
    environment = readFileSync(`/proc/${pid}/environ`, "latin1");
  } catch {
    // Another account's: not one of ours.
    return false;
  }
  return environment.split("\0").some((entry) => isRunVariable(entry.split("=", 1)[0] ?? ""));
}
