// What a rule answers: the fields it changes, or why not; how requests and waits are closed on the way; and how the
// answer becomes the next state. A rule names the next status only where it decides it; otherwise `place` keeps the
// status or ends a wait that is over.
import type { TaskId } from "../ids.ts";
import type { Instant } from "../instant.ts";
import type { Approval, Dispatch, Pause, Question } from "../schema/items.ts";
import type { ProjectState, ProjectStatus } from "../schema/project.ts";
import type { Task } from "../schema/task.ts";
import { DERIVED_LIST_LENGTH } from "../written/bounds.ts";
import { firstEligible, isFinished } from "../eligibility.ts";
import { isPersonAwaited, isResultAwaited } from "../project-state.ts";

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

/** `reason` is a full sentence for people: no name of an event is in it. */
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

/**
 * Puts a change into its status. The constructors give each status exactly what its type demands;
 * `settledStatus` ends a wait whose reason is gone, so that no state waits for nothing.
 */
export function place(state: ProjectState, ruled: Change): ProjectState {
  const body: Body = { ...state, ...ruled.changes };
  const current = ruled.current === undefined ? state.current_task_id : ruled.current;
  const to = ruled.to ?? settledStatus(state.status, body, current);
  const idle = { current_task_id: null, pause: null };
  switch (to) {
    case "Draft":
    case "Ready":
    case "AwaitingApproval":
    case "Done":
    case "Abandoned":
      return { ...body, ...idle, status: to };
    case "Running":
      return { ...body, status: to, current_task_id: current, pause: null };
    case "AwaitingResult": {
      const [first, ...others] = body.dispatches;
      if (first === undefined) throw new Error("AwaitingResult without a dispatch");
      return { ...body, ...idle, status: to, dispatches: [first, ...others] };
    }
    case "Validating":
      if (current === null) throw new Error("Validating without a task");
      return { ...body, status: to, current_task_id: current, pause: null };
    case "Blocked": {
      const [first, ...others] = body.blockers;
      if (first === undefined) throw new Error("Blocked without a blocker");
      return { ...body, ...idle, status: to, blockers: [first, ...others] };
    }
    case "Paused": {
      const pause = ruled.pause ?? state.pause;
      if (pause === null) throw new Error("Paused without a reason");
      return { ...body, status: to, current_task_id: current, pause };
    }
    default:
      return to satisfies never;
  }
}

function settledStatus(from: ProjectStatus, body: Body, current: TaskId | null): ProjectStatus {
  switch (from) {
    case "Validating":
      return current === null ? "Running" : from;
    case "AwaitingResult":
      return isResultAwaited(body) && !hasEligible(body) ? from : "Running";
    case "AwaitingApproval":
      return isPersonAwaited(body) && !hasEligible(body) ? from : "Running";
    case "Blocked":
      return body.blockers.length > 0 && !hasEligible(body) ? from : "Running";
    case "Draft":
    case "Ready":
    case "Running":
    case "Paused":
    case "Done":
    case "Abandoned":
      return from;
    default:
      return from satisfies never;
  }
}

export function hasEligible(body: Body): boolean {
  return firstEligible(body) !== undefined;
}

// Closing requests and waits. Open ones always stay in state, and so does what a person said about a
// task that is not finished, for its next brief; of the others only the last few, because the journal
// keeps them all.

/** Says for a task, or for the project as a whole (undefined), whether it is concerned. */
type Concerns = (id: TaskId | undefined) => boolean;

/** The list with one item replaced by its closed form. */
export function closeItem<T extends Approval | Question | Dispatch>(
  items: readonly T[],
  closed: T,
  tasks: readonly Task[] = [],
): T[] {
  return pruned(
    items.map((item) => (item.id === closed.id ? closed : item)),
    tasks,
  );
}

/** Takes back everything open about what is concerned and is no longer to be worked on. */
export function withdrawItems(
  state: Pick<Body, "approval_items" | "questions" | "dispatches" | "tasks">,
  concerns: Concerns,
  reason: string,
  at: Instant,
): Pick<Body, "approval_items" | "questions" | "dispatches"> {
  const withdrawn = <T extends Approval | Question>(items: readonly T[]) =>
    pruned(
      items.map((item) =>
        item.status === "open" && concerns(item.task_id)
          ? { ...item, status: "withdrawn" as const, closed_at: at }
          : item,
      ),
      state.tasks,
    );
  return {
    approval_items: withdrawn<Approval>(state.approval_items),
    questions: withdrawn<Question>(state.questions),
    dispatches: withdrawDispatches(state, concerns, reason, at),
  };
}

export function withdrawDispatches(
  state: Pick<Body, "dispatches" | "tasks">,
  concerns: Concerns,
  reason: string,
  at: Instant,
): Dispatch[] {
  const dispatches = state.dispatches.map((item): Dispatch =>
    item.status === "sent" && concerns(item.task_id)
      ? { ...item, status: "lost", reason, closed_at: at }
      : item,
  );
  return pruned(dispatches, state.tasks);
}

/** Without the closed items beyond the last few. */
export function pruned<T extends Approval | Question | Dispatch>(
  items: readonly T[],
  tasks: readonly Task[] = [],
): T[] {
  if (items.length <= DERIVED_LIST_LENGTH) return [...items];
  const unfinished = new Set<TaskId>();
  for (const task of tasks) if (!isFinished(task)) unfinished.add(task.id);
  const isKept = (item: T): boolean =>
    isOpen(item) || (isSaid(item) && item.task_id !== undefined && unfinished.has(item.task_id));
  let surplus = items.filter((item) => !isKept(item)).length - DERIVED_LIST_LENGTH;
  return items.filter((item) => isKept(item) || surplus-- <= 0);
}

/** A person's words, which the next session on the task is told; what somebody returned, which is judged. */
function isSaid({ status }: Approval | Question | Dispatch): boolean {
  return ["answered", "granted", "denied", "returned"].includes(status);
}

function isOpen(item: Approval | Question | Dispatch): boolean {
  return item.status === "open" || item.status === "sent";
}
