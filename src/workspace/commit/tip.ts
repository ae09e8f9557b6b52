// What new work starts from, and how a verified commit becomes that. It is a ref in the person's repository,
// and it is recorded: one that cannot be read is never taken for one that was never there.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { StintError } from "../../core/stint-error.ts";
import { emptyTreeLike } from "../../git/diff-trees.ts";
import { operationInProgress } from "../../git/work-tree.ts";
import {
  currentBranch,
  isInUse,
  type PersonRepository,
  readRefs,
  type RefValue,
} from "../base/person-repository.ts";
import type { WithGit } from "../base/place.ts";
import { catchUp, note } from "../base/record.ts";
import {
  isAncestor,
  moveRefs,
  nextRef,
  numberedRefs,
  ownRefs,
  type RefMove,
} from "../base/refs.ts";
import { removeTree } from "../base/remove-tree.ts";
import type { GitObject } from "../tree/git-objects.ts";
import { READABLE_INDEX, storeObjectsIn, storePackIn } from "./unpack.ts";
import type { Tip } from "../workspace.ts";

export interface Look {
  /** Checked out now, by its full name. */
  readonly branch: string | null;
  readonly refs: ReadonlyMap<string, RefValue>;
  readonly tip: RefValue | null;
}

export async function readTip(place: WithGit): Promise<Tip> {
  const look = await lookAtRefs(place);
  const value = (await followPerson(place, look)) ?? look.tip;
  if (value === null) {
    const tree = emptyTreeLike("0".repeat(place.person.idLength()));
    return (place.tip = { commit: null, tree });
  }
  const { commit, tree } = value;
  const { branch, held } = place.record;
  const isHeld = branch !== null && look.refs.get(branch)?.commit === commit;
  catchUp(place, { tip: commit, held: isHeld ? commit : held });
  return (place.tip = { commit, tree });
}

export async function lookAtRefs(place: WithGit): Promise<Look> {
  const { person } = place;
  const { base, tip, branch: own } = ownRefs(place.options);
  const branch = await currentBranch(person);
  const names = [base, tip, own, ...(branch === null || branch === own ? [] : [branch])];
  let refs = await readRefs(person, names);
  const recorded = place.record.tip;
  if (!refs.has(tip) && recorded !== null) {
    // Somebody removed it. Git refuses to make it anew where it could only not be read.
    await moveRefs(person, [{ ref: tip, to: recorded, from: null }]);
    refs = await readRefs(person, names);
  }
  return { branch, refs, tip: refs.get(tip) ?? null };
}

export async function refIn(
  { person }: WithGit,
  { refs }: Look,
  name: string,
): Promise<RefValue | undefined> {
  return refs.get(name) ?? (await readRefs(person, [name])).get(name);
}

/** The person's branch, where it holds all verified work and more. */
async function followPerson(place: WithGit, { branch, refs, tip }: Look): Promise<RefValue | null> {
  const { person } = place;
  if (branch === null || branch !== place.record.branch) return null;
  const theirs = refs.get(branch);
  if (theirs === undefined || theirs.commit === tip?.commit) return null;
  if (operationInProgress(person.folder) !== null) return null;
  if (tip !== null && !(await isAncestor(person, tip.commit, theirs.commit))) return null;
  const ref = ownRefs(place.options).tip;
  await moveRefs(person, [{ ref, to: theirs.commit, from: tip?.commit ?? null }]);
  return theirs;
}

/**
 * Brings a verified commit into the person's repository. Order that matters on a crash: its objects are durable
 * there, then the refs that hold it move in one act, each from the value that is known and only forward, and
 * never one that somebody has checked out. That is recorded by what follows: the intent of the delivery, or the
 * next look at the refs. `objects` are those that are in no repository yet, those of `beside` too: refs
 * that move in the same act, and that the commit does not wait for. @returns whether those moved
 */
export async function publish(
  place: WithGit,
  look: Look,
  commit: string,
  {
    objects = null,
    beside = [],
  }: { objects?: readonly GitObject[] | null; beside?: readonly RefMove[] } = {},
): Promise<boolean> {
  const { person } = place;
  const { tip, branch } = ownRefs(place.options);
  const before = look.tip?.commit ?? null;
  if (objects === null) await bringObjects(place, commit, before);
  else await storeObjectsIn(person, objects);
  const held = { ref: tip, to: commit, from: before };
  const room = await roomForBranch(place, look);
  const own = room === null ? [] : [{ ref: branch, to: commit, from: room.from }];
  const isWhole = beside.length > 0 && (await areMoved(person, [held, ...own, ...beside]));
  const isMoved = own.length > 0 && (isWhole || (await areMoved(person, [held, ...own])));
  if (!isWhole && !isMoved) await moveRefs(person, [held]);
  place.record = { ...place.record, tip: commit, ...(isMoved ? { ours: commit } : {}) };
  // The refs say it; the delivery that follows writes it with its intent.
  place.isRecordAhead = true;
  return isWhole;
}

/** False where one of them alone is the reason: a folder of its name, a lock, another value. */
async function areMoved(person: PersonRepository, moves: readonly RefMove[]): Promise<boolean> {
  try {
    await moveRefs(person, moves);
    return true;
  } catch (error) {
    const isOne = error instanceof StintError && error.code === "git-failed";
    if (!isOne || !/cannot lock ref/.test(error.message)) throw error;
    return false;
  }
}

/**
 * Makes room for our branch. What somebody else keeps under its name is kept under another.
 * @returns what it moves from; null where it has to stay as it is
 */
export async function roomForBranch(
  place: WithGit,
  { refs, tip }: Look,
): Promise<{ readonly from: string | null } | null> {
  const { person } = place;
  const { branch } = ownRefs(place.options);
  if (isInUse(person, branch)) return null;
  const from = refs.get(branch)?.commit ?? null;
  if (from === null) return { from };
  // Ours, or one of an earlier time whose work the new one holds: it moves forward, and nothing is lost.
  if (tip !== null && (await isAncestor(person, from, tip.commit))) return { from };
  if (from === place.record.ours) return null;
  const folder = `refs/stint/${place.options.project}/old-branch`;
  await moveRefs(person, [
    { ref: nextRef(folder, await numberedRefs(person, folder)), to: from, from: null },
    { ref: branch, to: null, from },
  ]);
  return { from: null };
}

/**
 * Moves the refs of verified work to where the record says that they are moving: backwards or sideways, which no
 * other act does. Its objects are durable in the person's repository first. What the refs leave is kept under
 * refs/stint/<project>/replayed. Safe to repeat.
 */
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

/** What is packed is thrown away again. */
const UNFLUSHED = ["-c", "core.fsync=none"];

/**
 * The objects of a commit or tree, from Stint's repository into the person's: durable there when this ends, and
 * named by no ref yet. `known` is a commit that is there with all that belongs to it; null for none.
 */
export async function bringObjects(
  place: WithGit,
  object: string,
  known: string | null,
): Promise<void> {
  const { person } = place;
  if (object === known) return;
  const folder = join(place.options.home, "outgoing");
  removeTree(folder);
  mkdirSync(folder, { mode: 0o700 });
  const input = known === null ? `${object}\n` : `${object}\n^${known}\n`;
  const form = [...UNFLUSHED, ...READABLE_INDEX];
  const args = [...form, "pack-objects", "--revs", "-q", join(folder, "pack")];
  await storePackIn(person, join(folder, `pack-${await place.git.id(args, { input })}`));
  removeTree(folder);
}
