// The variables by which descendants are found. Agents and tools pass their environment on, so a
// variable reaches processes that left the group and lost their parent.
//
// STINT_RUN_ID says which run a process belongs to. A run inside a session of another run sets its
// own, so each child also gets a variable with a name of its own, which nothing overwrites.
import { randomBytes } from "node:crypto";
import type { RunId } from "../core/ids.ts";
import { findProcess, thisMachine } from "./process-table.ts";

export const RUN_ID_VARIABLE = "STINT_RUN_ID";
const CHILD_VARIABLE = "STINT_CHILD_";

export interface RunVariables {
  readonly variables: Readonly<Record<string, string>>;
  /** What finds this child's descendants and no others of the run. */
  readonly beginning: string;
}

export function newRunVariables(runId: RunId): RunVariables {
  const name = `${childVariable(runId)}${randomBytes(6).toString("hex")}`;
  return { variables: { [RUN_ID_VARIABLE]: runId, [name]: "1" }, beginning: `${name}=` };
}

/** What finds every process of a run. */
export function variablesOfRun(runId: RunId): string[] {
  return [`${RUN_ID_VARIABLE}=${runId}`, childVariable(runId)];
}

/** Whether a variable is one of these, which no child may lose. */
export function isRunVariable(name: string): boolean {
  return name === RUN_ID_VARIABLE || name.startsWith(CHILD_VARIABLE);
}

/** Shells drop variables whose names are no words, so the id goes in without its dash. */
function childVariable(runId: RunId): string {
  return `${CHILD_VARIABLE}${runId.replace(/\W/g, "_")}_`;
}

/**
 * How a process was started by a run, in words for a person: by a session, a check, an act or a hook of it. It
 * carries the run's variables, or one of the processes it is under does; who clears its environment still
 * has a parent. Null for a process that no run has started.
 */
export function sessionDescent(
  env: Readonly<Record<string, string | undefined>>,
  pid: number = process.pid,
): string | null {
  const own = Object.keys(env).find((name) => isRunVariable(name) && env[name] !== undefined);
  if (own !== undefined) return `it carries ${own}`;
  const line = lineOf(pid);
  const carriers = thisMachine().carriers([`${RUN_ID_VARIABLE}=`, CHILD_VARIABLE], line);
  const marked = line.find((each) => carriers.has(each));
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
