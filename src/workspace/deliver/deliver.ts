// Brings the verified commits into the person's branch, where nothing is in the way: into the checkout where
// that is on the branch (it overwrites nothing that a person changed; fast-forward.ts says how, and what a
// kill leaves), else by reference.
import { branchName } from "../../git/branch-name.ts";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Delivery } from "../../core/schema/project.ts";
import { emptyTreeLike, type EntryChange } from "../../git/diff-trees.ts";
import { operationInProgress } from "../../git/operation-in-progress.ts";
import { rawChanges } from "../tree/combine.ts";
import { deliverByReference, inTheWayOfReference } from "./deliver-by-reference.ts";
import { fastForward } from "./fast-forward.ts";
import { mendDelivery } from "./mend-delivery.ts";
import { DIVERGED, lockedBy, type Obstacle, TAKEN_OUT } from "./merge-refusal.ts";
import {
  otherHolders,
  type PersonRepository,
  readRefs,
  type RefValue,
} from "../repository/person-repository.ts";
import type { Place } from "../repository/place.ts";
import { catchUp, noteHeld } from "../repository/record.ts";
import { isAncestor } from "../commit/refs.ts";
import { type Look, lookAtRefs } from "../commit/tip.ts";
import type { Held } from "../workspace.ts";

/** With `held` it only looks: what the branch does not hold stays where it is. */
export async function deliver(
  place: Place,
  person: PersonRepository,
  held: Held | null,
): Promise<Delivery> {
  const stillBusy = await mendDelivery(place, person);
  if (stillBusy !== null) return waiting(place, stillBusy);
  const look = await lookAtRefs(place, person);
  const { branch } = place.record;
  const { tip } = look;
  if (branch === null) {
    catchUp(place);
    return onNoBranch(place);
  }
  const target = await targetIn(person, look, branch);
  const from = target?.commit ?? null;
  const delivered: Delivery = {
    kind: "delivered",
    branch: branchName(branch),
    commit: tip?.commit ?? null,
  };
  if (tip === null) return delivered;
  if (from === tip.commit) return seen(place, tip, delivered);
  // Asked first: a merge that is refused leaves its traces all the same.
  const isBehind = from === null || (await isAncestor(person, from, tip.commit));
  if (!isBehind && (await isAncestor(person, tip.commit, from))) {
    return seen(place, tip, delivered);
  }
  if (held !== null) {
    catchUp(place);
    return { kind: "waiting", branch: ownBranch(place), ...held };
  }
  const obstacle =
    look.branch === branch
      ? whatIsInTheWay(person, branch)
      : inTheWayOfReference(person, branch, from !== null);
  if (obstacle !== null) return waiting(place, obstacle);
  if (!isBehind) return waiting(place, DIVERGED);
  if (await isTakenOut(place, person, from)) return waiting(place, TAKEN_OUT);
  const move = { from, to: tip.commit, branch };
  const refusal =
    look.branch === branch
      ? await fastForward(place, person, move, await changesFor(place, target, tip))
      : await deliverByReference(place, person, move);
  if (refusal === null) return seen(place, tip, delivered);
  const now = (await readRefs(person, [branch])).get(branch)?.commit;
  if (now !== undefined && (await isAncestor(person, tip.commit, now))) {
    return seen(place, tip, delivered);
  }
  return waiting(place, refusal);
}

/** What was seen on the branch once and is not there now was taken out by the person. */
async function isTakenOut(
  { record }: Place,
  person: PersonRepository,
  from: string | null,
): Promise<boolean> {
  if (record.held === null || from === record.held) return false;
  return from === null || !(await isAncestor(person, record.held, from));
}

/** The branch holds it: whatever is missing there later was taken out. */
function seen(place: Place, { commit }: RefValue, delivered: Delivery): Delivery {
  noteHeld(place, commit);
  return delivered;
}

async function targetIn(
  person: PersonRepository,
  { refs }: Look,
  branch: string,
): Promise<RefValue | undefined> {
  return refs.get(branch) ?? (await readRefs(person, [branch])).get(branch);
}

async function changesFor(
  place: Place,
  target: RefValue | undefined,
  tip: RefValue,
): Promise<EntryChange[]> {
  return await rawChanges(place, target?.tree ?? emptyTreeLike(tip.tree), tip.tree);
}

/** Nobody but the person can say where it belongs. */
function onNoBranch(place: Place): Delivery {
  return {
    kind: "waiting",
    branch: ownBranch(place),
    held_by: "choice",
    why: "the checkout was on no branch when the work began",
    hint: `Say where it is to go: ${bringCommand(place)} --into <branch>`,
  };
}

function whatIsInTheWay(person: PersonRepository, wanted: string): Obstacle | null {
  const name = branchName(wanted);
  const operation = operationInProgress(person.folder);
  if (operation !== null) {
    return {
      why: `a ${operation} is in progress in the checkout`,
      hint: (_, bring) => `Finish or abort the ${operation}, then: ${bring}`,
    };
  }
  if (otherHolders(person, wanted).length > 0) {
    return {
      why: `${name} is checked out in another work tree too`,
      hint: (_, bring) => `Leave it checked out in one work tree only, then: ${bring}`,
    };
  }
  const lock = join(person.folder.own, "index.lock");
  return existsSync(lock) ? lockedBy(lock) : null;
}

/** Whoever waits for long has written what is known. */
function waiting(place: Place, { why, hint }: Obstacle): Delivery {
  catchUp(place);
  const branch = ownBranch(place);
  const text = hint(branch, bringCommand(place));
  return { kind: "waiting", branch, held_by: "obstacle", why, hint: text };
}

function ownBranch({ options }: Place): string {
  return `stint/${options.slug}`;
}

function bringCommand({ options }: Place): string {
  return `stint deliver ${options.project}`;
}
