// What becomes of verified work by the mode that the person chose: decided once for each branch that it may
// go to, so that a run does what it said in its first lines.
import type { DeliveryRule } from "../base/ports.ts";
import {
  chooseDelivery,
  type DeliverMode,
  type DeliveryChoice,
} from "../../core/written/delivery-choice.ts";
import { targetFacts } from "../../git/upstream.ts";

/** A person wants it in, whatever the mode says. */
export const ALWAYS_DELIVERS: DeliveryRule = { choose: async () => ({ kind: "deliver" }) };

export function deliveryRule(root: string, mode: DeliverMode): DeliveryRule {
  const chosen = new Map<string | null, DeliveryChoice>();
  return {
    async choose(target) {
      const known = chosen.get(target);
      if (known !== undefined) return known;
      const facts =
        target === null || mode !== "auto"
          ? { branch: target, upstreamRemote: null, remoteDefaults: new Map<string, string>() }
          : await targetFacts(root, target);
      const choice = chooseDelivery(mode, facts);
      chosen.set(target, choice);
      return choice;
    },
  };
}
