// Verified work has moved with the person's branch; now everything that follows from it, in this order, each
// safe to repeat: what could not come along is its task's unfinished work again; the ids of commits; tasks
// that are no longer done; checks where the files are others; a person's yes where the lines are others;
// delivery. The kept move goes last, so that a kill leaves it to be finished.
import type { TaskId } from "../core/ids.ts";
import { fewOf } from "../core/few-of.ts";
import type { Task } from "../core/schema/task.ts";
import { hasGrant } from "../core/task-moves.ts";
import type { HeldBack, Move, MovedCommit } from "../workspace/workspace.ts";
import { askAboutOutput } from "./branch-questions.ts";
import { type BranchWishes, branchWishes, forgetWishes, keepMove } from "./branch-wishes.ts";
import { deliverWork } from "./deliver-work.ts";
import { replaceKnownCommits } from "./known-commits.ts";
import type { DoneTask } from "./next-to-finish.ts";
import { save } from "./report-round.ts";
import { fact, nowOf, type RunContext } from "./run-context.ts";
import { setUp } from "./set-up.ts";
import { layTree, workAgain } from "./task-work.ts";
import { BRANCH_CHANGED, failedNow, reopen } from "./verify-again.ts";

export async function finishMove(context: RunContext, move: Move): Promise<void> {
  for (const held of move.left) {
    // oxlint-disable-next-line no-await-in-loop
    if (held.paths.length > 0) await keepAsUnfinished(context, held);
  }
  recordIds(context, move);
  const wishes = branchWishes(context);
  for (const held of move.left) {
    // oxlint-disable-next-line no-await-in-loop
    await takeBack(context, held, wishes);
  }
  await checkAgain(context, move);
  askAgain(context, move);
  await deliverMoved(context);
  tellOf(context, move);
  forgetWishes(context);
  keepMove(context, null);
}

async function keepAsUnfinished(context: RunContext, held: HeldBack): Promise<void> {
  for (const task of tasksOf(context, held.tasks)) {
    // Taken back already: a kill came between.
    if (isDoneBy(task, held.id)) {
      // oxlint-disable-next-line no-await-in-loop
      await workAgain(context, task, held);
    }
  }
}

function recordIds(context: RunContext, { commits, how, to }: Move): void {
  const { holder, store } = context;
  const changed = commits.filter(({ old, now }) => old !== now);
  const made = changed.filter((each) => each.how === "replayed").map(({ now }) => now);
  const merge = how === "merged" ? [to.commit] : [];
  const gone = changed.map(({ old }) => old);
  replaceKnownCommits(holder, store, gone, [...made, ...merge]);
  for (const { old, now, tasks } of changed) {
    for (const task of tasksOf(context, tasks).filter((each) => isDoneBy(each, old))) {
      save(context, { kind: "commit-recorded", ...fact(context), task_id: task.id, commit: now });
    }
  }
}

async function takeBack(context: RunContext, held: HeldBack, wishes: BranchWishes): Promise<void> {
  const { holder, space } = context;
  const branch = space.deliversTo() ?? "your branch";
  const what =
    held.paths.length === 0
      ? `${branch} no longer holds it`
      : `${fewOf(held.paths)} changed on both sides`;
  for (const task of tasksOf(context, held.tasks)) {
    if (!isDoneBy(task, held.id)) continue;
    const unblock =
      wishes.resolvedBy === "shell"
        ? `stint shell ${task.id} ${holder.state.project_id}; then: stint resume ${holder.state.project_id} --retry`
        : `stint resume ${holder.state.project_id} --retry`;
    // oxlint-disable-next-line no-await-in-loop
    await takeBackTask(context, task, what, unblock);
  }
  // The person's answer is their word that it is to be tried again.
  for (const { id, status } of wishes.resolvedBy === "session" ? tasksOf(context, held.tasks) : []) {
    if (status === "blocked") retry(context, id, wishes.by);
  }
}

/** In a project that is done, only a person can have it done again: the one at work here. */
async function takeBackTask(
  context: RunContext,
  task: DoneTask,
  what: string,
  unblock: string,
): Promise<void> {
  const event = await reopen(context, { kind: "broken", task, what }, BRANCH_CHANGED);
  if (context.holder.state.status !== "Done") {
    save(context, { ...event, blocker: { ...event.blocker, unblock } });
    return;
  }
  const { manifest_digest, manifest_seen, blocker } = event;
  save(context, {
    kind: "reopened",
    at: nowOf(context),
    by: context.person,
    reason: blocker.reason,
    task_ids: [task.id],
    ...(manifest_digest === undefined ? {} : { manifest_digest }),
    ...(manifest_seen === undefined ? {} : { manifest_seen }),
  });
}

export function retry(context: RunContext, task_id: TaskId, by: string | null): void {
  save(context, { kind: "task-retried", at: nowOf(context), by: by ?? context.person, task_id });
}

/** What was made anew stands among other files than those it was verified in. */
async function checkAgain(context: RunContext, move: Move): Promise<void> {
  if (move.to.tree === move.from.tree) return;
  const { holder } = context;
  for (const { id } of movedTasks(context, move, ({ how }) => how !== "found")) {
    const task = holder.state.tasks.find((each) => each.id === id);
    if (task?.status !== "done") continue;
    // oxlint-disable-next-line no-await-in-loop
    await layTree(context, move.to.tree);
    // oxlint-disable-next-line no-await-in-loop
    await setUp(context, task);
    // oxlint-disable-next-line no-await-in-loop
    const failed = await failedNow(context, [task], move.to.tree);
    const unblock = `fix the cause, then: stint resume ${holder.state.project_id} --retry`;
    // oxlint-disable-next-line no-await-in-loop
    if (failed !== null) await takeBackTask(context, task, failed.what, unblock);
  }
}

function askAgain(context: RunContext, move: Move): void {
  const { holder, tell } = context;
  for (const { id, now } of movedTasks(context, move, ({ isSame }) => !isSame)) {
    const task = holder.state.tasks.find((each) => each.id === id);
    if (task?.status !== "done" || !hasGrant(task, "task-after")) continue;
    const asked = askAboutOutput(context, task, now);
    if (asked === null) continue;
    if (holder.state.status !== "Done") save(context, asked);
    else if (asked.kind === "question-asked") tell({ kind: "notice", text: asked.question.text });
  }
}

function movedTasks(
  context: RunContext,
  { commits }: Move,
  isMeant: (commit: MovedCommit) => boolean,
): { readonly id: TaskId; readonly now: string }[] {
  return commits.filter(isMeant).flatMap(({ tasks, now }) =>
    tasksOf(context, tasks)
      .filter((task) => isDoneBy(task, now))
      .map(({ id }) => ({ id, now })),
  );
}

/** All of ours is in the person's file then; what else changed in it stays theirs to be read. */
export async function deliverMoved(context: RunContext): Promise<void> {
  const { texts } = await deliverWork(context);
  const { manifest, status } = context.holder.state;
  if (texts.manifest_seen === undefined || manifest.seen === undefined || status === "Done") return;
  save(context, { kind: "manifest-read", ...fact(context), manifest_seen: manifest.digest });
}

function tellOf(context: RunContext, { how, commits, onto, from, to }: Move): void {
  const branch = context.space.deliversTo() ?? "your branch";
  const count = commits.length === 1 ? "1 commit" : `${commits.length} commits`;
  const summary = {
    replayed: `${branch} moved: ${count} of verified work replayed on ${onto.slice(0, 10)}`,
    merged: `${branch} moved: verified work merged with ${onto.slice(0, 10)}`,
    found: `${branch} was rewritten: new work starts from ${onto.slice(0, 10)}`,
  }[how];
  const data = { from: from.commit, to: to.commit, onto, commits };
  context.holder.note({ ...fact(context), kind: "work-moved", summary, data });
  context.tell({ kind: "notice", text: summary });
}

function tasksOf({ holder }: RunContext, ids: readonly string[]): Task[] {
  return holder.state.tasks.filter(({ id }) => ids.includes(id));
}

function isDoneBy(task: Task, commit: string): task is DoneTask {
  return task.status === "done" && task.commit === commit;
}
