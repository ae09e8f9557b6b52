// What a rule answers: the fields it changes, or why not. A rule names the next
// status only where it decides it; otherwise `place` keeps the status or ends a wait that is over.
import type { TaskId } from "../ids.ts";
import type { Pause } from "../schema/items.ts";
import type { ProjectState, ProjectStatus } from "../schema/project.ts";
import type { Task } from "../schema/task.ts";

export type StateIn<S extends ProjectStatus> = Extract<ProjectState, { status: S }>;

/** The fields that every status has alike. */
export type Body = Omit<StateIn<"Running">, "status" | "current_task_id" | "pause">;

export interface Change {
  readonly ok: true;
  readonly changes: Partial<Body>;
  /** The task in hand afterwards; absent: the one before. */
  readonly current?: TaskId | null;
  readonly to?: ProjectStatus;
  readonly pause?: Pause;
  readonly summary: string;
}

export interface Refusal {
  readonly ok: false;
  readonly reason: string;
}

export type Ruling = Change | Refusal;

/** `reason` is a full sentence; `step` adds what is legal now. */
export function refuse(reason: string): Refusal {
  return { ok: false, reason };
}

export function change(
  summary: string,
  changes: Partial<Body>,
  rest: Partial<Omit<Change, "ok" | "summary" | "changes">> = {},
): Change {
  return { ok: true, summary, changes, ...rest };
}

export function findTask(state: Pick<Body, "tasks">, id: TaskId): Task | undefined {
  return state.tasks.find((task) => task.id === id);
}

/** The task in hand, unless it is this one, which no longer is. */
export function currentWithout(
  { current_task_id }: Pick<ProjectState, "current_task_id">,
  { id }: Pick<Task, "id">,
): TaskId | null {
  return current_task_id === id ? null : current_task_id;
}

/** A new list in which only the named task is another object. */
export function replaceTask(tasks: readonly Task[], next: Task): Task[] {
  return tasks.map((task) => (task.id === next.id ? next : task));
}

export function named(task: Pick<Task, "id" | "title">): string {
  return `task ${task.id} "${task.title}"`;
}

export function noSuchTask(id: TaskId): Refusal {
  return refuse(`There is no task ${id} in this project.`);
}
