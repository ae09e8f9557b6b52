// Removes a workspace: the refs that held its start and its tip, then its folder, so that a kill in between
// leaves a folder, which is found again, never refs that nobody finds. The branch of its work and what was
// there before that branch stay: they may be the only copy.
import { existsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { discardFolder } from "./disk/discard-folder.ts";
import type { Place } from "./repository/place.ts";
import { clearPackedLock, clearRefLocks } from "./repository/ref-locks.ts";
import { moveRefs, ownRefs } from "./commit/refs.ts";
import { type PersonRepository, readRefs } from "./repository/person-repository.ts";
import { dropIfEmpty } from "./workspace-folders.ts";
import type { WorkspaceOptions } from "./repository/workspace-options.ts";

export async function removePlace({ options, person }: Place): Promise<void> {
  if (person !== null) {
    await clearRefLocks(person, options);
    await clearPackedLock(person, begunAtMs(options));
    await dropRefs(person, options);
  }
  await discardFolder(options.home);
  dropIfEmpty(options.home);
}

/** When a removal was first begun: what a kill left since then is ours. */
function begunAtMs({ home }: WorkspaceOptions): number {
  const mark = join(home, "removing");
  if (existsSync(home) && !existsSync(mark)) writeFileSync(mark, "");
  return statSync(mark, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
}

async function dropRefs(person: PersonRepository, options: WorkspaceOptions): Promise<void> {
  const { base, tip } = ownRefs(options);
  const next = `refs/stint/${options.project}/next`;
  const refs = await readRefs(person, [base, tip, next]);
  await moveRefs(
    person,
    [...refs].map(([ref, { commit }]) => ({ ref, to: null, from: commit })),
  );
}
