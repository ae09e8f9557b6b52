// How every delivery ends, whether it went well, was refused or was killed: it is complete when the branch is
// at the commit, and taken back when it is not. Order that matters on a crash: the index first, while it is
// locked; then the files; then the lock goes, and the intent last. Each may be repeated.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { emptyTreeLike } from "../../git/diff-trees.ts";
import { type DeliveryIntent, dropIntent } from "./delivery-intent.ts";
import {
  type IndexLock,
  indexLock,
  installIndex,
  isIndexOurs,
  releaseIndex,
} from "./index-lock.ts";
import { giveSavedBack, stageOf, takeBack } from "./laid-files.ts";
import { isLooseAt, type PersonRepository, readRefs } from "../repository/person-repository.ts";
import type { Place } from "../repository/place.ts";
import { clearLeftLocks } from "../repository/ref-locks.ts";
import { isAncestor } from "../commit/refs.ts";
import { removeTree } from "../disk/remove-tree.ts";

/** Of a place, what the end needs. */
export interface SettlePlace {
  readonly options: Pick<Place["options"], "home" | "project">;
  readonly notes: string[];
}

/** @returns whether the branch has it */
export async function settleDelivery(
  place: SettlePlace,
  person: PersonRepository,
  intent: DeliveryIntent,
): Promise<boolean> {
  const { home, project } = place.options;
  const stage = stageOf(person, project);
  const lock = indexLock(person, project);
  await clearLeftLocks(gitLocks(person, intent.branch), intent.madeAtMs);
  const isDelivered = await holds(person, intent);
  if (isDelivered) {
    if (isIndexOurs(lock)) installIndex(lock);
    else await followIndex(person, lock, intent);
    place.notes.push(...giveSavedBack(stage, intent.laid));
  } else place.notes.push(...takeBack(stage, intent.laid));
  releaseIndex(lock);
  removeTree(stage.folder);
  dropIntent(home);
  return isDelivered;
}

/** Somebody removed our lock and may have staged since: what they did not touch moves on. */
async function followIndex(
  { git }: PersonRepository,
  { copy }: IndexLock,
  { from, to }: DeliveryIntent,
): Promise<void> {
  if (existsSync(copy)) await git.run(["read-tree", "-m", from ?? emptyTreeLike(to), to]);
}

/** Locks that git takes to move the branch that is checked out. */
export function gitLocks({ folder }: PersonRepository, branch: string): string[] {
  return [join(folder.own, "HEAD.lock"), join(folder.common, `${branch}.lock`)];
}

/** Git has just written the ref, so it is a file of its own; if not, git is asked. */
async function holds(person: PersonRepository, { branch, to }: DeliveryIntent): Promise<boolean> {
  if (isLooseAt(person, branch, to)) return true;
  const now = (await readRefs(person, [branch])).get(branch)?.commit;
  return now !== undefined && (now === to || (await isAncestor(person, to, now)));
}
