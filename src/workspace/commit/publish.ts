// Brings a verified commit into the person's repository. Order that matters on a crash: its objects are
// durable there, then the refs that hold it move in one act, each from the value that is known and only
// forward, and never one that somebody has checked out; then that is recorded.
import { StintError } from "../../core/stint-error.ts";
import { bringObjects } from "./bring-objects.ts";
import { isInUse, type PersonRepository } from "../repository/person-repository.ts";
import type { Place } from "../repository/place.ts";
import { writeRecord } from "../repository/record.ts";
import { isAncestor, moveRefs, ownRefs, type RefMove } from "./refs.ts";
import type { Look } from "./tip.ts";

export async function publish(
  place: Place,
  person: PersonRepository,
  look: Look,
  commit: string,
): Promise<void> {
  const { tip, branch } = ownRefs(place.options);
  const before = look.tip?.commit ?? null;
  await bringObjects(place, person, commit, before);
  const held = { ref: tip, to: commit, from: before };
  const room = await roomForBranch(place, person, look);
  const isMoved =
    room !== null && (await areMoved(person, [held, { ref: branch, to: commit, from: room.from }]));
  if (!isMoved) await moveRefs(person, [held]);
  place.record = { ...place.record, tip: commit, ...(isMoved ? { ours: commit } : {}) };
  writeRecord(place.options.home, place.record);
}

/** False where the branch alone may be the reason: a folder of its name, a lock. */
async function areMoved(person: PersonRepository, moves: readonly RefMove[]): Promise<boolean> {
  try {
    await moveRefs(person, moves);
    return true;
  } catch (error) {
    if (!(error instanceof StintError)) throw error;
    return false;
  }
}

/**
 * Makes room for our branch. What somebody else keeps under its name is kept under another.
 * @returns what it moves from; null where it has to stay as it is
 */
export async function roomForBranch(
  place: Place,
  person: PersonRepository,
  { refs, tip }: Look,
): Promise<{ readonly from: string | null } | null> {
  const { branch } = ownRefs(place.options);
  if (isInUse(person, branch)) return null;
  const from = refs.get(branch)?.commit ?? null;
  if (from === null) return { from };
  // Ours, or one of an earlier time whose work the new one holds: it moves forward, and nothing is lost.
  if (tip !== null && (await isAncestor(person, from, tip.commit))) return { from };
  if (from === place.record.ours) return null;
  const ref = await unusedRef(person, `refs/stint/${place.options.project}/old-branch`);
  await moveRefs(person, [
    { ref, to: from, from: null },
    { ref: branch, to: null, from },
  ]);
  return { from: null };
}

async function unusedRef({ git }: PersonRepository, folder: string): Promise<string> {
  const { stdout } = await git.run(["for-each-ref", "--format=%(refname)", `${folder}/`]);
  const taken = stdout.split("\n").map((name) => Number(name.slice(folder.length + 1)) || 0);
  return `${folder}/${Math.max(0, ...taken) + 1}`;
}
