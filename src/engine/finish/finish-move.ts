// Verified work has moved with the person's branch; now everything that follows from it, in this order, each
// safe to repeat: what could not come along is its task's unfinished work again; the ids of commits; tasks
// that are no longer done; a person's yes where the lines are others; delivery. The kept move goes last, so
// that a kill leaves it to be finished.
import type { ProjectEvent } from "../../core/events.ts";
import type { TaskId } from "../../core/ids.ts";
import { fewOf } from "../../core/words/amounts.ts";
import type { BranchWishes } from "../../core/schema/run-records.ts";
import type { DoneTask } from "../../core/project-state.ts";
import type { Task } from "../../core/schema/task.ts";
import { hasGrant } from "../../core/step/task-moves.ts";
import type { HeldBack, Move, MovedCommit } from "../../workspace/workspace.ts";
import { askAboutOutput } from "./branch-questions.ts";
import { branchWishes, forgetWishes, keepMove } from "./branch-wishes.ts";
import { deliverWork } from "./deliver-work.ts";
import { replaceKnownCommits } from "../base/known-commits.ts";
import type { Steps } from "../base/steps.ts";
import { fact, nowOf } from "../base/fact.ts";
import type { RunContext } from "../base/run-context.ts";
import { workAgain } from "../space/task-work.ts";
import { BRANCH_CHANGED, reopen } from "../verify/verify-again.ts";

export async function* finishMove(context: RunContext, move: Move): Steps {
  for (const held of move.left) {
    // oxlint-disable-next-line no-await-in-loop
    if (held.why !== "removed") await keepAsUnfinished(context, held);
  }
  yield* recordIds(context, move);
  const wishes = branchWishes(context);
  for (const held of move.left) {
    yield* takeBack(context, held, wishes);
  }
  yield* askAgain(context, move);
  yield* deliverMoved(context);
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

async function* recordIds(context: RunContext, { commits, left, how, to }: Move): Steps {
  const { holder, store } = context;
  const changed = commits.filter(({ old, now }) => old !== now);
  const replayed = changed.filter((each) => each.how === "replayed");
  const merge = how === "merged" ? [to.commit] : [];
  const gone = [...replayed.map(({ old }) => old), ...left.map(({ id }) => id)];
  replaceKnownCommits(holder, store, gone, [...replayed.map(({ now }) => now), ...merge]);
  for (const { old, now, tasks } of changed) {
    for (const task of tasksOf(context, tasks).filter((each) => isDoneBy(each, old))) {
      const recorded = { task_id: task.id, commit: now };
      yield { event: { kind: "commit-recorded", ...fact(context), ...recorded } };
    }
  }
}

async function* takeBack(context: RunContext, held: HeldBack, wishes: BranchWishes): Steps {
  const id = context.holder.state.project_id;
  const again = `stint resume ${id} --retry`;
  for (const task of tasksOf(context, held.tasks)) {
    if (!isDoneBy(task, held.id)) continue;
    const unblock = {
      conflict: `stint shell ${task.id} ${id}; then: ${again}`,
      removed: again,
      failing: `fix the cause, then: ${again}`,
    }[held.why];
    const what = whatIsWrong(context, held);
    // oxlint-disable-next-line no-await-in-loop
    yield { event: await takenBackTask(context, task, what, unblock) };
  }
  // The person's answer is their word that it is to be tried again; nobody was asked about what fails.
  if (held.why === "failing" || wishes.resolvedBy !== "session") return;
  for (const task of tasksOf(context, held.tasks)) {
    if (task.status === "blocked") yield { event: retried(context, task.id, wishes.by) };
  }
}

function whatIsWrong({ space }: RunContext, { why, paths, failure }: HeldBack): string {
  switch (why) {
    case "removed":
      return `${space.deliversTo() ?? "your branch"} no longer holds it`;
    case "conflict":
      return `${fewOf(paths)} changed on both sides`;
    case "failing":
      return failure;
    default:
      return why satisfies never;
  }
}

/** In a project that is done, only a person can have it done again: the one at work here. */
async function takenBackTask(
  context: RunContext,
  task: DoneTask,
  what: string,
  unblock: string,
): Promise<ProjectEvent> {
  const event = await reopen(context, { kind: "broken", task, what }, BRANCH_CHANGED);
  const { manifest_digest, manifest_seen, blocker } = event;
  if (context.holder.state.status !== "Done") {
    return { ...event, blocker: { ...blocker, unblock } };
  }
  return {
    kind: "reopened",
    at: nowOf(context),
    by: context.person,
    reason: blocker.reason,
    task_ids: [task.id],
    ...(manifest_digest === undefined ? {} : { manifest_digest }),
    ...(manifest_seen === undefined ? {} : { manifest_seen }),
  };
}

export function retried(context: RunContext, task_id: TaskId, by: string | null): ProjectEvent {
  return { kind: "task-retried", at: nowOf(context), by: by ?? context.person, task_id };
}

async function* askAgain(context: RunContext, move: Move): Steps {
  const { holder, tell } = context;
  for (const { id, now } of movedTasks(context, move, ({ isSame }) => !isSame)) {
    const task = holder.state.tasks.find((each) => each.id === id);
    if (task?.status !== "done" || !hasGrant(task, "task-after")) continue;
    const asked = askAboutOutput(context, task, now);
    if (asked === null) continue;
    if (holder.state.status !== "Done") yield { event: asked };
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
export async function* deliverMoved(context: RunContext): Steps {
  const { texts } = await deliverWork(context);
  const { manifest, status } = context.holder.state;
  const isSeen = texts.manifest_seen !== undefined && manifest.seen !== undefined;
  const seen = isSeen ? { manifest_seen: manifest.digest } : {};
  const { delivery } = texts;
  if (delivery !== undefined) {
    yield { event: { kind: "delivery-recorded", ...fact(context), ...seen, delivery } };
  } else if (isSeen && status !== "Done") {
    const { digest: manifest_seen } = manifest;
    yield { event: { kind: "manifest-read", ...fact(context), manifest_seen } };
  }
}

function tellOf(context: RunContext, { how, commits, onto, from, to }: Move): void {
  const branch = context.space.deliversTo() ?? "your branch";
  const replayed = commits.filter((each) => each.how === "replayed").length;
  const count = replayed === 1 ? "1 commit" : `${replayed} commits`;
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
