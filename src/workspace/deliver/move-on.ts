// Moves the refs of verified work to where the record says that they are moving: backwards or sideways, which
// no other act does. Its objects are durable in the person's repository first. What the refs leave is kept
// under refs/stint/<project>/replayed. Safe to repeat.
import { type PersonRepository, readRefs } from "../base/person-repository.ts";
import type { Place } from "../base/place.ts";
import { writeRecord } from "../base/record.ts";
import { moveRefs, ownRefs, type RefMove } from "../base/refs.ts";
import { bringObjects } from "../commit/tip.ts";

export async function moveOn(place: Place, person: PersonRepository): Promise<void> {
  const { moving, ours } = place.record;
  if (moving === null) return;
  const { from, to, onto } = moving;
  const { project } = place.options;
  const { tip, branch } = ownRefs(place.options);
  const folder = `refs/stint/${project}/replayed`;
  await bringObjects(place, person, to, onto);
  const refs = await readRefs(person, [tip, branch]);
  const kept = await replayedBefore(person, folder);
  const moves: RefMove[] = [];
  if (!kept.has(from)) {
    const number = Math.max(0, ...kept.values()) + 1;
    moves.push({ ref: `${folder}/${number}`, to: from, from: null });
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
  place.record = { ...place.record, tip: to, ours: to, held: onto, moving: null };
  writeRecord(place.options.home, place.record);
}

/** The commits that were left before, each with its number. */
async function replayedBefore(
  { git }: PersonRepository,
  folder: string,
): Promise<ReadonlyMap<string, number>> {
  const args = ["for-each-ref", "--format=%(objectname) %(refname)", `${folder}/`];
  const lines = (await git.run(args)).stdout.split("\n").filter((line) => line !== "");
  return new Map(lines.map((line) => [line.split(" ")[0] ?? "", Number(line.split("/").at(-1))]));
}
