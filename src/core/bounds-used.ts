// How much of its bounds a task has used: what was planned for the last session on it, what that really changed, and
// what is left; from the state and the journal alone. Pure.
import { isFinished } from "./eligibility.ts";
import { sessionBegunBy } from "./history.ts";
import type { TaskId } from "./ids.ts";
import { numberIn, objectIn, stringIn } from "./json-line.ts";
import type { JournalEntry, ProjectState } from "./schema/project.ts";
import type { Task, WorkCounts } from "./schema/task.ts";
import { DEFAULT_LIMITS, type Limits, limitsFor } from "./written/bounds.ts";

export interface Bound {
  readonly limit: number;
  readonly planned: number;
  /** Null before a session was measured. */
  readonly used: number | null;
  /** Of the limit, after what was used; before that, after what is planned. */
  readonly left: number;
}

export interface BoundsUsed extends Readonly<Record<keyof WorkCounts, Bound>> {
  /** The last session on the task; null where it has had none. */
  readonly session: number | null;
  /** The other tasks of that session: its counts are those of all of them. */
  readonly with: readonly TaskId[];
}

/** A person wrote bounds, or the work is split by them. */
export function hasBoundsOfItsOwn({ tasks, scope_guardrails }: ProjectState): boolean {
  const { limits, strict } = scope_guardrails;
  const keys = Object.keys(DEFAULT_LIMITS) as (keyof Limits)[];
  return (
    strict ||
    keys.some((key) => limits[key] !== DEFAULT_LIMITS[key]) ||
    tasks.some(({ child, chunk_of, limit }) =>
      [child, chunk_of, limit].some((each) => each !== undefined),
    )
  );
}

/** By task; those are left out that no session works on. `plannedOf` counts what the words of a task name. */
export function boundsUsed(
  state: ProjectState,
  journal: readonly JournalEntry[],
  plannedOf: (task: Task) => WorkCounts,
): ReadonlyMap<TaskId, BoundsUsed> {
  const sessions = sessionsIn(journal);
  const found = new Map<TaskId, BoundsUsed>();
  for (const task of state.tasks) {
    const last = sessions.findLast(({ tasks }) => tasks.includes(task.id));
    if (last === undefined && !isForSession(task)) continue;
    const planned = last?.planned ?? plannedOf(task);
    const others = (last?.tasks ?? []).filter((id) => id !== task.id);
    const bound = (key: keyof WorkCounts, limit: number): Bound => {
      const used = last?.actual?.[key] ?? null;
      return {
        limit,
        planned: planned[key],
        used,
        left: Math.max(0, limit - (used ?? planned[key])),
      };
    };
    const limits = limitsOfSession(state, [task.id, ...others], planned.tasks);
    found.set(task.id, {
      session: last?.session ?? null,
      with: others,
      tasks: bound("tasks", limits.tasks_per_session),
      files: bound("files", limits.files_per_task),
      new_files: bound("new_files", limits.new_files_per_session),
      moves: bound("moves", limits.moves_per_task),
    });
  }
  return found;
}

/** One that was split is done by its chunks, one that is finished needs none, and an act is Stint's own. */
function isForSession(task: Task): boolean {
  const { run, webhook, split_after } = task;
  return [run, webhook, split_after].every((each) => each === undefined) && !isFinished(task);
}

/** What holds per task adds up over those of a session; `count` are all of them, judged or not. */
function limitsOfSession(
  { tasks, scope_guardrails }: ProjectState,
  ids: readonly TaskId[],
  count: number,
): Limits {
  const { limits } = scope_guardrails;
  const own = tasks
    .filter(({ id }) => ids.includes(id))
    .map(({ limit }) => limitsFor(limits, limit));
  const more = Array.from({ length: Math.max(0, count - own.length) }, () => limits);
  const all = [...own, ...more];
  const sum = (key: keyof Limits): number => all.reduce((before, each) => before + each[key], 0);
  const most = (key: keyof Limits): number => Math.max(...all.map((each) => each[key]));
  return {
    tasks_per_session: most("tasks_per_session"),
    files_per_task: sum("files_per_task"),
    new_files_per_session: most("new_files_per_session"),
    moves_per_task: sum("moves_per_task"),
  };
}

interface SessionSeen {
  readonly session: number;
  readonly tasks: TaskId[];
  planned?: WorkCounts;
  actual?: WorkCounts;
}

/** In order of their starts. The event that ends a session says whose it is, where it is not the last one. */
function sessionsIn(journal: readonly JournalEntry[]): SessionSeen[] {
  const sessions: SessionSeen[] = [];
  for (const { kind, data = {} } of journal) {
    const { task_id: task, session } = sessionBegunBy(kind, data) ?? {};
    if (task !== undefined && session !== undefined) {
      if (sessions.at(-1)?.session !== session) sessions.push({ session, tasks: [] });
      sessions.at(-1)?.tasks.push(task as TaskId);
    }
    const named = task ?? stringIn(data["task_id"] ?? objectIn(data["question"])?.["task_id"]);
    const own = sessions.findLast(({ tasks }) => tasks.some((id) => id === named));
    const now = own ?? sessions.at(-1);
    const planned = countsIn(data["planned"]);
    const actual = countsIn(data["actual"]);
    if (now !== undefined && planned !== undefined) now.planned = planned;
    if (now !== undefined && actual !== undefined) now.actual = actual;
  }
  return sessions;
}

function countsIn(value: unknown): WorkCounts | undefined {
  const counts = objectIn(value);
  if (counts === undefined) return undefined;
  const of = (key: keyof WorkCounts): number => numberIn(counts[key]) ?? 0;
  return { tasks: of("tasks"), files: of("files"), new_files: of("new_files"), moves: of("moves") };
}
