// What becomes of verified work by the mode that the person chose: decided once for each branch that it may
// go to, so that a run does what it said in its first lines.
import { chooseDelivery, type DeliverMode, type DeliveryChoice } from "../core/delivery-choice.ts";
import { targetFacts } from "../git/target-facts.ts";

export interface DeliveryRule {
  /** `target` is the branch that the work belongs to, without refs/heads/. */
  choose(target: string | null): Promise<DeliveryChoice>;
}

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
