// "Proper cross-session persistence?" as far as state and journal can tell: the same ids, nothing
// done that came undone, nothing done twice, nothing missing in between. Where lines of the journal are
// lost, the state may know more than the journal, never less. Pure.
import { type History, readHistory } from "./history.ts";
import type { JournalEntry, ProjectState } from "./schema/project.ts";
import type { Evidence, Task } from "./schema/task.ts";

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

export function mergeProblems(all: readonly PersistenceProblems[]): PersistenceProblems {
  const merged = (id: CriterionId) => all.flatMap((problems) => problems[id]);
  return {
    "id-continuity": merged("id-continuity"),
    "status-preservation": merged("status-preservation"),
    "seamless-continuation": merged("seamless-continuation"),
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

function isSame(said: readonly unknown[], kept: readonly Evidence[]): boolean {
  return JSON.stringify(said) === JSON.stringify(kept);
}
