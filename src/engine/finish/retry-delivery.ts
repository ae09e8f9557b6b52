// Work that waits on its own branch is tried again whenever a run begins or ends: what was in the way may be
// gone by then.
import type { Delivery } from "../../core/schema/project.ts";
import type { Held } from "../../workspace/workspace.ts";
import { inTheWayOf } from "./branch-questions.ts";
import { type DeliveringContext, deliverWork, holdBack } from "./deliver-work.ts";
import { followBranch } from "./follow-branch.ts";
import { fact } from "../base/fact.ts";
import type { Steps } from "../base/steps.ts";
import type { RunContext } from "../base/run-context.ts";

/** Whether verified work has not reached the person's branch yet. */
export function isWaiting({ holder }: Pick<DeliveringContext, "holder">): boolean {
  return holder.state.delivery?.kind === "waiting";
}

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

/** Brings the work in where that can be done, and says where it is. */
export async function* deliverAndRecord(
  context: DeliveringContext,
  inTheWay: Held | null = null,
): Steps<Delivery> {
  const { delivery, texts } =
    inTheWay === null ? await deliverWork(context) : await holdBack(context, inTheWay);
  // What is abandoned stays as it was left; where its work is can be seen in the repository.
  if (texts.delivery === undefined || context.holder.state.status === "Abandoned") return delivery;
  yield { event: { kind: "delivery-recorded", ...fact(context), ...texts, delivery } };
  return delivery;
}
