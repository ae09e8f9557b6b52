// What a run does about work that is there when it begins or ends: what waits is delivered, a person's
// uncommitted changes become its first commit, and a workspace that nobody needs any more goes.
import type { Delivery } from "../../core/schema/project.ts";
import { fewOf } from "../../core/words/amounts.ts";
import { announce } from "../base/fact.ts";
import { keepKnownCommits, memoryOf } from "../base/kept-record.ts";
import type { Steps } from "../base/persist.ts";
import type { RunContext } from "../base/run-context.ts";
import { whileTold } from "../base/while-wanted.ts";
import { readSpace } from "../space/kept-space.ts";
import { inTheWayOf } from "./branch-questions.ts";
import { deliverAndRecord } from "./deliver.ts";
import { followBranch } from "./follow-branch.ts";
import { isThere } from "../../process/look-at.ts";

/** Whether verified work has not reached the person's branch yet. */
export function isWaiting({ holder }: Pick<RunContext, "holder">): boolean {
  return holder.state.delivery?.kind === "waiting";
}

/** Tried whenever a run begins or ends: what was in the way may be gone by then. */
export async function* retryDelivery(context: RunContext): Steps {
  if (!isWaiting(context)) return;
  // A project that is not done follows the person's branch in its rounds.
  if (context.holder.state.status === "Done") yield* followAndDeliver(context);
  else yield* deliverAndRecord(context);
}

/** As the person's branch is now. One that is done asks nothing: what is in the way is said instead. */
export async function* followAndDeliver(context: RunContext): Steps<Delivery> {
  const followed = yield* followBranch(context);
  if (followed.kind === "waiting") {
    const { why, hint } = followed;
    return yield* deliverAndRecord(context, { held_by: "obstacle", why, hint });
  }
  const isHeldUp = followed.kind === "conflict" || followed.kind === "removed";
  const isSaid = isHeldUp && context.holder.state.status === "Done";
  return yield* deliverAndRecord(context, isSaid ? inTheWayOf(context, followed) : null);
}

/** The workspace starts from them, and they are delivered with the first verified work. */
export async function includeChanges(context: RunContext): Promise<void> {
  const included = await context.space.include();
  const tell = (text: string): void => context.tell({ kind: "notice", text });
  if (included.kind === "ahead") {
    tell(
      "continues from the existing work; your changes since then are not included (--include-changes is only for new work)",
    );
    return;
  }
  for (const { path, why } of included.left) tell(`${path} is not included: ${why}`);
  if (included.kind === "nothing") {
    tell("there are no uncommitted changes to include");
    return;
  }
  const { commit, paths } = included;
  keepKnownCommits(context, [commit]);
  const text = `starts from your uncommitted changes (${fewOf(paths)}), as ${commit.slice(0, 10)}`;
  announce(context, "changes-included", text);
}

/**
 * The workspace of a project that is done, and whose work the person has. One that holds anything that is
 * nowhere else stays. A kill before or in it leaves what the next run or `clean` removes.
 */
export async function removeWhenOver(
  context: Pick<RunContext, "holder" | "store" | "space" | "host" | "tell">,
): Promise<void> {
  const { holder, store, space } = context;
  const { entry, state } = holder;
  if (state.status !== "Done" || space.kind === "in-place") return;
  const home = readSpace(store, entry)?.home;
  if (home === undefined || !isThere(home) || isWaiting(context)) return;
  // Of a task that was left out: whoever takes it up again finds what its sessions left.
  const hasWork = state.tasks.some(({ id, status }) => {
    const { work } = status === "done" ? {} : memoryOf(context, id);
    return work !== undefined && work.tree !== work.base;
  });
  if (!hasWork) await whileTold(context, "removing the workspace", () => space.remove());
}
