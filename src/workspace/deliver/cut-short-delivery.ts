// A delivery that a kill cut short, for commands that do not open the workspace: whether there is one, and its
// end. The checkout may hold files of it until then, so nobody reads the person's files before it is ended.
import { isBeingDelivered, readIntent } from "./delivery-intent.ts";
import { mendDelivery } from "./mend-delivery.ts";
import type { Obstacle } from "./merge-refusal.ts";
import { findPersonRepository } from "../repository/person-repository.ts";

export interface DeliveryPlace {
  /** Of the workspace. */
  readonly home: string;
  readonly project: string;
  readonly checkout: string;
}

export interface Ended {
  /** What keeps it from being ended. */
  readonly obstacle: Obstacle | null;
  /** What the person is told of files that they saved meanwhile. */
  readonly notes: readonly string[];
}

export function isCutShort(home: string): boolean {
  const intent = readIntent(home);
  return intent !== null && !isBeingDelivered(intent);
}

export async function endCutShort({ home, project, checkout }: DeliveryPlace): Promise<Ended> {
  const person = isCutShort(home) ? findPersonRepository(checkout) : null;
  if (person === null) return { obstacle: null, notes: [] };
  const notes: string[] = [];
  const obstacle = await mendDelivery({ options: { home, project }, notes }, person);
  return { obstacle, notes };
}
