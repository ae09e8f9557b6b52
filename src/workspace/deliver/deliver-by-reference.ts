// Brings verified commits into a branch that nobody has checked out: the branch moves forward, by one act of
// git that refuses everything else, and no file or index changes. Order that matters on a crash: the intent
// is durable before git starts, so that a lock that a killed one left is known as ours.
import { branchName } from "../../git/refs.ts";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { newIntent, writeIntent } from "./delivery-intent.ts";
import { readIfThere } from "../disk/durable-file.ts";
import type { Move } from "./fast-forward.ts";
import { deleted, inPlainWords, lockedBy, type Obstacle } from "./merge-refusal.ts";
import { otherHolders, type PersonRepository } from "../repository/person-repository.ts";
import type { Place } from "../repository/place.ts";
import { ownRefs } from "../commit/refs.ts";
import { settleDelivery } from "./settle-delivery.ts";

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
export async function deliverByReference(
  place: Place,
  person: PersonRepository,
  move: Move,
): Promise<Obstacle | null> {
  const lock = join(person.folder.common, `${move.branch}.lock`);
  if (existsSync(lock)) return lockedBy(lock);
  const { tip } = ownRefs(place.options);
  const intent = newIntent({ ...move, laid: { files: [], folders: [] } });
  writeIntent(place.options.home, intent);
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

const NAMED_IN: readonly (readonly [string, "rebase" | "bisect"])[] = [
  ["rebase-merge/head-name", "rebase"],
  ["rebase-apply/head-name", "rebase"],
  ["rebase-merge/update-refs", "rebase"],
  ["BISECT_START", "bisect"],
];

/** A rebase or bisect that will put the branch somewhere when it ends, in any work tree. */
function operationOn({ folder }: PersonRepository, branch: string): "rebase" | "bisect" | null {
  const linked = join(folder.common, "worktrees");
  const folders = [
    folder.common,
    ...(existsSync(linked) ? readdirSync(linked).map((name) => join(linked, name)) : []),
  ];
  const short = branchName(branch);
  for (const at of folders) {
    const found = NAMED_IN.find(([path]) => {
      const lines = String(readIfThere(join(at, path)) ?? "").split("\n");
      return lines.includes(branch) || (path === "BISECT_START" && lines.includes(short));
    });
    if (found !== undefined) return found[1];
  }
  return null;
}
