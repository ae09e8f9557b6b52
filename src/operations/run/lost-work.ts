// Verified work whose commits are gone: the checkout was deleted and cloned again before they were pushed, or git's objects
// were removed. No run does such work again without a person's word, and none calls it done.
import type { DoneTask } from "../../core/project-state.ts";
import { isTerminal } from "../../core/project-state.ts";
import { StintError } from "../../core/stint-error.ts";
import { nowOf } from "../../engine/base/fact.ts";
import type { Steps } from "../../engine/base/persist.ts";
import type { RunContext } from "../../engine/base/run-context.ts";
import { reopen } from "../../engine/finish/verify-again.ts";
import { seenText, withBoxes, writtenTasks } from "../../engine/people/manifest-texts.ts";
import { goneWork } from "../../engine/space/delivery-now.ts";
import type { Holder } from "../../store/store.ts";

/** @throws state-corrupt before anything is started */
export async function assertNoWorkIsGone({ entry, state }: Holder): Promise<void> {
  if (isTerminal(state)) return;
  const gone = await goneWork(entry.root, state);
  if (gone.length === 0) return;
  const which = gone.map(({ task, commit }) => `${commit.slice(0, 10)} of ${task}`).join(", ");
  const id = state.project_id;
  throw new StintError(
    "state-corrupt",
    `${id}: the repository at ${entry.root} no longer has verified work: ${which}. It was cloned again, or git's objects were removed. Nothing was started.`,
    `If another clone or remote has it, fetch it from there and merge it; to do it again: stint resume ${id} --unverified`,
  );
}

/** By the word of a person, who started the run with it. */
export async function* doGoneWorkAgain(context: RunContext): Steps {
  const { entry, state } = context.holder;
  if (isTerminal(state)) return;
  for (const { task: id, commit } of await goneWork(entry.root, state)) {
    const task = context.holder.state.tasks.find(
      (each): each is DoneTask => each.id === id && each.status === "done",
    );
    if (task === undefined) continue;
    const what = `${commit.slice(0, 10)} is nowhere in the repository`;
    // oxlint-disable-next-line no-await-in-loop
    const event = await reopen(context, { task, what }, "git lost its commit");
    // The box in the person's file is as their repository has it now: that is no edit of theirs.
    const { tasks } = context.holder.state;
    const theirs = writtenTasks(context.checkout.readManifest() ?? "", tasks).byId.get(id);
    const isChecked = theirs?.item.box.checked === true;
    const seen = withBoxes(seenText(context), tasks, [id], isChecked);
    const manifest_seen = event.manifest_seen ?? context.holder.keepManifest(seen);
    yield { event: { ...event, manifest_seen } };
    yield {
      event: { kind: "task-retried", at: nowOf(context), by: context.person, task_id: id },
    };
  }
}
