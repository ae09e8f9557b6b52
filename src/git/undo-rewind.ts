// Undoes what a session took away on its own branch: commits it dropped from it (reset, amend, rebase)
// and uncommitted changes it stashed. What it made since stays in the files. Everything is kept under
// a ref first and the branch moves last, so that a crash before that leaves the loss to be seen again.
import { diffTrees, emptyTreeLike, type EntryChange, type TreeEntry } from "./diff-trees.ts";
import { keepSnapshot, readKeptSnapshot } from "./keep-snapshot.ts";
import type { ParkOptions } from "./park.ts";
import { type Restored, restorePaths } from "./restore-paths.ts";
import { runGit } from "./run-git.ts";
import { type Snapshot, takeSnapshot } from "./snapshot.ts";
import { writeEntries } from "./sync-index.ts";

export type UndoneRewind =
  | { readonly kind: "none" }
  | ({ readonly kind: "undone"; readonly ref: string } & Restored);

export async function undoRewind(root: string, options: ParkOptions): Promise<UndoneRewind> {
  const { ref, from } = options;
  const now = await takeSnapshot(root, options);
  if (now.kind === "none" || from.head === null || now.head === null) return { kind: "none" };
  const base = await commonCommit(root, from.head, now.head);
  const rewound = await rewoundPaths(root, now, from, base);
  const before = await readKeptSnapshot(root, ref);
  const alsoKeep = before === null ? [] : [before.commit];
  await keepSnapshot(root, ref, now, "What a session left in the work tree", {
    keep: alsoKeep,
  });
  const restored = await restorePaths(root, rewound);
  if (base === from.head) await writeEntries(root, await stagedAtStart(root, from, rewound));
  else await takeBranchBack(root, from, now.head);
  return { kind: "undone", ref, ...restored };
}

/** Where both still agree; the session's own tip when they share nothing. */
async function commonCommit(root: string, one: string, other: string): Promise<string> {
  const { stdout } = await runGit(root, ["merge-base", one, other], { accept: [0, 1] });
  return stdout.trim().split("\n")[0] || other;
}

/** Paths that stand as in the common commit and stood otherwise at the start: the session made none of that. */
async function rewoundPaths(
  root: string,
  now: Snapshot,
  from: Snapshot,
  base: string,
): Promise<EntryChange[]> {
  const changedSinceBase = new Set((await diffTrees(root, base, now.tree)).map(({ path }) => path));
  const toStart = await diffTrees(root, now.tree, from.tree);
  return toStart.filter(({ path }) => !changedSinceBase.has(path));
}

/** What the person had staged of these paths. */
async function stagedAtStart(
  root: string,
  { head, tree, indexTree }: Snapshot,
  paths: readonly EntryChange[],
): Promise<ReadonlyMap<string, TreeEntry>> {
  if (indexTree === null) return new Map();
  const wanted = new Set(paths.map(({ path }) => path));
  const entries = await diffTrees(root, head ?? emptyTreeLike(tree), indexTree);
  return new Map(
    entries.filter(({ path }) => wanted.has(path)).map(({ path, after }) => [path, after]),
  );
}

async function takeBranchBack(root: string, from: Snapshot, tip: string): Promise<void> {
  const head = from.head ?? tip;
  await runGit(root, ["read-tree", "--reset", from.indexTree ?? `${head}^{tree}`]);
  const name = from.branch === null ? "HEAD" : `refs/heads/${from.branch}`;
  const why = ["-m", "stint: commits that a session dropped"];
  await runGit(root, ["update-ref", ...why, name, head, tip]);
}
