// Completes what a killed delivery left, or undoes it. Half of the files may be there, one of them cut off,
// and git's own lock with them: all of it is ours as long as the intent says so.
import {
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  unlinkSync,
} from "node:fs";
import { join } from "node:path";
import { ABSENT, type EntryChange, isSameEntry, SUBMODULE } from "../git/diff-trees.ts";
import { entriesInIndex, entriesOnDisk, setIndexEntries } from "./checkout-files.ts";
import { rawChanges } from "./combine.ts";
import {
  type DeliveryIntent,
  dropIntent,
  isBeingDelivered,
  mergeEnded,
  readIntent,
} from "./delivery-intent.ts";
import { dropAside, putAllBack } from "./keep-aside.ts";
import type { Obstacle } from "./merge-refusal.ts";
import { type PersonRepository, readRefs } from "./person-repository.ts";
import type { Place } from "./place.ts";
import { joinRecords, onDisk, type RawPath } from "./raw-path.ts";
import { clearLock } from "./ref-locks.ts";
import { factsOf, isReallyInside, removeTree } from "./remove-tree.ts";

const BUSY: Obstacle = {
  why: "another delivery into this checkout is under way",
  hint: (_, bring) => `Wait for it, then: ${bring}`,
};

/** @returns what to wait for; null when the way is free. */
export async function mendDelivery(
  place: Place,
  person: PersonRepository,
): Promise<Obstacle | null> {
  const intent = readIntent(place.options.home);
  if (intent === null) return null;
  if (isBeingDelivered(intent) || !(await mergeEnded(intent))) return BUSY;
  if (intent.isByReference === true) {
    // Nothing but the branch was to move, by one act of git.
    await clearLock(join(person.folder.common, `${intent.branch}.lock`));
    dropIntent(place.options.home);
    return null;
  }
  clearLocks(person, intent);
  const now = (await readRefs(person, [intent.branch])).get(intent.branch)?.commit ?? null;
  if (now !== intent.to) {
    const changes = await changesOf(place, intent);
    await putEntriesBack(person, intent, changes);
    if (now === intent.from) await undoFiles(place, person, intent, changes);
  }
  dropAside(person, place.options.project);
  dropIntent(place.options.home);
  return null;
}

async function changesOf(place: Place, { from, to }: DeliveryIntent): Promise<EntryChange[]> {
  const empty = from ?? (await place.git.id(["hash-object", "-t", "tree", "--stdin"]));
  return await rawChanges(place, empty, to);
}

/** Git's locks in the checkout that are not older than the delivery. */
function clearLocks({ folder }: PersonRepository, { branch, madeAtMs }: DeliveryIntent): void {
  const paths = [
    join(folder.own, "index.lock"),
    join(folder.own, "HEAD.lock"),
    join(folder.own, "ORIG_HEAD.lock"),
    join(folder.common, `${branch}.lock`),
  ];
  for (const path of paths) {
    const facts = statSync(path, { throwIfNoEntry: false });
    // Clocks of file systems are coarser than ours.
    if (facts !== undefined && facts.mtimeMs >= madeAtMs - 1000) rmSync(path, { force: true });
  }
}

/**
 * Entries that are as the delivery set them: ahead of the merge, or by a merge that wrote the whole index
 * and came no further.
 */
async function putEntriesBack(
  person: PersonRepository,
  intent: DeliveryIntent,
  changes: readonly EntryChange[],
): Promise<void> {
  const after = new Map(changes.map((change) => [change.path, change.after]));
  const were = changes.map(({ path, before }) => [path, before] as const);
  const entries = [...new Map([...were, ...intent.entries])];
  const index = await entriesInIndex(
    person,
    entries.map(([path]) => path),
  );
  const ours = entries.filter(([path]) => {
    const [there, set] = [index.get(path), after.get(path)];
    if (set === undefined) return false;
    return there === undefined ? set.mode === ABSENT : isSameEntry(there, set);
  });
  await setIndexEntries(
    person,
    ours.map(([path, { mode, oid }]) => [
      path,
      mode === ABSENT ? { mode, oid: after.get(path)?.oid ?? oid } : { mode, oid },
    ]),
  );
}

/** Nobody else is to read a checkout in which files are missing until the delivery is repeated. */
async function undoFiles(
  place: Place,
  person: PersonRepository,
  intent: DeliveryIntent,
  changes: readonly EntryChange[],
): Promise<void> {
  await removeCutOff(place, person, intent, changes);
  const disk = await entriesOnDisk(person, changes, intent.to.length, place.mayConvert);
  const after = new Map(changes.map((change) => [change.path, change.after]));
  putAllBack(person, place.options.project, changes, (path) => {
    const [there, wanted] = [disk.get(path), after.get(path)];
    return there !== undefined && wanted !== undefined && isSameEntry(there, wanted);
  });
}

/** A file that begins like the new one and ends before it is one that git had not finished. */
async function removeCutOff(
  place: Place,
  person: PersonRepository,
  intent: DeliveryIntent,
  changes: readonly EntryChange[],
): Promise<void> {
  const files = changes.filter(({ after }) => after.mode !== ABSENT && after.mode !== SUBMODULE);
  const disk = await entriesOnDisk(person, files, intent.to.length, place.mayConvert);
  const suspects = files
    .filter(({ path, before, after }) => {
      const there = disk.get(path);
      return there !== undefined && !isSameEntry(there, after) && !isSameEntry(there, before);
    })
    .map(({ path }) => path);
  if (suspects.length === 0) return;
  const side = join(place.options.home, "side");
  await checkOutAside(place, intent.to, suspects, side);
  for (const path of suspects) {
    if (!isReallyInside(person.checkout, path)) continue;
    const there = onDisk(person.checkout, path);
    if (isStrictPrefix(there, onDisk(side, path))) unlinkSync(there);
  }
  removeTree(side);
}

async function checkOutAside(
  place: Place,
  commit: string,
  paths: readonly RawPath[],
  side: string,
): Promise<void> {
  const env = { GIT_INDEX_FILE: join(place.git.gitDir, "index-delivery") };
  removeTree(side);
  mkdirSync(side, { mode: 0o700 });
  await place.git.run(["read-tree", commit], { env, isStrict: true });
  await place.git.run(["checkout-index", "-f", "-z", "--stdin", `--prefix=${side}/`], {
    env,
    input: joinRecords(paths),
    isStrict: true,
  });
  rmSync(env.GIT_INDEX_FILE, { force: true });
}

function isStrictPrefix(there: Buffer, whole: Buffer): boolean {
  const [cut, full] = [factsOf(there), factsOf(whole)];
  if (cut?.isFile() !== true || full?.isFile() !== true || cut.size >= full.size) return false;
  const beginning = Buffer.alloc(Number(cut.size));
  const fd = openSync(whole, "r");
  try {
    readSync(fd, beginning, 0, beginning.length, 0);
  } finally {
    closeSync(fd);
  }
  return readFileSync(there).equals(beginning);
}
