// What the journal says happened to the tasks of a project: who worked when, what was done, what a
// person took back. Pure. Whatever a line does not say is left out, never guessed.
import {
  type JsonObject,
  numberIn,
  objectIn,
  objectsIn,
  stringIn,
  stringsIn,
} from "./json-line.ts";
import type { JournalEntry } from "./schema/project.ts";

export interface RunSeen {
  readonly run_id: string;
  /** Revision of its first attempt. */
  readonly first: number;
}

export interface AttemptSeen {
  readonly task_id: string;
  readonly revision: number;
  readonly session: number;
  readonly run_id: string;
  /** The task was done already and nobody had reopened it. */
  readonly afterDone: boolean;
}

export interface Completion {
  readonly revision: number;
  /** As it was recorded; null where the line only counts it. */
  readonly evidence: readonly unknown[] | null;
}

export interface History {
  /** Runs that started an attempt, in order. */
  readonly runs: readonly RunSeen[];
  readonly attempts: readonly AttemptSeen[];
  /** Tasks that are done as far as the journal tells, by id. */
  readonly completions: ReadonlyMap<string, Completion>;
  /** Tasks that a person may have reopened in a change too large to be written out. */
  readonly maybeReopened: boolean;
  /** Every task id that any line names. */
  readonly taskIds: ReadonlySet<string>;
  /** Revisions at which the project was created; more than one means that it was made again. */
  readonly created: readonly number[];
  /** Revisions at which a run found everything preserved before it began. */
  readonly verified: readonly number[];
  /** Lines that are marked as lost by a repair: what they said is not known. */
  readonly lost: number;
}

export function readHistory(lines: readonly JournalEntry[]): History {
  const runs: RunSeen[] = [];
  const attempts: AttemptSeen[] = [];
  const completions = new Map<string, Completion>();
  const taskIds = new Set<string>();
  const created: number[] = [];
  const verified: number[] = [];
  const knownRuns = new Set<string>();
  let maybeReopened = false;
  let lost = 0;
  let inProgress: string | undefined;
  for (const { kind, revision, data = {} } of lines) {
    const task_id = stringIn(data["task_id"]) ?? stringIn(objectIn(data["dispatch"])?.["task_id"]);
    if (task_id !== undefined) taskIds.add(task_id);
    if (kind === "project-created") created.push(revision);
    if (kind === PERSISTENCE_VERIFIED) verified.push(revision);
    if (kind === LINE_LOST) lost += 1;
    // A session that delegates its own task goes on with its attempt; any other delegation is one.
    const isDelegated = kind === "dispatch-sent" && task_id !== inProgress;
    if (task_id !== undefined && (kind === "attempt-started" || isDelegated)) {
      const run_id = stringIn(data["run_id"]) ?? "unknown";
      const session = numberIn(data["session"]) ?? (attempts.at(-1)?.session ?? 0) + 1;
      if (!knownRuns.has(run_id)) runs.push({ run_id, first: revision });
      knownRuns.add(run_id);
      attempts.push({ task_id, revision, session, run_id, afterDone: completions.has(task_id) });
    }
    if (kind === "attempt-started") inProgress = task_id;
    if (ENDS.has(kind)) inProgress = undefined;
    for (const id of reopenedBy(kind, data)) completions.delete(id);
    if (kind === "manifest-adopted" && !Array.isArray(data["tasks"])) maybeReopened = true;
    const done = completionIn(kind, data);
    if (done !== undefined) completions.set(done.task_id, { revision, evidence: done.evidence });
  }
  return { runs, attempts, completions, maybeReopened, taskIds, created, verified, lost };
}

/** The journal's word for: everything was preserved, now work may begin. */
export const PERSISTENCE_VERIFIED = "persistence-verified";

/** The journal's word for a line of which only its place is known. */
export const LINE_LOST = "line-lost";

const ENDS = new Set(["session-ended", "attempt-interrupted", "dispatch-sent"]);

function completionIn(kind: string, data: JsonObject) {
  const source = {
    "checks-recorded": { ...data, ...objectIn(data["result"]) },
    "output-verified": { ...data, passed: true },
    completed: { passed: true, ...objectIn(data["checks"]) },
  }[kind] as JsonObject | undefined;
  const task_id = stringIn(source?.["task_id"]);
  if (source?.["passed"] !== true || task_id === undefined) return undefined;
  const { evidence } = source;
  return { task_id, evidence: Array.isArray(evidence) ? (evidence as unknown[]) : null };
}

/**
 * What was done is taken back by a person, who unchecks its box or reopens the project, and by the run
 * where its commit turned out not to hold what was verified.
 */
function reopenedBy(kind: string, data: JsonObject): readonly string[] {
  if (kind === "task-reopened") return stringsIn([data["task_id"]]);
  if (kind === "reopened") return stringsIn(data["task_ids"]);
  if (kind !== "manifest-adopted") return [];
  return objectsIn(data["tasks"])
    .filter(({ marked }) => marked === "reopened")
    .flatMap(({ intent }) => stringIn(objectIn(intent)?.["id"]) ?? []);
}
