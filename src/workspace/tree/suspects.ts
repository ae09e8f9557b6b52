// Files of which git could miss the next edit. It knows a file by its size and by whole seconds; one whose
// time was set back, edited again in the second in which the index was written, looks the same to it.
import { type Listing, listTree } from "./list-tree.ts";
import { setEntries } from "./own-index.ts";
import type { Place } from "../repository/place.ts";
import { onDisk, type RawPath } from "../disk/raw-path.ts";
import { factsOf } from "../disk/remove-tree.ts";

const SECOND = 1_000_000_000n;

/** What lies there and what differs from the index; suspects are compared by their content. */
export async function listPlace(place: Place, aside: readonly RawPath[]): Promise<Listing> {
  const { suspects, indexTree } = place;
  if (suspects.size > 0) {
    const { tracked } = await listTree(place.git, aside, "plain");
    // The same entries again, without what is known of their files.
    await setEntries(place, new Map([...tracked].filter(([path]) => suspects.has(path))));
    place.indexTree = indexTree;
    place.suspects = new Set();
  }
  return await listTree(place.git, aside, "with-changes");
}

/** To be called with the paths that were just put into the index. */
export function noteSuspects(place: Place, paths: readonly RawPath[], nowMs: number): void {
  const now = BigInt(Math.floor(nowMs / 1000));
  for (const path of paths) {
    const facts = factsOf(onDisk(place.folder, path));
    if (facts === null) continue;
    const changedAt = facts.ctimeNs / SECOND;
    if (changedAt >= now - 1n && facts.mtimeNs / SECOND < changedAt) place.suspects.add(path);
  }
}
