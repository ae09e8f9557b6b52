// Puts what an attempt left behind aside, so that another task starts from the state before it.
// First everything is kept under a ref, durably; then only the paths that differ are written back.
// Repeated after a crash it never replaces what it kept by a half-restored tree.
import {
  diffIndex,
  diffTrees,
  emptyTreeLike,
  type EntryChange,
  isSameEntry,
  type TreeEntry,
} from "./diff-trees.ts";
import { isExcluded } from "./excluded-paths.ts";
import { keepSnapshot, readKeptSnapshot } from "./keep-snapshot.ts";
import { type LeftPath, restorePaths } from "./restore-paths.ts";
import { type Snapshot, takeSnapshot } from "./snapshot.ts";
import { writeEntries } from "./sync-index.ts";

export interface ParkOptions {
  readonly ref: string;
  /** The snapshot at the start of the session. */
  readonly from: Snapshot;
  readonly exclude: readonly string[];
  /** The paths that it is about; all where it is not said. */
  readonly only?: readonly string[];
}

export type ParkResult =
  | { readonly kind: "none" }
  | { readonly kind: "nothing-left" }
  | {
      readonly kind: "parked";
      readonly ref: string;
      readonly paths: readonly string[];
      /** What was not written back, with the reason; the ref holds it all the same. */
      readonly left: readonly LeftPath[];
    };

export async function parkLeftovers(root: string, options: ParkOptions): Promise<ParkResult> {
  const { ref } = options;
  const now = await takeSnapshot(root, options);
  if (now.kind === "none") return now;
  const { changes, committed } = await planUndo(root, now, now.head, options);
  const unstaging = await planUnstaging(root, now, committed, options);
  const kept = await keepLeftovers(root, ref, now, changes, unstaging.size > 0);
  if (kept === "nothing") return { kind: "nothing-left" };
  // One atomic act, before the many: repeated, the paths already restored would not be known.
  await writeEntries(root, unstaging);
  const { paths, left } = await restorePaths(root, changes);
  return { kind: "parked", ref, paths, left };
}

/**
 * Takes back what an attempt staged of these paths: the index holds of them what it held at the start,
 * or what was committed since. The files stay. @returns whether there was any
 */
export async function takeBackStaging(
  root: string,
  now: Snapshot,
  options: Omit<ParkOptions, "ref">,
): Promise<boolean> {
  if (now.indexTree === null && options.from.indexTree === null) return false;
  const { from, exclude } = options;
  const unstaging = await planUnstaging(
    root,
    now,
    await committedSince(root, from, now.head, exclude),
    options,
  );
  await writeEntries(root, unstaging);
  return unstaging.size > 0;
}

export interface Undo {
  /** From what is there now to what shall be there. */
  readonly changes: readonly EntryChange[];
  /** Paths that commits since the start changed. */
  readonly committed: ReadonlySet<string>;
}

/**
 * Back to the start, except where commits since then changed a path: there the commits decide, for
 * older content would show as an edit that undoes them. `tip` is what HEAD names or will name.
 */
export async function planUndo(
  root: string,
  now: Snapshot,
  tip: string | null,
  { from, exclude, only }: ParkOptions,
): Promise<Undo> {
  const isAsked = amongOnly(only);
  const toStart = (await diffTrees(root, now.tree, from.tree)).filter(({ path }) => isAsked(path));
  const committed = await committedSince(root, from, tip, exclude);
  if (tip === null || tip === from.head) return { changes: toStart, committed };
  const toTip = (await diffTrees(root, now.tree, tip)).filter(({ path }) => isAsked(path));
  const changes = [
    ...toStart.filter(({ path }) => !committed.has(path)),
    ...toTip.filter(({ path }) => committed.has(path)),
  ];
  return { changes, committed };
}

/** Paths that commits changed between a start and this one. */
export async function committedSince(
  root: string,
  { head }: Pick<Snapshot, "head">,
  tip: string | null,
  exclude: readonly string[],
): Promise<ReadonlySet<string>> {
  if (tip === null || tip === head) return new Set();
  const commits = await diffTrees(root, head ?? emptyTreeLike(tip), tip);
  return new Set(commits.map(({ path }) => path).filter((path) => !isExcluded(path, exclude)));
}

function amongOnly(only: ParkOptions["only"]): (path: string) => boolean {
  const asked = only === undefined ? null : new Set(only);
  return (path) => asked?.has(path) ?? true;
}

/** Keeps `now` under the ref unless all that is to be undone is there already. */
export async function keepLeftovers(
  root: string,
  ref: string,
  now: Snapshot,
  changes: readonly EntryChange[],
  isStaged: boolean,
): Promise<"kept" | "nothing"> {
  const before = await readKeptSnapshot(root, ref);
  if (before === null && changes.length === 0 && !isStaged) return "nothing";
  if (before !== null) {
    const differing = await diffTrees(root, before.snapshot.tree, now.tree);
    const undone = new Set(changes.map(({ path }) => path));
    const isFilesKept = !differing.some(({ path }) => undone.has(path));
    const isIndexKept = !isStaged || before.snapshot.indexTree === now.indexTree;
    if (isFilesKept && isIndexKept) return "kept";
  }
  const message = "What an attempt left in the work tree";
  await keepSnapshot(root, ref, now, message, { keep: before === null ? [] : [before.commit] });
  return "kept";
}

/**
 * The entries by which the index differs from the start's, with what they were: agents `add -A`. Like
 * the files, only those that it is about: what a person staged since then stays staged.
 */
async function planUnstaging(
  root: string,
  now: Snapshot,
  committed: ReadonlySet<string>,
  { from, exclude, only }: Omit<ParkOptions, "ref">,
): Promise<ReadonlyMap<string, TreeEntry>> {
  if (now.indexTree === null && from.indexTree === null) return new Map();
  const atStart = await stagedEntries(root, from);
  const isAsked = amongOnly(only);
  const targets = new Map([...atStart].filter(([path]) => isAsked(path) && !committed.has(path)));
  for (const { path, before, after } of await diffIndex(
    root,
    now.head ?? emptyTreeLike(now.tree),
  )) {
    if (!isAsked(path)) continue;
    const target = targets.get(path) ?? before;
    if (isSameEntry(target, after) || isExcluded(path, exclude)) targets.delete(path);
    else targets.set(path, target);
  }
  return targets;
}

/** What a snapshot's index held otherwise than its commit. */
export async function stagedEntries(
  root: string,
  { head, tree, indexTree }: Snapshot,
): Promise<ReadonlyMap<string, TreeEntry>> {
  if (indexTree === null) return new Map();
  const entries = await diffTrees(root, head ?? emptyTreeLike(tree), indexTree);
  return new Map(entries.map(({ path, after }) => [path, after]));
}
