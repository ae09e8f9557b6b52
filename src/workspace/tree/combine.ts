// What one side changed, made in the other, path by path. Contents are never mixed: a path that both
// changed is left as it is in `ours` and named.
import { ABSENT, type EntryChange, isSameEntry, type TreeEntry } from "../../git/diff-trees.ts";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { setEntries } from "./own-index.ts";
import type { Place } from "../repository/place.ts";
import { foldersAbove, type RawPath, splitRecords, toText } from "../disk/raw-path.ts";
import { copyIndex } from "./session-git.ts";
import type { Combined } from "../workspace.ts";

export async function combine(
  place: Place,
  base: string,
  ours: string,
  theirs: string,
): Promise<Combined> {
  if (base === theirs || ours === theirs) return { tree: ours, conflicts: [] };
  if (base === ours) return { tree: theirs, conflicts: [] };
  const [their, our] = await Promise.all([
    rawChanges(place, base, theirs),
    rawChanges(place, base, ours),
  ]);
  const changed = new Map(our.map((change) => [change.path, change.after]));
  const wanted = their.filter(({ path, after }) => {
    const there = changed.get(path);
    return there === undefined || !isSameEntry(there, after);
  });
  const conflicts = wanted.filter((change) => isInTheWay(change, changed)).map(({ path }) => path);
  const refused = new Set(conflicts);
  const taken = wanted.filter(({ path }) => !refused.has(path));
  const entries = new Map(taken.map(({ path, after, before }) => [path, storable(after, before)]));
  return {
    tree: await treeWith(place, ours, entries),
    conflicts: conflicts.map(toText).toSorted(),
  };
}

/** The other side changed the path, or needs a folder where this one has a file, or the reverse. */
function isInTheWay(
  { path, after }: EntryChange,
  changed: ReadonlyMap<RawPath, TreeEntry>,
): boolean {
  if (changed.has(path)) return true;
  if (after.mode === ABSENT) return false;
  const isFile = (each: RawPath): boolean => (changed.get(each)?.mode ?? ABSENT) !== ABSENT;
  if (foldersAbove(path).some(isFile)) return true;
  return [...changed].some(([each, { mode }]) => mode !== ABSENT && each.startsWith(`${path}/`));
}

/** A tree with some entries set or removed. */
export async function treeWith(
  place: Place,
  tree: string,
  entries: ReadonlyMap<RawPath, TreeEntry>,
): Promise<string> {
  if (entries.size === 0) return tree;
  const index = join(place.git.gitDir, `index-${process.pid}-${serial++}`);
  const env = { GIT_INDEX_FILE: index };
  try {
    if (place.indexTree === tree) copyIndex(join(place.git.gitDir, "index"), index);
    else await place.git.run(["read-tree", tree], { env, isStrict: true });
    await setEntries(place, entries, index);
    return await place.git.id(["write-tree"], { env });
  } finally {
    rmSync(index, { force: true });
  }
}

let serial = 0;

/** Git wants an id also for what is removed. */
function storable(after: TreeEntry, before: TreeEntry): TreeEntry {
  return after.mode === ABSENT ? { mode: ABSENT, oid: before.oid } : after;
}

export async function rawChanges(
  place: Place,
  before: string,
  after: string,
): Promise<EntryChange[]> {
  if (before === after) return [];
  const args = ["diff-tree", "-r", "-z", "--raw", "--no-renames", before, after];
  const fields = splitRecords((await place.git.run(args)).bytes);
  const changes: EntryChange[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [oldMode = "", newMode = "", oldOid = "", newOid = "", status = ""] = (fields[at] ?? "")
      .slice(1)
      .split(" ");
    const sides = { before: { mode: oldMode, oid: oldOid }, after: { mode: newMode, oid: newOid } };
    changes.push({ path: fields[at + 1] ?? "", status: status[0] ?? "", ...sides });
  }
  return changes;
}
