// With `deliver: ask` a person is asked once, when nothing else is left to do, and exactly what was shown is
// delivered.
import type { ProjectEvent } from "../../core/events.ts";
import { answerTo, askOnce, withdrawAsked } from "../people/ask-once.ts";
import { deliverWork } from "./deliver-work.ts";
import { deliverySubject } from "./delivery-subject.ts";
import { fact } from "../base/fact.ts";
import type { RunContext } from "../base/run-context.ts";

/** What a person is to be asked, or where the work is by their answer; null where there is nothing new. */
export async function settleDelivery(context: RunContext): Promise<ProjectEvent | null> {
  const { holder, space, rule } = context;
  const target = space.deliversTo();
  const isAskedAbout =
    space.kind === "own-copy" && (await rule.choose(target)).kind === "ask" && target !== null;
  const subject =
    isAskedAbout && holder.state.delivery?.kind === "waiting"
      ? await deliverySubject(context)
      : null;
  if (subject === null || target === null) {
    return withdrawAsked(context, "deliver", "there is nothing to be delivered any longer");
  }
  const answer = answerTo(holder.state, "deliver", subject);
  if (answer?.status === "granted" || answer?.status === "denied") {
    const { texts, delivery } = await deliverWork(context);
    if (texts.delivery === undefined) return null;
    return { kind: "delivery-recorded", ...fact(context), ...texts, delivery };
  }
  return askOnce(context, {
    kind: "deliver",
    subject,
    reason: `verified work is not in ${target} yet: deliver: ask is set`,
    on_yes: `exactly this is brought into ${target}`,
    on_no: `it stays on stint/${holder.entry.slug}`,
  });
}
