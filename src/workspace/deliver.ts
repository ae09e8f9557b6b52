// Brings the verified commits into the person's branch, by a fast-forward of git alone: into the checkout
// where that is on the branch (it overwrites nothing that a person changed), else by reference. Order that matters on a crash: the intent is durable before
// the index or a file is touched, and goes when the branch is at the commit or everything is as before.
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Delivery } from "../core/schema/delivery.ts";
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
import {
  type BranchMove,
  deliverByReference,
  inTheWayOfReference,
} from "./deliver-by-reference.ts";
import { dropIntent, newIntent, writeIntent } from "./delivery-intent.ts";
import { keepAside, putSavedBack } from "./keep-aside.ts";
import { mendDelivery } from "./mend-delivery.ts";
import { DIVERGED, inPlainWords, type Obstacle } from "./merge-refusal.ts";
import {
  otherHolders,
  type PersonRepository,
  readRefs,
  type RefValue,
} from "./person-repository.ts";
import type { Place } from "./place.ts";
import { isBelow, type RawPath, toRaw } from "./raw-path.ts";
import { isAncestor } from "./refs.ts";
import { type Look, lookAtRefs } from "./tip.ts";
import type { Held } from "./workspace.ts";

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
  if (branch === null) return onNoBranch(place);
  const target = await targetIn(person, look, branch);
  const from = target?.commit ?? null;
  const delivered: Delivery = {
    kind: "delivered",
    branch: shortName(branch),
    commit: tip?.commit ?? null,
  };
  if (tip === null || from === tip.commit) return delivered;
  // Asked first: a merge that is refused leaves its traces all the same.
  const isBehind = from === null || (await isAncestor(person, from, tip.commit));
  if (!isBehind && (await isAncestor(person, tip.commit, from))) return delivered;
  if (held !== null) return { kind: "waiting", branch: ownBranch(place), ...held };
  const obstacle =
    look.branch === branch
      ? whatIsInTheWay(person, branch)
      : inTheWayOfReference(person, branch, from !== null);
  if (obstacle !== null) return waiting(place, obstacle);
  if (!isBehind) return waiting(place, DIVERGED);
  const move = { from, to: tip.commit, branch };
  const refusal =
    look.branch === branch
      ? await fastForward(place, person, move, await changesFor(place, target, tip))
      : await deliverByReference(place, person, move);
  if (refusal === null) return delivered;
  const now = (await readRefs(person, [branch])).get(branch)?.commit;
  if (now !== undefined && (await isAncestor(person, tip.commit, now))) return delivered;
  return waiting(place, refusal);
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

/** @returns what was in the way; everything is as before then. */
async function fastForward(
  place: Place,
  person: PersonRepository,
  move: BranchMove,
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
  const name = shortName(wanted);
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
  if (existsSync(lock)) return inPlainWords(`Unable to create '${lock}': File exists.`);
  return null;
}

function waiting(place: Place, { why, hint }: Obstacle): Delivery {
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

export function shortName(ref: string): string {
  return ref.replace(/^refs\/heads\//, "");
}
