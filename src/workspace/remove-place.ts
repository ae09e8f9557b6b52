// Removes a workspace: its folder, then the refs that held its start and its tip. The branch of its work and
// what was there before that branch stay: they may be the only copy.
import { discardFolder } from "./discard-folder.ts";
import type { Place } from "./place.ts";
import { moveRefs, ownRefs } from "./refs.ts";
import { readRefs } from "./person-repository.ts";
import { dropIfEmpty } from "./workspace-folders.ts";

export async function removePlace({ options, person }: Place): Promise<void> {
  await discardFolder(options.home);
  dropIfEmpty(options.home);
  if (person === null) return;
  const { base, tip } = ownRefs(options);
  const next = `refs/stint/${options.project}/next`;
  const refs = await readRefs(person, [base, tip, next]);
  await moveRefs(
    person,
    [...refs].map(([ref, { commit }]) => ({ ref, to: null, from: commit })),
  );
}
