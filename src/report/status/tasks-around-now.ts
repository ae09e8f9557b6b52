// The tasks that a list shows of many: a few that are done, what comes next, and wherever it is in the manifest, what is at
// work, waits or is blocked. Pure.
import { isFinished } from "../../core/eligibility.ts";
import type { Task } from "../../core/schema/task.ts";

const SHOWN_DONE = 3;
const SHOWN_TASKS = 20;

export function tasksAroundNow(tasks: readonly Task[]): readonly Task[] {
  const first = tasks.findIndex((task) => !isFinished(task));
  const start = Math.max(0, (first === -1 ? tasks.length : first) - SHOWN_DONE);
  const from = Math.max(0, Math.min(start, tasks.length - SHOWN_TASKS));
  const isNear = (index: number): boolean => index >= from && index < from + SHOWN_TASKS;
  return tasks.filter(
    (task, index) => isNear(index) || !(isFinished(task) || task.status === "pending"),
  );
}
