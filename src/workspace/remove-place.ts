// Removes a workspace: its folder, and the refs that held its start and its tip. The branch of its work and
// what was there before that branch stay: they may be the only copy.
import type { Place } from "./place.ts";
import { moveRefs, ownRefs } from "./refs.ts";
import { readRefs } from "./person-repository.ts";
import { removeTree } from "./remove-tree.ts";

export async function removePlace({ options, person }: Place): Promise<void> {
  if (person !== null) {
    const { base, tip } = ownRefs(options);
    const next = `refs/stint/${options.project}/next`;
    const refs = await readRefs(person, [base, tip, next]);
    const moves = [...refs].map(([ref, { commit }]) => ({ ref, to: null, from: commit }));
    await moveRefs(person, moves);
  }
  removeTree(options.home);
}
