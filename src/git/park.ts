// Puts what an attempt left behind aside, so that another task starts from the state before it.
// First everything is kept under a ref, durably; then only the paths that differ are written back.
// Repeated after a crash it never replaces what it kept by a half-restored tree.
import { diffIndex, diffTrees, type EntryChange, type TreeEntry } from "./diff-trees.ts";
import { keepSnapshot, readKeptSnapshot } from "./keep-snapshot.ts";
import { type LeftPath, restorePaths } from "./restore-paths.ts";
import { type Snapshot, takeSnapshot } from "./snapshot.ts";
import { writeEntries } from "./sync-index.ts";

export interface ParkOptions {
  readonly ref: string;
  /** The snapshot at the start of the session. */
  readonly from: Snapshot;
  readonly exclude: readonly string[];
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
  const { ref, from, exclude } = options;
  const now = await takeSnapshot(root, { exclude });
  if (now.kind === "none") return now;
  const committed = await committedSince(root, from, now);
  const changes = await changesToUndo(root, now, from, committed);
  const kept = await keepLeftovers(root, ref, now, changes);
  if (kept === "nothing") return { kind: "nothing-left" };
  const { paths, left } = await restorePaths(root, changes);
  await unstage(root, { from, now, committed, paths: new Set(paths) });
  return { kind: "parked", ref, paths, left };
}

/**
 * Where the session committed a path, its commits decide: writing back the older content would show
 * as an edit that undoes the commit.
 */
export async function committedSince(
  root: string,
  from: Snapshot,
  now: Snapshot,
): Promise<ReadonlyMap<string, TreeEntry>> {
  if (from.head === null || now.head === null || from.head === now.head) return new Map();
  const entries = await diffTrees(root, from.head, now.head);
  return new Map(entries.map(({ path, after }) => [path, after]));
}

/** From what is there now to what was there at the start, or was committed since. */
export async function changesToUndo(
  root: string,
  now: Snapshot,
  from: Snapshot,
  committed: ReadonlyMap<string, TreeEntry>,
): Promise<EntryChange[]> {
  const entries = await diffTrees(root, now.tree, from.tree);
  const changes = entries.map((entry) => ({
    ...entry,
    after: committed.get(entry.path) ?? entry.after,
  }));
  return changes.filter(({ before, after }) => !isSame(before, after));
}

/** Keeps `now` under the ref unless all that is to be undone is there already. */
export async function keepLeftovers(
  root: string,
  ref: string,
  now: Snapshot,
  changes: readonly EntryChange[],
): Promise<"kept" | "nothing"> {
  const before = await readKeptSnapshot(root, ref);
  if (before === null && changes.length === 0) return "nothing";
  if (before !== null) {
    const differing = await diffTrees(root, before.snapshot.tree, now.tree);
    const undone = new Set(changes.map(({ path }) => path));
    if (!differing.some(({ path }) => undone.has(path))) return "kept";
  }
  const message = "What an attempt left in the work tree";
  await keepSnapshot(root, ref, now, message, before === null ? [] : [before.commit]);
  return "kept";
}

/** What the session staged of these paths goes back to what was staged at the start. */
async function unstage(
  root: string,
  at: {
    readonly from: Snapshot;
    readonly now: Snapshot;
    readonly committed: ReadonlyMap<string, TreeEntry>;
    readonly paths: ReadonlySet<string>;
  },
): Promise<void> {
  if (at.now.head === null || at.paths.size === 0) return;
  const stagedAtStart = await stagedEntries(root, at.from);
  const targets = new Map<string, TreeEntry>();
  for (const { path, before, after } of await diffIndex(root, at.now.head)) {
    if (!at.paths.has(path)) continue;
    const target = at.committed.has(path) ? before : (stagedAtStart.get(path) ?? before);
    if (!isSame(target, after)) targets.set(path, target);
  }
  for (const [path, entry] of stagedAtStart) {
    if (at.paths.has(path) && !at.committed.has(path)) targets.set(path, entry);
  }
  await writeEntries(root, targets);
}

async function stagedEntries(
  root: string,
  { head, indexTree }: Snapshot,
): Promise<ReadonlyMap<string, TreeEntry>> {
  if (indexTree === null || head === null) return new Map();
  const entries = await diffTrees(root, head, indexTree);
  return new Map(entries.map(({ path, after }) => [path, after]));
}

function isSame(one: TreeEntry, other: TreeEntry): boolean {
  return one.mode === other.mode && one.oid === other.oid;
}
