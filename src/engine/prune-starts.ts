// What was there before a session is kept under a ref. Of those whose tasks are done and committed the
// last ones stay for a person to look back; older ones stay only while they alone hold something.
import { isFinished } from "../core/eligibility.ts";
import type { TaskId } from "../core/ids.ts";
import type { RunContext } from "./run-context.ts";
import { readStart } from "./session-record.ts";
import { keepTaskFacts, taskFacts } from "./task-facts.ts";

/** Sessions that can be looked back on, whatever became of them. */
const LAST_KEPT = 20;

/** Looking through them takes several git processes for each, so it is done now and then. */
export function isPruningDue({ counters }: RunContext["holder"]["state"]): boolean {
  return counters.sessions > 0 && counters.sessions % LAST_KEPT === 0;
}

export async function pruneStarts(context: RunContext): Promise<void> {
  const { holder, store, tree } = context;
  const { state } = holder;
  const names = await tree.startNames();
  const sessions = names.filter(isSession).toSorted((one, other) => Number(one) - Number(other));
  const latest = sessions.at(-1);
  if (latest === undefined) return;
  const recent = new Set(sessions.slice(-LAST_KEPT));
  for (const name of names.filter((each) => !recent.has(each))) {
    const ids = isSession(name)
      ? (readStart(store, state.project_id, Number(name))?.tasks ?? []).map((each) => each.task_id)
      : [name as TaskId];
    if (!ids.every((id) => isSettled(context, id))) continue;
    // Whoever reopens such a task starts anew; nothing may lead to a tree that is gone.
    for (const id of ids) forgetStart(context, id, name);
    // oxlint-disable-next-line no-await-in-loop
    await tree.dropStart(name, latest);
  }
}

function isSession(name: string): boolean {
  return /^\d+$/.test(name);
}

function isSettled({ holder }: RunContext, id: TaskId): boolean {
  const task = holder.state.tasks.find((each) => each.id === id);
  if (task === undefined) return true;
  return isFinished(task) && (task.status !== "done" || task.commit !== undefined);
}

function forgetStart({ holder, store }: RunContext, id: TaskId, name: string): void {
  const facts = taskFacts(store, holder.state.project_id, id);
  if (facts.first?.ref?.endsWith(`/_start/${name}`) !== true) return;
  keepTaskFacts(holder, id, { ...facts, first: null });
}
