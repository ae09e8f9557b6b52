// The person works on in their branch: they commit, amend, rebase, reset, pull. Verified work that the branch
// does not hold goes where the branch is now, before the next session, before Done, and whenever somebody
// wants it delivered. What cannot go there by itself is asked, with both sides, and nothing moves until then.
import type { ProjectEvent } from "../../core/events.ts";
import type { TaskId } from "../../core/ids.ts";
import type { DoneTask } from "../../core/project-state.ts";
import type { BranchWishes } from "../../core/schema/run-records.ts";
import { hasGrant } from "../../core/step/task-moves.ts";
import { fewOf } from "../../core/words/amounts.ts";
import { mergeLines } from "../../manifest/edit/line-diff.ts";
import type { Followed, HeldBack, Move, OwnSides } from "../../workspace/workspace.ts";
import { announce, fact, nowOf } from "../base/fact.ts";
import { replaceKnownCommits } from "../base/kept-record.ts";
import type { Steps } from "../base/persist.ts";
import type { RunContext } from "../base/run-context.ts";
import { withBoxes } from "../people/manifest-texts.ts";
import { workBelongsTo } from "../people/persons-git.ts";
import { workAgain } from "../space/task-work.ts";
import {
  askAboutBranch,
  askAboutOutput,
  branchWishes,
  forgetWishes,
  keepMove,
  keepWishes,
  nextOutputAnswer,
  openQuestion,
  takeBranchAnswer,
  unfinishedMove,
  withdrawn,
} from "./branch-questions.ts";
import { deliverWork } from "./deliver.ts";
import { noteReplayed } from "./note-evidence.ts";
import { settleLog } from "./resolve-tasks.ts";
import { BRANCH_CHANGED, checkMove, reopen } from "./verify-again.ts";

/** Safe to repeat. A project that is done is asked nothing: what is in the way is returned. */
export async function* followBranch(context: RunContext): Steps<Followed> {
  yield* finishInterrupted(context);
  yield* takeOutputAnswers(context);
  const wishes = takeBranchAnswer(context);
  const open = openQuestion(context);
  const followed = await context.space.follow({
    conflicts: wishes.conflicts,
    removed: wishes.removed,
    asked: open?.onto ?? wishes.left,
    settle: (sides) =>
      sides.path === context.holder.entry.manifest
        ? settleManifest(context, sides)
        : settleLog(sides),
    verify: (move) => checkMove(context, move),
    keep: (move) => keepMove(context, move),
  });
  switch (followed.kind) {
    case "nothing":
    case "moved":
      if (open !== null) yield { event: withdrawn(context, open.item, BRANCH_CHANGED) };
      if (followed.kind === "moved") yield* finishMove(context, followed.move);
      else {
        // What a person wants back is there by a delivery alone.
        if (wishes.removed === "bring") yield* deliverMoved(context);
        forgetWishes(context);
      }
      return followed;
    case "conflict":
    case "removed":
      if (context.holder.state.status === "Done") return followed;
      if (open !== null) yield { event: withdrawn(context, open.item, BRANCH_CHANGED) };
      yield { event: askAboutBranch(context, followed) };
      // It says that it waits, also where it was there before.
      yield* deliverMoved(context);
      return followed;
    case "renamed":
      await takeNewName(context, followed);
      return yield* followBranch(context);
    case "waiting":
      tellOnce(context, followed);
      return followed;
    case "asked":
    case "busy":
      return followed;
    default:
      return followed satisfies never;
  }
}

/** A move whose refs moved, and which was not recorded whole. */
async function* finishInterrupted(context: RunContext): Steps {
  const move = unfinishedMove(context);
  if (move === null) return;
  const { commit } = await context.space.tip();
  if (commit === move.from.commit) keepMove(context, null);
  else yield* finishMove(context, move);
}

/** Where a manifest counts first: the workspace finds the new name again until it has it. */
async function takeNewName(
  context: RunContext,
  { from, to }: Extract<Followed, { kind: "renamed" }>,
): Promise<void> {
  workBelongsTo(context.holder, context.store, to);
  await context.space.deliverInto(to);
  announce(context, "branch-renamed", `${from} is called ${to} now: verified work goes there`);
}

function tellOnce(
  context: RunContext,
  { why, hint }: Extract<Followed, { kind: "waiting" }>,
): void {
  const text = `the work waits on stint/${context.holder.entry.slug}: ${why}. ${hint}`;
  if (branchWishes(context).told === text) return;
  announce(context, "delivery-waits", text);
  keepWishes(context, { told: text });
}

async function* takeOutputAnswers(context: RunContext): Steps {
  for (;;) {
    const item = nextOutputAnswer(context);
    if (item === undefined) return;
    const { id, answer, by, task_id } = item;
    if (!/^\s*(?:yes|y|ok)\b/i.test(answer)) {
      yield* doAgain(context, task_id, by, `${by} says of it: ${answer}`);
    }
    keepWishes(context, { taken: [id] });
  }
}

async function* doAgain(
  context: RunContext,
  task_id: TaskId | undefined,
  by: string,
  what: string,
): Steps {
  const taskNow = () => context.holder.state.tasks.find(({ id }) => id === task_id);
  const task = taskNow();
  if (task?.status === "done") {
    yield { event: await reopen(context, { task, what }, "its lines changed") };
  }
  const again = taskNow();
  if (again?.status === "blocked") yield { event: retried(context, again.id, by) };
}

/** The person's text, with the boxes of the commit, and what its session noted where that can be told apart. */
function settleManifest({ holder }: RunContext, sides: OwnSides): string | null {
  const { base, ours, theirs, tasks } = sides;
  if (ours === null) return null;
  const merged = base === null || theirs === null ? undefined : mergeLines(base, ours, theirs);
  return withBoxes(merged ?? ours, holder.state.tasks, tasks as readonly TaskId[], true);
}

/**
 * Verified work has moved with the person's branch; now everything that follows from it, in this order, each
 * safe to repeat: what could not come along is its task's unfinished work again; the ids of commits, and their
 * evidence; tasks that are no longer done; a person's yes where the lines are others; delivery. The kept move goes last, so
 * that a kill leaves it to be finished.
 */
async function* finishMove(context: RunContext, move: Move): Steps {
  for (const held of move.left) {
    // oxlint-disable-next-line no-await-in-loop
    if (held.why !== "removed") await keepAsUnfinished(context, held);
  }
  yield* recordIds(context, move);
  await noteMoved(context, move);
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
  for (const task of tasksDoneBy(context, held.tasks, held.id)) {
    // oxlint-disable-next-line no-await-in-loop
    await workAgain(context, task, held);
  }
}

async function* recordIds(context: RunContext, { commits, left, how, to }: Move): Steps {
  const changed = commits.filter(({ old, now }) => old !== now);
  const replayed = changed.filter((each) => each.how === "replayed");
  const merge = how === "merged" ? [to.commit] : [];
  const gone = [...replayed.map(({ old }) => old), ...left.map(({ id }) => id)];
  replaceKnownCommits(context, gone, [...replayed.map(({ now }) => now), ...merge]);
  for (const { old, now, tasks } of changed) {
    for (const { id } of tasksDoneBy(context, tasks, old)) {
      const recorded = { task_id: id, commit: now };
      yield { event: { kind: "commit-recorded", ...fact(context), ...recorded } };
    }
  }
}

/** What the person has in commits of their own was not verified there: no evidence goes with it. */
async function noteMoved(context: RunContext, { commits, to }: Move): Promise<void> {
  const made = commits
    .filter(({ how, old, now }) => how === "replayed" && old !== now)
    .map(({ old, now, tasks }) => [now, { old, tasks: tasksDoneBy(context, tasks, now) }] as const);
  await noteReplayed(context, new Map(made), to.commit);
}

async function* takeBack(context: RunContext, held: HeldBack, wishes: BranchWishes): Steps {
  const id = context.holder.state.project_id;
  const again = `stint resume ${id} --retry`;
  for (const task of tasksDoneBy(context, held.tasks, held.id)) {
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
  for (const { id: task, status } of context.holder.state.tasks) {
    if (held.tasks.includes(task) && status === "blocked") {
      yield { event: retried(context, task, wishes.by) };
    }
  }
}

function whatIsWrong({ space }: RunContext, { why, paths, failure }: HeldBack): string {
  switch (why) {
    case "removed":
      return `${space.deliversTo() ?? "your branch"} no longer contains it`;
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
  const event = await reopen(context, { task, what }, BRANCH_CHANGED);
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

function retried(context: RunContext, task_id: TaskId, by: string | null): ProjectEvent {
  return { kind: "task-retried", at: nowOf(context), by: by ?? context.person, task_id };
}

async function* askAgain(context: RunContext, { commits }: Move): Steps {
  const { holder, tell } = context;
  for (const { tasks, now } of commits.filter(({ isSame }) => !isSame)) {
    for (const task of tasksDoneBy(context, tasks, now)) {
      const asked = hasGrant(task, "task-after") ? askAboutOutput(context, task, now) : null;
      if (asked === null) continue;
      if (holder.state.status !== "Done") yield { event: asked };
      else tell({ kind: "notice", text: asked.question.text });
    }
  }
}

/** All of ours is in the person's file then; what else changed in it stays theirs to be read. */
async function* deliverMoved(context: RunContext): Steps {
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
    found: `${branch} has the verified work in other commits: new work starts from ${onto.slice(0, 10)}`,
  }[how];
  announce(context, "work-moved", summary, { from: from.commit, to: to.commit, onto, commits });
}

/** Those of them that this commit made done, and that nobody took back since. */
function tasksDoneBy(
  { holder }: RunContext,
  ids: readonly string[],
  commit: string,
): readonly DoneTask[] {
  return holder.state.tasks.flatMap((task) =>
    ids.includes(task.id) && task.status === "done" && task.commit === commit ? [task] : [],
  );
}
