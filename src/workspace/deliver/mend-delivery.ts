// Ends what a killed delivery left, as every delivery ends. All that lies around is ours as long as the
// intent says so.
import { StintError } from "../../core/stint-error.ts";
import { isBeingDelivered, gitEnded, readIntent } from "./delivery-intent.ts";
import { dropCopy, indexLock } from "./index-lock.ts";
import { stageOf } from "./laid-files.ts";
import { inPlainWords, type Obstacle } from "./merge-refusal.ts";
import type { PersonRepository } from "../repository/person-repository.ts";
import { removeTree } from "../disk/remove-tree.ts";
import { settleDelivery, type SettlePlace } from "./settle-delivery.ts";

const BUSY: Obstacle = {
  why: "another delivery into this checkout is under way",
  hint: (_, bring) => `Wait for it, then: ${bring}`,
};

/** @returns what to wait for; null when the way is free. */
export async function mendDelivery(
  place: SettlePlace,
  person: PersonRepository,
): Promise<Obstacle | null> {
  const intent = readIntent(place.options.home);
  if (intent === null) {
    dropPrepared(place, person);
    return null;
  }
  if (isBeingDelivered(intent) || !(await gitEnded(intent))) return BUSY;
  try {
    await settleDelivery(place, person, intent);
    return null;
  } catch (error) {
    if (!(error instanceof StintError)) throw error;
    return inPlainWords(error.message);
  }
}

/** What was prepared by one that was killed before it touched anything. */
function dropPrepared({ options }: SettlePlace, person: PersonRepository): void {
  removeTree(stageOf(person, options.project).folder);
  dropCopy(indexLock(person, options.project));
}
