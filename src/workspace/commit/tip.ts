// What new work starts from. It is a ref in the person's repository, and it is recorded: one that cannot
// be read is never taken for one that was never there.
import { closeSync, mkdirSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { StintError } from "../../core/stint-error.ts";
import { emptyTreeLike } from "../../git/diff-trees.ts";
import { operationInProgress } from "../../git/operation-in-progress.ts";
import { valueOf } from "../base/git-config.ts";
import {
  currentBranch,
  isInUse,
  type PersonRepository,
  readRefs,
  type RefValue,
} from "../base/person-repository.ts";
import type { Place } from "../base/place.ts";
import { catchUp } from "../base/record.ts";
import { isAncestor, moveRefs, ownRefs, type RefMove } from "../base/refs.ts";
import { removeTree } from "../base/remove-tree.ts";
import type { Tip } from "../workspace.ts";

export interface Look {
  /** Checked out now, by its full name. */
  readonly branch: string | null;
  readonly refs: ReadonlyMap<string, RefValue>;
  readonly tip: RefValue | null;
}

export async function readTip(place: Place, person: PersonRepository): Promise<Tip> {
  const look = await lookAtRefs(place, person);
  const value = (await followPerson(place, person, look)) ?? look.tip;
  if (value !== null) noteTip(place, value.commit, isOnBranch(place, look, value.commit));
  place.tip = value === null ? unborn(place) : { commit: value.commit, tree: value.tree };
  return place.tip;
}

function noteTip(place: Place, commit: string, isHeld: boolean): void {
  const held = isHeld ? commit : place.record.held;
  if (commit !== place.record.tip || held !== place.record.held) {
    place.record = { ...place.record, tip: commit, held };
    place.isRecordAhead = true;
  }
  catchUp(place);
}

function isOnBranch({ record }: Place, { refs }: Look, commit: string): boolean {
  return record.branch !== null && refs.get(record.branch)?.commit === commit;
}

export async function lookAtRefs(place: Place, person: PersonRepository): Promise<Look> {
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

/** The person's branch, where it holds all verified work and more. */
async function followPerson(
  place: Place,
  person: PersonRepository,
  { branch, refs, tip }: Look,
): Promise<RefValue | null> {
  if (branch === null || branch !== place.record.branch) return null;
  const theirs = refs.get(branch);
  if (theirs === undefined || theirs.commit === tip?.commit) return null;
  if (operationInProgress(person.folder) !== null) return null;
  if (tip !== null && !(await isAncestor(person, tip.commit, theirs.commit))) return null;
  const ref = ownRefs(place.options).tip;
  await moveRefs(person, [{ ref, to: theirs.commit, from: tip?.commit ?? null }]);
  return theirs;
}

function unborn({ settings }: Place): Tip {
  const isSha256 = valueOf(settings, "extensions.objectformat") === "sha256";
  return { commit: null, tree: emptyTreeLike("0".repeat(isSha256 ? 64 : 40)) };
}

// Brings a verified commit into the person's repository. Order that matters on a crash: its objects are
// durable there, then the refs that hold it move in one act, each from the value that is known and only
// forward, and never one that somebody has checked out. That is recorded by what follows: the intent of the
// delivery, or the next look at the refs.

export async function publish(
  place: Place,
  person: PersonRepository,
  look: Look,
  commit: string,
  pack: Buffer | null = null,
): Promise<void> {
  const { tip, branch } = ownRefs(place.options);
  const before = look.tip?.commit ?? null;
  if (pack === null) await bringObjects(place, person, commit, before);
  else await bringPack(person, pack);
  const held = { ref: tip, to: commit, from: before };
  const room = await roomForBranch(place, person, look);
  const isMoved =
    room !== null && (await areMoved(person, [held, { ref: branch, to: commit, from: room.from }]));
  if (!isMoved) await moveRefs(person, [held]);
  place.record = { ...place.record, tip: commit, ...(isMoved ? { ours: commit } : {}) };
  // The refs say it; the delivery that follows writes it with its intent.
  place.isRecordAhead = true;
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

// The objects of a commit or tree on their way from Stint's repository into the person's: packed into a file,
// unpacked there. They are durable there before this ends, and no ref names them yet.

/** As many as git itself leaves unpacked after a fetch. */
const MOST_UNPACKED = 100;

/** What is packed is thrown away again. */
const UNFLUSHED = ["-c", "core.fsync=none"];

/** The same for objects that are in no repository yet, or only in Stint's. */
async function bringPack(person: PersonRepository, pack: Buffer): Promise<void> {
  await person.git.run(["unpack-objects", "-q"], { input: pack });
}

/** `known` is a commit that the person's repository holds with all that belongs to it; null for none. */
export async function bringObjects(
  place: Place,
  person: PersonRepository,
  object: string,
  known: string | null,
): Promise<void> {
  if (object === known) return;
  const folder = join(place.options.home, "outgoing");
  removeTree(folder);
  mkdirSync(folder, { mode: 0o700 });
  const input = known === null ? `${object}\n` : `${object}\n^${known}\n`;
  const args = [...UNFLUSHED, "pack-objects", "--revs", "-q", join(folder, "pack")];
  const pack = join(folder, `pack-${await place.git.id(args, { input })}.pack`);
  const isLarge = objectsIn(pack) > MOST_UNPACKED;
  const unpack = isLarge ? ["index-pack", "--stdin"] : ["unpack-objects", "-q"];
  await person.git.run(unpack, { inputFile: pack });
  removeTree(folder);
}

/** Its third word, after "PACK" and the version. */
function objectsIn(pack: string): number {
  const head = Buffer.alloc(12);
  const fd = openSync(pack, "r");
  try {
    readSync(fd, head, 0, head.length, 0);
  } finally {
    closeSync(fd);
  }
  return head.readUInt32BE(8);
}
