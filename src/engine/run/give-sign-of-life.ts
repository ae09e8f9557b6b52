// What a run does beside the work in hand, every few seconds: it takes up answers that nobody told it
// of, and says what it is at where nothing was said for five minutes (S3-26).
import { msOf } from "../../core/instant.ts";
import type { ProjectState } from "../../core/schema/project.ts";
import { isUpdateDue, newStatusUpdate } from "../../core/words/state-words.ts";
import { StintError } from "../../core/stint-error.ts";
import { fact } from "../base/fact.ts";
import type { RunContext } from "../base/run-context.ts";

type Telling = Pick<RunContext, "holder" | "host" | "tell" | "answers">;

export function giveSignOfLife(context: Telling): void {
  try {
    context.answers.take();
    updateIfDue(context);
  } catch (error) {
    // The holder refuses every write from here on, the renewal of its lease too: that ends the run.
    if (!(error instanceof StintError)) throw error;
  }
}

function updateIfDue(context: Telling): void {
  const { holder, tell } = context;
  const { at, by } = fact(context);
  if (!isUpdateDue(msOf(holder.state.updated_at), msOf(at))) return;
  const what = inHand(holder.state);
  const update = newStatusUpdate(holder.state, "next-action-in-progress", what, at);
  if (update === undefined) return;
  holder.note({ at, by, kind: "status-update", summary: what, data: { ...update } });
  tell({ kind: "notice", text: what });
}

/** Checks before a session, acts, commits and pushes have no state of their own. */
function inHand({ tasks, current_task_id, next_action }: ProjectState): string {
  const task = tasks.find(({ id }) => id === current_task_id);
  if (task?.status === "in_progress") return `session ${task.attempt.session} is at work`;
  if (task?.status === "validating") return `checking ${task.id} "${task.title}"`;
  return `still at work; next: ${next_action}`;
}
