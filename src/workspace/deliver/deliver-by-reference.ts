// Brings verified commits into a branch that nobody has checked out: the branch moves forward, by one act of
// git that refuses everything else, and no file or index changes. Order that matters on a crash: the intent
// is durable before git starts, so that a lock that a killed one left is known as ours.
import { existsSync } from "node:fs";
import { branchName } from "../../git/refs.ts";
import { join } from "node:path";
import { operationOn, otherHolders, type PersonRepository } from "../base/person-repository.ts";
import type { WithGit } from "../base/place.ts";
import { ownRefs } from "../base/refs.ts";
import { begin, settleDelivery } from "./end-delivery.ts";
import type { Move } from "./fast-forward.ts";
import { deleted, inPlainWords, lockedBy, type Obstacle } from "./obstacle.ts";

/** A fetch within one repository, whatever the person has set for those from elsewhere. */
const QUIETLY = [
  "-c",
  "protocol.file.allow=always",
  "-c",
  "fetch.writeCommitGraph=false",
  "-c",
  "fetch.pruneTags=false",
  "fetch",
  "--quiet",
  "--atomic",
  "--no-tags",
  "--no-prune",
  "--no-write-fetch-head",
  "--no-auto-maintenance",
  "--no-recurse-submodules",
  "--no-show-forced-updates",
];

/** @returns what was in the way; the branch is where it was then. */
export async function deliverByReference(place: WithGit, move: Move): Promise<Obstacle | null> {
  const { person } = place;
  const lock = join(person.folder.common, `${move.branch}.lock`);
  if (existsSync(lock)) return lockedBy(lock);
  const { tip } = ownRefs(place.options);
  const intent = begin(place.options.home, { ...move, laid: { files: [], folders: [] } });
  const { stderr } = await person.git.run(
    [...QUIETLY, person.folder.common, `${tip}:${move.branch}`],
    { accept: "any", env: { GIT_REFLOG_ACTION: "stint deliver" } },
  );
  return (await settleDelivery(place, person, intent)) ? null : inPlainWords(stderr);
}

/** `isThere`: the branch still has a commit. */
export function inTheWayOfReference(
  person: PersonRepository,
  wanted: string,
  isThere: boolean,
): Obstacle | null {
  const name = branchName(wanted);
  if (!isThere) return deleted(wanted);
  const operation = operationOn(person, wanted);
  if (operation !== null) {
    return {
      why: `a ${operation} of ${name} is in progress`,
      hint: (_, bring) => `Finish or abort the ${operation}, then: ${bring}`,
    };
  }
  if (otherHolders(person, wanted).length > 0) {
    return {
      why: `${name} is checked out in another work tree`,
      hint: (branch, bring) =>
        `Bring it in there: git merge --ff-only ${branch}; or leave ${name} there, then: ${bring}`,
    };
  }
  return null;
}
