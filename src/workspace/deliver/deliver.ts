// Brings the verified commits into the person's branch, where nothing is in the way: into the checkout where
// that is on the branch (it overwrites nothing that a person changed; fast-forward.ts says how, and what a
// kill leaves), else by reference.
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Delivery } from "../../core/schema/project.ts";
import { deliverCommand } from "../../core/written/delivery-choice.ts";
import { StintError } from "../../core/stint-error.ts";
import { branchName } from "../../git/refs.ts";
import { emptyTreeLike } from "../../git/diff-trees.ts";
import { operationInProgress } from "../../git/work-tree.ts";
import { otherHolders, type PersonRepository, readRefs } from "../base/person-repository.ts";
import type { Place, WithGit } from "../base/place.ts";
import { catchUp, note } from "../base/record.ts";
import { isAncestor, ownRefs } from "../base/refs.ts";
import { lookAtRefs, refIn } from "../commit/tip.ts";
import { rawChanges } from "../tree/read-trees.ts";
import { deliverByReference, inTheWayOfReference } from "./deliver-by-reference.ts";
import { mendDelivery } from "./end-delivery.ts";
import { fastForward } from "./fast-forward.ts";
import { DIVERGED, lockedBy, type Obstacle, TAKEN_OUT } from "./obstacle.ts";
import type { Held } from "../workspace.ts";

/** With `held` it only looks: what the branch does not hold stays where it is. */
export async function deliver(place: WithGit, held: Held | null): Promise<Delivery> {
  const { person } = place;
  const stillBusy = await mendDelivery(place, person);
  if (stillBusy !== null) return inTheWay(place, stillBusy);
  const look = await lookAtRefs(place);
  const { tip } = look;
  const { branch } = place.record;
  if (branch === null) return waiting(place, onNoBranch(place));
  const target = await refIn(place, look, branch);
  const from = target?.commit ?? null;
  if (tip === null) return { kind: "delivered", branch: branchName(branch), commit: null };
  // The branch holds it: whatever is missing there later was taken out.
  const delivered = (): Delivery => {
    const { included } = place.record;
    const ended = included.length === 0 ? {} : { staged: [], included: [] };
    catchUp(place, { held: tip.commit, ...ended });
    return { kind: "delivered", branch: branchName(branch), commit: tip.commit };
  };
  if (from === tip.commit) return delivered();
  // Asked first: a merge that is refused leaves its traces all the same.
  const isBehind = from === null || (await isAncestor(person, from, tip.commit));
  if (!isBehind && (await isAncestor(person, tip.commit, from))) return delivered();
  if (held !== null) return waiting(place, held);
  const isHere = look.branch === branch;
  const obstacle = isHere
    ? whatIsInTheWay(person, branch)
    : inTheWayOfReference(person, branch, from !== null);
  if (obstacle !== null) return inTheWay(place, obstacle);
  if (!isBehind) return inTheWay(place, DIVERGED);
  if (await isTakenOut(place, from)) return inTheWay(place, TAKEN_OUT);
  const move = { from, to: tip.commit, branch };
  const before = target?.tree ?? emptyTreeLike(tip.tree);
  const refusal = isHere
    ? await fastForward(place, move, await rawChanges(place, before, tip.tree))
    : await deliverByReference(place, move);
  if (refusal === null) return delivered();
  const now = (await readRefs(person, [branch])).get(branch)?.commit;
  if (now !== undefined && (await isAncestor(person, tip.commit, now))) return delivered();
  return inTheWay(place, refusal);
}

/** What was seen on the branch once and is not there now was taken out by the person. */
async function isTakenOut({ record, person }: WithGit, from: string | null): Promise<boolean> {
  if (record.held === null || from === record.held) return false;
  return from === null || !(await isAncestor(person, record.held, from));
}

/** Nobody but the person can say where it belongs. */
function onNoBranch({ options }: Place): Held {
  return {
    held_by: "choice",
    why: "the checkout was on no branch when the work began",
    hint: `Say where it should go: ${deliverCommand({ target: null, project: options.project })}`,
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

function inTheWay(place: Place, { why, hint }: Obstacle): Delivery {
  const { slug, project } = place.options;
  const text = hint(`stint/${slug}`, `stint deliver ${project}`);
  return waiting(place, { held_by: "obstacle", why, hint: text });
}

/** Whoever waits for long has written what is known. */
function waiting(place: Place, held: Held): Delivery {
  catchUp(place);
  return { kind: "waiting", branch: `stint/${place.options.slug}`, ...held };
}

/**
 * Another branch of the person's becomes the one that verified work goes to; durable before it is told.
 * `name` without refs/heads/. @throws bad-input
 */
export async function deliverInto(place: WithGit, name: string): Promise<void> {
  const { person } = place;
  const branch = `refs/heads/${name}`;
  if (branch === ownRefs(place.options).branch) {
    throw new StintError(
      "bad-input",
      `${name} is the branch where the work already waits`,
      `Name the branch that it should go to: ${deliverCommand({ target: null, project: place.options.project })}`,
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
  note(place, { branch, held: isHeld ? held : null });
}

/** A name that git would not take for a branch is none; it never reaches git as an option or a pattern. */
async function commitAt(person: PersonRepository, branch: string): Promise<string | null> {
  const { code } = await person.git.run(["check-ref-format", branch], { accept: "any" });
  if (code !== 0) return null;
  return (await readRefs(person, [branch])).get(branch)?.commit ?? null;
}
