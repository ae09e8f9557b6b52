// Another branch of the person's becomes the one that verified work goes to. Durable before it is told.
import { StintError } from "../../core/stint-error.ts";
import { type PersonRepository, readRefs } from "../repository/person-repository.ts";
import type { Place } from "../repository/place.ts";
import { writeRecord } from "../repository/record.ts";
import { isAncestor, ownRefs } from "../commit/refs.ts";

/** `name` without refs/heads/. @throws bad-input */
export async function deliverInto(
  place: Place,
  person: PersonRepository,
  name: string,
): Promise<void> {
  const branch = `refs/heads/${name}`;
  if (branch === ownRefs(place.options).branch) {
    throw new StintError(
      "bad-input",
      `${name} is where the work waits already`,
      "Name the branch that it is to go to: stint deliver --into <branch>",
    );
  }
  const there = await commitAt(person, branch);
  if (there === null) {
    throw new StintError(
      "bad-input",
      `there is no branch ${name} in ${person.checkout}`,
      `See which there are: git branch; or make it first: git branch ${name}`,
    );
  }
  if (branch === place.record.branch) return;
  const { held } = place.record;
  // What the other branch held says nothing about this one, unless it is there too: a new name.
  const isHeld = held !== null && (await isAncestor(person, held, there));
  place.record = { ...place.record, branch, held: isHeld ? held : null };
  writeRecord(place.options.home, place.record);
}

/** A name that git would not take for a branch is none; it never reaches git as an option or a pattern. */
async function commitAt(person: PersonRepository, branch: string): Promise<string | null> {
  const { code } = await person.git.run(["check-ref-format", branch], { accept: "any" });
  if (code !== 0) return null;
  return (await readRefs(person, [branch])).get(branch)?.commit ?? null;
}
