// The variables by which descendants are found. Agents and tools pass their environment on, so a
// mark reaches processes that left the group and lost their parent.
//
// STINT_RUN_ID says which run a process belongs to. A run inside a session of another run sets its
// own, so each child also gets a variable with a name of its own, which nothing overwrites.
import { randomBytes } from "node:crypto";
import type { RunId } from "../core/ids.ts";

export const RUN_ID_VARIABLE = "STINT_RUN_ID";
const CHILD_VARIABLE = "STINT_CHILD_";

export interface Mark {
  readonly variables: Readonly<Record<string, string>>;
  /** What finds this child's descendants and no others of the run. */
  readonly beginning: string;
}

export function newMark(runId: RunId): Mark {
  const name = `${childVariable(runId)}${randomBytes(6).toString("hex")}`;
  return { variables: { [RUN_ID_VARIABLE]: runId, [name]: "1" }, beginning: `${name}=` };
}

/** What finds every process of a run. */
export function marksOfRun(runId: RunId): string[] {
  return [`${RUN_ID_VARIABLE}=${runId}`, childVariable(runId)];
}

/** Whether a variable is such a mark, which no child may lose. */
export function isMark(name: string): boolean {
  return name === RUN_ID_VARIABLE || name.startsWith(CHILD_VARIABLE);
}

/** Shells drop variables whose names are no words, so the id goes in without its dash. */
function childVariable(runId: RunId): string {
  return `${CHILD_VARIABLE}${runId.replace(/\W/g, "_")}_`;
}
