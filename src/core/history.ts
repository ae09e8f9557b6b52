// What the journal says happened to the tasks of a project, and whether state and journal hold together. Pure.
// Whatever a line does not say is left out, never guessed.
import {
  type JsonObject,
  numberIn,
  objectIn,
  objectsIn,
  stringIn,
  stringsIn,
} from "./json-line.ts";
import type { EndTold } from "./events.ts";
import type { JournalEntry, ProjectState } from "./schema/project.ts";
import type { Evidence, Task } from "./schema/task.ts";

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
      const session = sessionBegunBy(kind, data)?.session ?? (attempts.at(-1)?.session ?? 0) + 1;
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

/** The session that a line of the journal starts, in hand or beside others, and its task. */
export function sessionBegunBy(
  kind: string,
  data: JsonObject,
): { readonly session: number; readonly task_id: string } | null {
  const sent = kind === "dispatch-sent" ? objectIn(data["dispatch"]) : undefined;
  const of = kind === "attempt-started" ? data : sent;
  const task_id = stringIn(of?.["task_id"]);
  const session = numberIn(of === sent ? objectIn(sent?.["worker"])?.["session"] : of?.["session"]);
  return task_id === undefined || session === undefined ? null : { session, task_id };
}

/** The end of a session that a line of the journal tells, where it did not simply finish or ask. */
export function sessionEndIn(data: JsonObject): (EndTold & { readonly task_id: string }) | null {
  const ended = objectIn(data["ended"]);
  const task_id = stringIn(data["task_id"]);
  const session = numberIn(ended?.["session"]);
  const words = stringIn(ended?.["words"]);
  if (task_id === undefined || session === undefined || words === undefined) return null;
  const log = stringIn(ended?.["log"]);
  return { task_id, session, words, ...(log !== undefined && { log }) };
}

/** The journal's word for: everything was preserved, now work may begin. */
export const PERSISTENCE_VERIFIED = "persistence-verified";

/** The journal's word for a line of which only its place is known. */
export const LINE_LOST = "line-lost";

const ENDS = new Set(["session-ended", "attempt-interrupted", "dispatch-sent"]);

function completionIn(kind: string, data: JsonObject) {
  const sources: Readonly<Record<string, JsonObject>> = {
    "checks-recorded": { ...data, ...objectIn(data["result"]) },
    "output-verified": { ...data, passed: true },
    completed: { passed: true, ...objectIn(data["checks"]) },
  };
  const source = sources[kind];
  const task_id = stringIn(source?.["task_id"]);
  if (source?.["passed"] !== true || task_id === undefined) return undefined;
  const { evidence } = source;
  return { task_id, evidence: Array.isArray(evidence) ? (evidence as unknown[]) : null };
}

/**
 * What was done is taken back by a person, who unchecks its box, gives it other checks or reopens the project, and by
 * the run where its commit turned out not to hold what was verified.
 */
function reopenedBy(kind: string, data: JsonObject): readonly string[] {
  if (kind === "task-reopened") return stringsIn([data["task_id"]]);
  if (kind === "reopened") return stringsIn(data["task_ids"]);
  if (kind !== "manifest-adopted") return [];
  return objectsIn(data["tasks"])
    .filter(({ marked }) => marked === "reopened" || marked === "checks-changed")
    .flatMap(({ intent }) => stringIn(objectIn(intent)?.["id"]) ?? []);
}

// "Proper cross-session persistence?" as far as state and journal can tell: the same ids, nothing
// done that came undone, nothing done twice, nothing missing in between. Where lines of the journal are
// lost, the state may know more than the journal, never less. Pure.

export const CRITERIA = {
  "id-continuity": "TaskList ID continuity",
  "status-preservation": "Status preservation",
  "seamless-continuation": "Seamless continuation",
} as const;

export type CriterionId = keyof typeof CRITERIA;

/** What is wrong, by criterion; nothing is wrong where a list is empty. */
export type PersistenceProblems = Readonly<Record<CriterionId, readonly string[]>>;

export const NO_PROBLEMS: PersistenceProblems = {
  "id-continuity": [],
  "status-preservation": [],
  "seamless-continuation": [],
};

export function judgePersistence(
  state: ProjectState,
  lines: readonly JournalEntry[],
): PersistenceProblems {
  const history = readHistory(lines);
  return {
    "id-continuity": idProblems(state, history),
    "status-preservation": statusProblems(state, history),
    "seamless-continuation": [
      ...journalProblems(state, lines),
      ...sessionProblems(state, history),
      ...attemptProblems(state, history),
    ],
  };
}

function idProblems(state: ProjectState, { created, taskIds }: History): string[] {
  const known = new Set<string>(state.tasks.map(({ id }) => id));
  const problems = [...taskIds]
    .filter((id) => !known.has(id))
    .map((id) => `the journal names task ${id}, which the state does not have`);
  if (known.size !== state.tasks.length) problems.push("two tasks have the same id");
  if (created.length > 1) {
    problems.push(`the project was created again at revision ${created.slice(1).join(", ")}`);
  }
  return problems;
}

/** What a repair could not bring back, for who must know that everything is there. */
export function lostLines(lines: readonly JournalEntry[]): string[] {
  const { lost } = readHistory(lines);
  return lost === 0 ? [] : [`${lost} lines of the journal are lost`];
}

function statusProblems(
  state: ProjectState,
  { completions, maybeReopened, lost }: History,
): string[] {
  const problems: string[] = [];
  for (const task of state.tasks) {
    const said = completions.get(task.id);
    const kept = completionOf(task);
    if (said === undefined) {
      const isOwn = kept?.some((evidence) => evidence.kind !== "person") ?? false;
      if (isOwn && lost === 0)
        problems.push(`${task.id} is done, but the journal does not say how`);
    } else if (kept === null) {
      if (!maybeReopened)
        problems.push(`${task.id} was done at revision ${said.revision}, but is ${task.status}`);
    } else if (said.evidence !== null && !isSame(said.evidence, kept)) {
      problems.push(`${task.id} has other evidence than at revision ${said.revision}`);
    }
  }
  return problems;
}

function journalProblems(state: ProjectState, lines: readonly JournalEntry[]): string[] {
  const gap = lines.findIndex((line, index) => line.revision !== index + 1);
  if (gap !== -1) return [`the journal has a gap before revision ${lines[gap]?.revision}`];
  if (lines.length === state.revision) return [];
  return [`the journal ends at revision ${lines.length}, the state at ${state.revision}`];
}

function sessionProblems(state: ProjectState, { attempts, lost }: History): string[] {
  const problems: string[] = [];
  let last = 0;
  for (const { session } of attempts) {
    const isNext = lost === 0 ? session <= last + 1 : true;
    if (session < last || !isNext) {
      problems.push(`session ${session} follows session ${last}`);
    }
    last = session;
  }
  const { sessions } = state.counters;
  if (lost === 0 ? last !== sessions : last > sessions) {
    problems.push(`the state counts ${sessions} sessions, the journal ${last}`);
  }
  return problems;
}

function attemptProblems(
  state: ProjectState,
  { attempts, maybeReopened, lost }: History,
): string[] {
  const counts = new Map<string, number>();
  for (const { task_id } of attempts) counts.set(task_id, (counts.get(task_id) ?? 0) + 1);
  const miscounted = state.tasks
    .filter((task) => {
      const seen = counts.get(task.id) ?? 0;
      return lost === 0 ? task.attempts !== seen : task.attempts < seen;
    })
    .map(
      ({ id, attempts: counted }) =>
        `${id} counts ${counted} attempts in the state, ${counts.get(id) ?? 0} in the journal`,
    );
  const repeated = attempts
    .filter(({ afterDone }) => afterDone && !maybeReopened)
    .map(
      ({ task_id, revision }) =>
        `${task_id} was executed again at revision ${revision}, after it was done`,
    );
  return [...miscounted, ...repeated];
}

/** The evidence of a task that is done, or was when it was taken out of the manifest. */
export function completionOf(task: Task): readonly Evidence[] | null {
  if (task.status === "done") return task.evidence;
  return task.status === "superseded" ? (task.completion?.evidence ?? null) : null;
}

/** A record that a state names, with the digest of its content. */
export interface NamedRecord {
  /** A task, or the proof. */
  readonly of: string;
  readonly path: string;
  readonly sha256: string;
}

/** Every record of a check that a done task names, and that of the proof. */
export function namedRecords({ tasks, proof }: ProjectState): NamedRecord[] {
  const ofTasks = tasks.flatMap((task) =>
    (completionOf(task) ?? []).flatMap((evidence) =>
      evidence.kind === "check"
        ? [{ of: task.id, path: evidence.path, sha256: evidence.sha256 }]
        : [],
    ),
  );
  if (proof === undefined || proof.kind === "not-proven") return ofTasks;
  return [...ofTasks, { of: "the proof", path: proof.path, sha256: proof.sha256 }];
}

function isSame(said: readonly unknown[], kept: readonly Evidence[]): boolean {
  return JSON.stringify(said) === JSON.stringify(kept);
}
