import type { PersonRepository } from "./person-repository.ts";
import type { Place } from "./place.ts";
import type { Delivery } from "./workspace.ts";
export async function deliver(_place: Place, _person: PersonRepository): Promise<Delivery> {
  throw new Error("not yet");
}
