// Closing requests and waits. Open ones always stay in state, and so does what a person said about a
// task that is not finished, for its next brief; of the others only the last few, because the journal
// keeps them all.
import { DERIVED_LIST_LENGTH } from "../written/bounds.ts";
import { isFinished } from "../eligibility.ts";
import type { TaskId } from "../ids.ts";
import type { Instant } from "../instant.ts";
import type { Approval, Dispatch, Question } from "../schema/items.ts";
import type { Task } from "../schema/task.ts";
import type { Body } from "./ruling.ts";

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
  const approval_items = state.approval_items.map((item): Approval =>
    item.status === "open" && concerns(item.task_id)
      ? { ...item, status: "withdrawn", closed_at: at }
      : item,
  );
  const questions = state.questions.map((item): Question =>
    item.status === "open" && concerns(item.task_id)
      ? { ...item, status: "withdrawn", closed_at: at }
      : item,
  );
  return {
    approval_items: pruned(approval_items, state.tasks),
    questions: pruned(questions, state.tasks),
    dispatches: withdrawDispatches(state, concerns, reason, at),
  };
}

export function withdrawDispatches(
  state: Pick<Body, "dispatches">,
  concerns: Concerns,
  reason: string,
  at: Instant,
): Dispatch[] {
  const dispatches = state.dispatches.map((item): Dispatch =>
    item.status === "sent" && concerns(item.task_id)
      ? { ...item, status: "lost", reason, closed_at: at }
      : item,
  );
  return pruned(dispatches);
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

/** A person's words, which the next session on the task is told. */
function isSaid({ status }: Approval | Question | Dispatch): boolean {
  return status === "answered" || status === "granted" || status === "denied";
}

function isOpen(item: Approval | Question | Dispatch): boolean {
  return item.status === "open" || item.status === "sent";
}
