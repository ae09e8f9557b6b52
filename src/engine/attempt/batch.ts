// A session may be given several tasks. When it has ended, they are judged one after another as if
// each had been its own attempt, until the first that fails; nothing is finished before that.
import type { ProjectEvent } from "../../core/events.ts";
import { firstEligible } from "../../core/eligibility.ts";
import type { Task } from "../../core/schema/task.ts";
import { nowOf, runAuthor } from "../base/fact.ts";
import type { RunContext } from "../base/run-context.ts";
import { readStart } from "../base/session-record.ts";

/** The attempt of a task that the last session had in its brief and that was not judged yet. */
export function continueBatch(context: RunContext, task: Task): ProjectEvent | null {
  const start = batchOf(context, task);
  if (start === null) return null;
  return {
    kind: "attempt-started",
    at: nowOf(context),
    by: runAuthor(context),
    task_id: task.id,
    session: start.session,
    run_id: context.runId,
  };
}

/** Whether tasks of the last session are still to be judged. */
export function isInBatch(context: RunContext): boolean {
  const { state } = context.holder;
  if (state.status !== "Running" || state.current_task_id !== null) return false;
  const next = firstEligible(state);
  return next !== undefined && batchOf(context, next) !== null;
}

function batchOf(context: RunContext, task: Task) {
  const { holder, store } = context;
  const { state } = holder;
  const start = readStart(store, state.project_id, state.counters.sessions);
  const position = start?.tasks.findIndex(({ task_id }) => task_id === task.id) ?? -1;
  if (start === undefined || position < 1) return null;
  const isFresh = start.tasks[position]?.attempt === task.attempts + 1;
  const before = start.tasks.slice(0, position).map(({ task_id }) => task_id);
  const areDone = before.every((id) =>
    state.tasks.some((each) => each.id === id && each.status === "done"),
  );
  return isFresh && areDone ? start : null;
}
