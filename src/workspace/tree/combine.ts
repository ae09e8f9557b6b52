// What one side changed, made in the other: path by path, and a file that both changed by its lines where
// those do not touch. What cannot come together is left as it is in `ours` and named.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { ABSENT, type EntryChange, isSameEntry, type TreeEntry } from "../../git/diff-trees.ts";
import { failure } from "../../git/run-git.ts";
import { OBJECT_ID } from "../base/own-git.ts";
import type { Place } from "../base/place.ts";
import { foldersAbove, type RawPath, splitRecords, toRaw, toText } from "../base/raw-path.ts";
import { writeObject } from "./git-objects.ts";
import { readTreeInto, setIn } from "./own-index.ts";
import { rawChanges, readEntries } from "./read-trees.ts";
import { copyIndex } from "./session-git.ts";
import type { Combined } from "../workspace.ts";

/** Three trees. */
export interface Sides {
  readonly base: string;
  readonly ours: string;
  readonly theirs: string;
}

export async function combineByContent(place: Place, sides: Sides): Promise<Combined> {
  const byPath = await combine(place, sides);
  if (byPath.conflicts.length === 0) return byPath;
  const merged = await mergeTrees(place, sides);
  const unsettled = new Set(merged.conflicts);
  const meant = byPath.conflicts.filter((path) => !unsettled.has(path));
  const trees = [sides.base, sides.ours, sides.theirs, merged.tree];
  const entriesOf = await Promise.all(trees.map((tree) => readEntries(place, tree, meant)));
  const settled = new Map<RawPath, TreeEntry>();
  for (const path of meant) {
    const entries = entriesOf.map((each) => each.get(path));
    // One that is new, gone, moved or a link on any side is not two changes of one text.
    const entry = entries.every(isText) ? entries.at(-1) : undefined;
    if (entry !== undefined) settled.set(toRaw(path), entry);
  }
  return {
    tree: await treeWith(place, byPath.tree, settled),
    conflicts: byPath.conflicts.filter((path) => !settled.has(toRaw(path))),
  };
}

function isText(entry: TreeEntry | undefined): boolean {
  return entry?.mode.startsWith("100") === true;
}

/** Path by path. Contents are never mixed: a path that both changed is left as it is in `ours` and named. */
export async function combine(place: Place, sides: Sides): Promise<Combined> {
  const { base, ours, theirs } = sides;
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
  const entries = new Map(taken.map((change) => [change.path, storable(change)]));
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
    if (place.indexTree === tree) copyIndex(place.git.index, index);
    else await readTreeInto(place.git, index, tree);
    await setIn(place.git, index, entries);
    return await place.git.id(["write-tree"], { env });
  } finally {
    rmSync(index, { force: true });
  }
}

let serial = 0;

/** A tree with some of its paths as another one has them, and some with a text of nobody's. */
export async function mix(
  place: Place,
  {
    tree,
    other,
    paths,
    texts = new Map(),
  }: {
    readonly tree: string;
    readonly other: string;
    readonly paths: readonly string[];
    readonly texts?: ReadonlyMap<string, string> | undefined;
  },
): Promise<string> {
  const [own, theirs] = await Promise.all([
    readEntries(place, tree, paths),
    readEntries(place, other, paths),
  ]);
  const entries = new Map<RawPath, TreeEntry>();
  for (const path of paths) {
    const [before, after] = [own.get(path), theirs.get(path)];
    const text = texts.get(path);
    const mode = after?.mode ?? before?.mode ?? "100644";
    if (text !== undefined) {
      const blob = { kind: "blob", content: Buffer.from(text) } as const;
      const oid = writeObject(place.git.gitDir, blob, tree.length, "unflushed");
      entries.set(toRaw(path), { mode, oid });
    } else if (after !== undefined) entries.set(toRaw(path), after);
    else if (before !== undefined) entries.set(toRaw(path), { mode: ABSENT, oid: before.oid });
  }
  return await treeWith(place, tree, entries);
}

/** Git wants an id also for what is removed. */
export function storable({ before, after }: EntryChange): TreeEntry {
  return after.mode === ABSENT ? { mode: ABSENT, oid: before.oid } : after;
}

const MERGE = [
  "-c",
  "merge.directoryRenames=false",
  "-c",
  "merge.conflictStyle=merge",
  "merge-tree",
  "--write-tree",
  "-z",
  "--name-only",
  "--no-messages",
];

/**
 * By content: two changes of one file come together where they do not touch. It happens in Stint's own repository,
 * so no merge driver, hook or setting of the person's has a say. A git before 2.38 cannot do it without files:
 * there, path by path. Conflicting paths are as git left them in the tree: nobody is to use it then.
 */
export async function mergeTrees(place: Place, sides: Sides): Promise<Combined> {
  const { base, ours, theirs } = sides;
  if (base === theirs || ours === theirs) return { tree: ours, conflicts: [] };
  if (base === ours) return { tree: theirs, conflicts: [] };
  // The base is that of two commits: only a newer git can be told another one.
  const start = throwaway(place, base);
  const args = [...MERGE, throwaway(place, ours, start), throwaway(place, theirs, start)];
  const { code, bytes, stderr } = await place.git.run(args, { accept: "any" });
  if (code > 1) {
    if (await isTooOld(place)) return await combine(place, sides);
    throw failure(place.git.gitDir, args, `exit code ${code}`, stderr);
  }
  const [tree = "", ...names] = splitRecords(bytes);
  if (!OBJECT_ID.test(tree) || (code === 1) !== names.length > 0) {
    throw failure(place.git.gitDir, args, `it answered "${tree}"`, stderr);
  }
  return { tree, conflicts: [...new Set(names.map(toText))].toSorted() };
}

/** The same trees give the same commits, so that a repetition leaves nothing more behind. */
function throwaway({ git }: Place, tree: string, parent?: string): string {
  const who = "Stint <stint@localhost> 946684800 +0000";
  const above = parent === undefined ? "" : `parent ${parent}\n`;
  const text = `tree ${tree}\n${above}author ${who}\ncommitter ${who}\n\nside\n`;
  return writeObject(git.gitDir, { kind: "commit", content: Buffer.from(text) }, tree.length);
}

async function isTooOld({ git }: Place): Promise<boolean> {
  const { stdout } = await git.run(["version"]);
  const [, major, minor] = /(\d+)\.(\d+)/.exec(stdout) ?? [];
  return Number(major) < 2 || (Number(major) === 2 && Number(minor) < 38);
}
