// Which tasks may start now. A task without `after` depends on every task above it, an empty `after`
// on none, a list on those it names. One pass over the tasks, so that 10,000 of them stay cheap.
import type { TaskId } from "./ids.ts";
import type { Approval } from "./schema/items.ts";
import type { ProjectState } from "./schema/project.ts";
import type { Task } from "./schema/task.ts";
import { fewOf } from "./words/amounts.ts";

/** The part of a state that decides what may start. */
export type Work = Pick<ProjectState, "tasks" | "approval_items" | "questions" | "blockers">;

/** Settled for good or for now: what depends on such a task need not wait for it. */
export function isFinished(task: Task): boolean {
  return task.status === "done" || task.status === "skipped" || task.status === "superseded";
}

export function eligibleTasks(work: Work): Task[] {
  return [...eachEligible(work)];
}

export function firstEligible(work: Work): Task | undefined {
  return eachEligible(work).next().value;
}

export function isEligible(work: Work, id: TaskId): boolean {
  for (const task of eachEligible(work)) if (task.id === id) return true;
  return false;
}

/** These wait for a person without holding up any work. */
const HOLDS_NO_WORK: ReadonlySet<Approval["kind"]> = new Set([
  "proposal",
  "deliver",
  "push",
  "settings",
]);

/** What keeps every task from starting, whatever its dependencies; undefined when nothing does. */
export function projectGate(work: Pick<Work, "approval_items" | "blockers">): string | undefined {
  const blocker = work.blockers.find((found) => found.task_id === undefined);
  if (blocker !== undefined) return blocker.reason;
  const approval = work.approval_items.find(
    (item) => item.status === "open" && item.task_id === undefined && !HOLDS_NO_WORK.has(item.kind),
  );
  return approval === undefined ? undefined : `approval ${approval.id} is open: ${approval.reason}`;
}

function* eachEligible(work: Work): Generator<Task, undefined> {
  if (projectGate(work) !== undefined) return;
  const finished = new Set<TaskId>();
  for (const task of work.tasks) if (isFinished(task)) finished.add(task.id);
  const held = heldTasks(work);
  let allAboveFinished = true;
  for (const task of work.tasks) {
    const ready =
      task.after === undefined ? allAboveFinished : task.after.every((id) => finished.has(id));
    if (ready && task.status === "pending" && !held.has(task.id)) yield task;
    if (!finished.has(task.id)) allAboveFinished = false;
  }
}

/** Tasks that wait for a person's answer. */
function heldTasks(work: Work): Set<TaskId> {
  const held = new Set<TaskId>();
  for (const item of [...work.approval_items, ...work.questions]) {
    if (item.status === "open" && item.task_id !== undefined) held.add(item.task_id);
  }
  return held;
}

/** Why a task may not start now, as words after its name; undefined where it may. */
export function whyNotEligible(work: Work, task: Task): string | undefined {
  if (isEligible(work, task.id)) return undefined;
  const status = standing(task);
  if (status !== undefined) return status;
  const gate = projectGate(work);
  if (gate !== undefined) return `waits with the whole project: ${gate}`;
  const asked = [...work.approval_items, ...work.questions].find(
    (item) => item.status === "open" && item.task_id === task.id,
  );
  if (asked !== undefined) return `waits for ${asked.id}`;
  const above = work.tasks.slice(0, work.tasks.indexOf(task)).map(({ id }) => id);
  const needed = new Set(task.after ?? above);
  const missing = work.tasks.filter((each) => needed.has(each.id) && !isFinished(each));
  return `waits for ${fewOf(missing.map(withWait))}`;
}

/** Of a task that is not simply to be done. */
function standing(task: Task): string | undefined {
  switch (task.status) {
    case "pending":
      return undefined;
    case "awaiting_approval":
      return `waits for ${task.approval_id}`;
    case "awaiting_result":
      return `waits for ${task.dispatch_id}`;
    case "blocked":
      return `is blocked: ${task.reason}`;
    case "in_progress":
    case "validating":
      return "is at work";
    case "done":
    case "skipped":
      return `is ${task.status}`;
    case "superseded":
      return "was removed from the manifest";
    default:
      return task satisfies never;
  }
}

function withWait(task: Task): string {
  if (task.status === "awaiting_approval") return `${task.id} (${task.approval_id})`;
  if (task.status === "awaiting_result") return `${task.id} (${task.dispatch_id})`;
  return task.status === "blocked" ? `${task.id} (blocked)` : task.id;
}
