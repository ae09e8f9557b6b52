// Brings back what a session made vanish, without losing what it made: everything is kept under a
// ref first. Lost commits need no act; the ref of the session's start keeps them.
import { diffTrees } from "./diff-trees.ts";
import { findGitFolder } from "./git-folder.ts";
import { type Operation, operationInProgress } from "./operation-in-progress.ts";
import { keepLeftovers, type ParkOptions, planUndo, stagedEntries } from "./park.ts";
import { type Restored, restorePaths } from "./restore-paths.ts";
import { runGit } from "./run-git.ts";
import { type Snapshot, takeSnapshot } from "./snapshot.ts";
import { writeEntries } from "./sync-index.ts";

export type RecoveredBranch =
  | { readonly kind: "none" }
  | { readonly kind: "operation-in-progress"; readonly operation: Operation }
  | ({ readonly kind: "recovered"; readonly ref: string | null } & Restored);

/** Files of the start snapshot that are gone come back; nothing that exists is touched. */
export async function restoreMissing(
  root: string,
  start: Snapshot,
  options: { readonly exclude: readonly string[]; readonly only?: readonly string[] },
): Promise<Restored> {
  const now = await takeSnapshot(root, options);
  if (now.kind === "none") return { paths: [], left: [] };
  const changes = await diffTrees(root, now.tree, start.tree);
  const missing = changes.filter(
    ({ status, path }) =>
      status === "A" && (options.only === undefined || options.only.includes(path)),
  );
  return await restorePaths(root, missing);
}

/**
 * Back to the branch and the files of the start. HEAD moves last, so that a crash before it leaves
 * the switch visible and the whole act is done again. No checkout: that would refuse or overwrite.
 */
export async function recoverBranch(root: string, options: ParkOptions): Promise<RecoveredBranch> {
  const { ref, from } = options;
  const folder = findGitFolder(root);
  const now = await takeSnapshot(root, options);
  if (folder === null || now.kind === "none") return { kind: "none" };
  const operation = operationInProgress(folder);
  if (operation !== null) return { kind: "operation-in-progress", operation };

  const tip = await branchTip(root, from);
  const { changes, committed } = await planUndo(root, now, tip, options);
  const index = (tip === from.head ? from.indexTree : null) ?? (await treeOf(root, tip));
  const isStaged = now.indexTree !== null && now.indexTree !== index;
  const kept = await keepLeftovers(root, ref, now, changes, isStaged);
  const restored = await restorePaths(root, changes);
  if (index !== null) await runGit(root, ["read-tree", "--reset", index]);
  // What was staged at the start, but where commits since then have another version.
  const staged = [...(await stagedEntries(root, from))].filter(([path]) => !committed.has(path));
  await writeEntries(root, new Map(staged));
  await pointHead(root, from, tip);
  return { kind: "recovered", ref: kept === "kept" ? ref : null, ...restored };
}

/** Where the branch of the start stands now; a deleted one is made again where it was. */
async function branchTip(root: string, { branch, head }: Snapshot): Promise<string | null> {
  if (branch === null || head === null) return head;
  const name = `refs/heads/${branch}`;
  const found = await runGit(root, ["rev-parse", "--quiet", "--verify", name], { accept: [0, 1] });
  if (found.code === 0) return found.stdout.trim();
  await runGit(root, [
    "update-ref",
    "-m",
    "stint: made again",
    name,
    head,
    "0".repeat(head.length),
  ]);
  return head;
}

async function treeOf(root: string, commit: string | null): Promise<string | null> {
  if (commit === null) return null;
  const { stdout } = await runGit(root, ["rev-parse", "--verify", `${commit}^{tree}`]);
  return stdout.trim();
}

async function pointHead(root: string, from: Snapshot, tip: string | null): Promise<void> {
  const why = ["-m", "stint: back to where the session began"];
  if (from.branch !== null) {
    await runGit(root, ["symbolic-ref", ...why, "HEAD", `refs/heads/${from.branch}`]);
  } else if (tip !== null) {
    await runGit(root, ["update-ref", "--no-deref", ...why, "HEAD", tip]);
  }
}
