// Moves the refs of verified work to where the record says that they are moving: backwards or sideways, which
// no other act does. Its objects are durable in the person's repository first. What the refs leave is kept
// under refs/stint/<project>/replayed. Safe to repeat.
import { readRefs } from "../base/person-repository.ts";
import type { WithGit } from "../base/place.ts";
import { note } from "../base/record.ts";
import { moveRefs, nextRef, numberedRefs, ownRefs, type RefMove } from "../base/refs.ts";
import { bringObjects } from "../commit/tip.ts";

export async function moveOn(place: WithGit): Promise<void> {
  const { person } = place;
  const { moving, ours } = place.record;
  if (moving === null) return;
  const { from, to, onto } = moving;
  const { project } = place.options;
  const { tip, branch } = ownRefs(place.options);
  const folder = `refs/stint/${project}/replayed`;
  await bringObjects(place, to, onto);
  const refs = await readRefs(person, [tip, branch]);
  const kept = await numberedRefs(person, folder);
  const moves: RefMove[] = [];
  if (!kept.some(([commit]) => commit === from)) {
    moves.push({ ref: nextRef(folder, kept), to: from, from: null });
  }
  const there = refs.get(tip)?.commit;
  if (there === from) moves.push({ ref: tip, to, from });
  const own = refs.get(branch)?.commit;
  if (own === undefined) moves.push({ ref: branch, to, from: null });
  else if (own === from || own === ours) moves.push({ ref: branch, to, from: own });
  await moveRefs(
    person,
    moves.filter((move) => move.to !== move.from),
  );
  note(place, { tip: to, ours: to, held: onto, moving: null });
}
