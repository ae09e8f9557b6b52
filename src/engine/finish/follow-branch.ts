// The person works on in their branch: they commit, amend, rebase, reset, pull. Verified work that the branch
// does not hold goes where the branch is now, before the next session, before Done, and whenever somebody
// wants it delivered. What cannot go there by itself is asked, with both sides, and nothing moves until then.
import { withBoxes } from "../manifest/task-boxes.ts";
import type { TaskId } from "../../core/ids.ts";
import { mergeLines } from "../../manifest/edit/line-diff.ts";
import type { Followed, OwnSides } from "../../workspace/workspace.ts";
import {
  askAboutBranch,
  nextOutputAnswer,
  openQuestion,
  type OutputAnswer,
  takeBranchAnswer,
  withdrawn,
} from "./branch-questions.ts";
import {
  branchWishes,
  forgetWishes,
  keepMove,
  keepWishes,
  unfinishedMove,
} from "./branch-wishes.ts";
import type { BranchWishes } from "../../core/schema/run-records.ts";
import { checkMove } from "./check-move.ts";
import { deliverMoved, finishMove, retried } from "./finish-move.ts";
import type { Steps } from "../base/steps.ts";
import { fact } from "../base/fact.ts";
import type { RunContext } from "../base/run-context.ts";
import { BRANCH_CHANGED, reopen } from "../verify/verify-again.ts";
import { workBelongsTo } from "../manifest/persons-git.ts";

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
    settle: (sides) => settleManifest(context, sides),
    verify: (move) => checkMove(context, move),
    keep: (move) => keepMove(context, move),
  });
  switch (followed.kind) {
    case "nothing":
    case "moved":
      if (open !== null) yield { event: withdrawn(context, open.item, BRANCH_CHANGED) };
      if (followed.kind === "moved") yield* finishMove(context, followed.move);
      else yield* goForward(context, wishes);
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
  const text = `${from} is called ${to} now: verified work goes there`;
  context.holder.note({ ...fact(context), kind: "branch-renamed", summary: text });
  context.tell({ kind: "notice", text });
}

function tellOnce(
  context: RunContext,
  { why, hint }: Extract<Followed, { kind: "waiting" }>,
): void {
  const text = `the work waits on stint/${context.holder.entry.slug}: ${why}. ${hint}`;
  if (branchWishes(context).told === text) return;
  context.holder.note({ ...fact(context), kind: "delivery-waits", summary: text });
  context.tell({ kind: "notice", text });
  keepWishes(context, { told: text });
}

/** What a person wants back is there by a delivery alone. */
async function* goForward(context: RunContext, { removed }: BranchWishes): Steps {
  if (removed === "bring") yield* deliverMoved(context);
  forgetWishes(context);
}

async function* takeOutputAnswers(context: RunContext): Steps {
  for (;;) {
    const answer = nextOutputAnswer(context);
    if (answer === null) return;
    if (!answer.isYes) yield* doAgain(context, answer);
    keepWishes(context, { taken: [answer.item.id] });
  }
}

async function* doAgain(context: RunContext, { item }: OutputAnswer): Steps {
  const taskNow = () => context.holder.state.tasks.find(({ id }) => id === item.task_id);
  const task = taskNow();
  if (task?.status === "done") {
    const what = `${item.by} says of it: ${item.answer}`;
    const broken = { kind: "broken", task, what } as const;
    yield { event: await reopen(context, broken, "its lines changed") };
  }
  const again = taskNow();
  if (again?.status === "blocked") yield { event: retried(context, again.id, item.by) };
}

/** The person's text, with the boxes of the commit, and what its session noted where that can be told apart. */
function settleManifest({ holder }: RunContext, sides: OwnSides): string | null {
  const { base, ours, theirs, tasks } = sides;
  if (ours === null) return null;
  const merged = base === null || theirs === null ? undefined : mergeLines(base, ours, theirs);
  return withBoxes(merged ?? ours, holder.state.tasks, tasks as readonly TaskId[], true);
}
