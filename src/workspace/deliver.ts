// Brings the verified commits into the person's branch and checkout, where nothing is in the way: it overwrites
// nothing that a person changed. How it moves them, and what a kill leaves, is in fast-forward.ts.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { emptyTreeLike } from "../git/diff-trees.ts";
import { operationInProgress } from "../git/operation-in-progress.ts";
import { rawChanges } from "./combine.ts";
import { fastForward } from "./fast-forward.ts";
import { mendDelivery } from "./mend-delivery.ts";
import { DIVERGED, inPlainWords, type Obstacle } from "./merge-refusal.ts";
import { otherHolders, type PersonRepository, readRefs } from "./person-repository.ts";
import type { Place } from "./place.ts";
import { isAncestor } from "./refs.ts";
import { type Look, lookAtRefs } from "./tip.ts";
import type { Delivery } from "./workspace.ts";

export async function deliver(place: Place, person: PersonRepository): Promise<Delivery> {
  const stillBusy = await mendDelivery(place, person);
  if (stillBusy !== null) return waiting(place, stillBusy);
  const look = await lookAtRefs(place, person);
  const branch = place.record.branch;
  const tip = look.tip;
  const obstacle = whatIsInTheWay(place, person, look);
  if (obstacle !== null || branch === null) return waiting(place, obstacle ?? NO_BRANCH);
  const delivered: Delivery = { kind: "delivered", branch: shortName(branch) };
  const from = look.refs.get(branch)?.commit ?? null;
  if (tip === null || from === tip.commit) return delivered;
  // Asked first: a merge that is refused leaves its traces all the same.
  if (from !== null && !(await isAncestor(person, from, tip.commit))) {
    const isThere = await isAncestor(person, tip.commit, from);
    return isThere ? delivered : waiting(place, DIVERGED);
  }
  const before = look.refs.get(branch)?.tree ?? emptyTreeLike(tip.tree);
  const changes = await rawChanges(place, before, tip.tree);
  const refusal = await fastForward(place, person, { from, to: tip.commit, branch }, changes);
  if (refusal === null) return delivered;
  const now = (await readRefs(person, [branch])).get(branch)?.commit;
  if (now !== undefined && (await isAncestor(person, tip.commit, now))) return delivered;
  return waiting(place, refusal);
}

const NO_BRANCH: Obstacle = {
  why: "the checkout was on no branch when the work began",
  hint: (branch) => `Bring it where you want it: git merge --ff-only ${branch}`,
};

function whatIsInTheWay(place: Place, person: PersonRepository, look: Look): Obstacle | null {
  const wanted = place.record.branch;
  if (wanted === null) return NO_BRANCH;
  const name = shortName(wanted);
  if (look.branch !== wanted) {
    const there = look.branch === null ? "no branch" : shortName(look.branch);
    return {
      why: `the checkout is on ${there}, and the work belongs to ${name}`,
      hint: (branch) =>
        `Switch back and bring it in: git switch ${name} && git merge --ff-only ${branch}`,
    };
  }
  const operation = operationInProgress(person.folder);
  if (operation !== null) {
    return {
      why: `a ${operation} is in progress in the checkout`,
      hint: (branch) => `Finish or abort the ${operation}, then: git merge --ff-only ${branch}`,
    };
  }
  if (otherHolders(person, wanted).length > 0) {
    return {
      why: `${name} is checked out in another work tree too`,
      hint: (branch) =>
        `Leave it checked out in one work tree only, then: git merge --ff-only ${branch}`,
    };
  }
  const lock = join(person.folder.own, "index.lock");
  if (existsSync(lock)) return inPlainWords(`Unable to create '${lock}': File exists.`);
  return null;
}

function waiting(place: Place, { why, hint }: Obstacle): Delivery {
  const branch = `stint/${place.options.slug}`;
  return { kind: "waiting", branch, why, hint: hint(branch) };
}

export function shortName(ref: string): string {
  return ref.replace(/^refs\/heads\//, "");
}
