// Brings the verified commits into the person's branch and checkout, by a fast-forward of git alone: it
// overwrites nothing that a person changed. Order that matters on a crash: the intent is durable before
// the index or a file is touched, and goes when the branch is at the commit or everything is as before.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { StintError } from "../core/stint-error.ts";
import {
  ABSENT,
  emptyTreeLike,
  type EntryChange,
  isSameEntry,
  type TreeEntry,
} from "../git/diff-trees.ts";
import { operationInProgress } from "../git/operation-in-progress.ts";
import { entriesInIndex, entriesOnDisk, setIndexEntries } from "./checkout-files.ts";
import { rawChanges } from "./combine.ts";
import { readIfThere } from "./durable-file.ts";
import { dropIntent, newIntent, writeIntent } from "./delivery-intent.ts";
import { keepAside, putSavedBack } from "./keep-aside.ts";
import { mendDelivery } from "./mend-delivery.ts";
import { DIVERGED, inPlainWords, TAKEN_OUT, type Obstacle } from "./merge-refusal.ts";
import { otherHolders, type PersonRepository, readRefs } from "./person-repository.ts";
import type { Place } from "./place.ts";
import { isBelow, type RawPath, toRaw } from "./raw-path.ts";
import { noteHeld } from "./record.ts";
import { isAncestor } from "./refs.ts";
import { type Look, lookAtRefs } from "./tip.ts";
import type { Delivery } from "./workspace.ts";

const FAST_FORWARD = [
  "-c",
  "merge.autoStash=false",
  "-c",
  "merge.verifySignatures=false",
  "merge",
  "--ff-only",
  "--commit",
  "--no-squash",
  "--no-verify-signatures",
  "--no-overwrite-ignore",
  "--no-autostash",
  "--no-stat",
  "--no-progress",
  "-q",
];

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
  if (tip === null) return delivered;
  if (from === tip.commit) return held(place, tip.commit, delivered);
  // Asked first: a merge that is refused leaves its traces all the same.
  if (from !== null && !(await isAncestor(person, from, tip.commit))) {
    const isThere = await isAncestor(person, tip.commit, from);
    return isThere ? held(place, tip.commit, delivered) : waiting(place, DIVERGED);
  }
  if (await isTakenOut(place, person, from)) return waiting(place, TAKEN_OUT);
  const before = look.refs.get(branch)?.tree ?? emptyTreeLike(tip.tree);
  const changes = await rawChanges(place, before, tip.tree);
  const refusal = await fastForward(place, person, { from, to: tip.commit, branch }, changes);
  if (refusal === null) return held(place, tip.commit, delivered);
  const now = (await readRefs(person, [branch])).get(branch)?.commit;
  if (now !== undefined && (await isAncestor(person, tip.commit, now))) {
    return held(place, tip.commit, delivered);
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

function held(place: Place, commit: string, delivered: Delivery): Delivery {
  noteHeld(place, commit);
  return delivered;
}

interface Move {
  readonly from: string | null;
  readonly to: string;
  readonly branch: string;
}

/** @returns what was in the way; everything is as before then. */
async function fastForward(
  place: Place,
  person: PersonRepository,
  move: Move,
  changes: readonly EntryChange[],
): Promise<Obstacle | null> {
  const { home, project } = place.options;
  const ahead = await pathsAhead(place, person, changes);
  writeIntent(home, newIntent({ ...move, entries: ahead.map(({ path, was }) => [path, was]) }));
  try {
    await setIndexEntries(
      person,
      ahead.map(({ path, after, was }) => [path, removable(after, was)]),
    );
  } catch (error) {
    if (!(error instanceof StintError)) throw error;
    dropIntent(home);
    return inPlainWords(error.message);
  }
  const aside = keepAside(person, project, changes);
  const { code, stderr, stdout } = await person.git.run([...FAST_FORWARD, move.to], {
    accept: "any",
    env: { GIT_REFLOG_ACTION: "stint deliver" },
  });
  const entries = new Map(changes.map(({ path, after }) => [path, after]));
  putSavedBack(person, project, aside, entries, move.to.length);
  if (await isAt(person, move.branch, move.to)) {
    dropIntent(home);
    return null;
  }
  await setIndexEntries(
    person,
    ahead.map(({ path, was, after }) => [path, removable(was, after)]),
  );
  dropIntent(home);
  return inPlainWords(code === 0 ? "" : `${stderr}\n${stdout}`);
}

/** Git has just written the ref, so it is a file of its own; if not, git is asked. */
async function isAt(person: PersonRepository, branch: string, commit: string): Promise<boolean> {
  const loose = readIfThere(join(person.folder.common, branch))?.toString("latin1").trim();
  if (loose === commit) return true;
  return (await readRefs(person, [branch])).get(branch)?.commit === commit;
}

interface Ahead {
  readonly path: RawPath;
  readonly after: TreeEntry;
  /** Their index entry, to be put back where the merge is refused. */
  readonly was: TreeEntry;
}

/**
 * Paths whose file has the new content already, and Stint's own where the person wrote on in them: their
 * index entry moves first, so that git leaves the file alone. Only where the entry is the old commit's,
 * or was there when the person had these changes included. Removals first: a folder may follow.
 */
async function pathsAhead(
  place: Place,
  person: PersonRepository,
  changes: readonly EntryChange[],
): Promise<Ahead[]> {
  const own = [...place.options.ownPaths, place.options.manifest ?? ""]
    .filter((path) => path !== "")
    .map((path) => toRaw(path.replace(/\/+$/, "")));
  const length = changes[0]?.after.oid.length ?? 40;
  const disk = await entriesOnDisk(person, changes, length, place.mayConvert);
  const candidates = changes.filter(({ path, before, after }) => {
    const there = disk.get(path);
    if (there === undefined) return after.mode === ABSENT;
    return isSameEntry(there, after) || (isBelow(path, own) && !isSameEntry(there, before));
  });
  const index = await entriesInIndex(
    person,
    candidates.map(({ path }) => path),
  );
  const staged = new Map(place.record.staged);
  return candidates
    .filter(({ path, before }) => {
      const entry = index.get(path);
      return isOld(entry, before) || isIncluded(entry, staged.get(path));
    })
    .map(({ path, before, after }) => ({ path, after, was: index.get(path) ?? before }))
    .toSorted(
      (one, other) => Number(other.after.mode === ABSENT) - Number(one.after.mode === ABSENT),
    );
}

function isOld(entry: TreeEntry | undefined, before: TreeEntry): boolean {
  return entry === undefined ? before.mode === ABSENT : isSameEntry(entry, before);
}

function isIncluded(entry: TreeEntry | undefined, staged: TreeEntry | undefined): boolean {
  return entry !== undefined && staged !== undefined && isSameEntry(entry, staged);
}

/** Git wants an id also for an entry that goes. */
export function removable(entry: TreeEntry, other: TreeEntry): TreeEntry {
  return /^0+$/.test(entry.mode) ? { mode: entry.mode, oid: other.oid } : entry;
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
