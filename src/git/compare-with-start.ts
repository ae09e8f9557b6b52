// What a session did to the repository beyond its work: switched the branch, dropped commits,
// stashed, or made files vanish.
import { diffTrees, emptyTreeLike } from "./diff-trees.ts";
import { gitLines, runGit } from "./run-git.ts";
import { type Snapshot, type SnapshotOptions, takeSnapshot } from "./snapshot.ts";

export interface Comparison {
  readonly kind: "git";
  readonly now: Snapshot;
  /** Null: still on the branch of the start. A null name is a detached HEAD. */
  readonly switched: { readonly from: string | null; readonly to: string | null } | null;
  /** Commits that the branch held at the start and no longer holds, oldest first. */
  readonly lostCommits: readonly string[];
  readonly newStashes: number;
  /** Tracked files that are gone; a session may delete these on purpose. */
  readonly goneTracked: readonly string[];
  /** Untracked files that are gone: no commit ever held them. */
  readonly goneUntracked: readonly string[];
}

export async function compareWithStart(
  root: string,
  start: Snapshot,
  options: SnapshotOptions,
  taken: ReturnType<typeof takeSnapshot> = takeSnapshot(root, options),
): Promise<Comparison | { readonly kind: "none" }> {
  const now = await taken;
  if (now.kind === "none") return now;
  const isSwitched =
    now.branch !== start.branch || (start.branch === null && now.head !== start.head);
  const [lost, gone] = await Promise.all([
    lostCommits(root, start, now),
    goneFiles(root, start, now),
  ]);
  return {
    kind: "git",
    now,
    switched: isSwitched ? { from: start.branch, to: now.branch } : null,
    lostCommits: lost,
    newStashes: Math.max(0, now.stashes - start.stashes),
    ...gone,
  };
}

async function lostCommits(root: string, start: Snapshot, now: Snapshot): Promise<string[]> {
  if (start.head === null) return [];
  if (start.branch === now.branch && start.head === now.head) return [];
  const ref = start.branch === null ? "HEAD" : `refs/heads/${start.branch}`;
  const { stdout } = await runGit(root, ["rev-parse", "--quiet", "--verify", ref], {
    accept: [0, 1],
  });
  const tip = stdout.trim();
  if (tip === start.head) return [];
  // A branch that is gone lost only what no other branch holds.
  const held = tip === "" ? ["--branches", "--remotes"] : [tip];
  return await gitLines(root, ["rev-list", "--reverse", start.head, "--not", ...held]);
}

async function goneFiles(
  root: string,
  start: Snapshot,
  now: Snapshot,
): Promise<Pick<Comparison, "goneTracked" | "goneUntracked">> {
  const changes = await diffTrees(root, start.tree, now.tree);
  const gone = changes.filter(({ status }) => status === "D").map(({ path }) => path);
  if (gone.length === 0) return { goneTracked: [], goneUntracked: [] };
  const base = start.indexTree ?? start.head ?? emptyTreeLike(start.tree);
  const added = await diffTrees(root, base, start.tree);
  const untracked = new Set(added.filter(({ status }) => status === "A").map(({ path }) => path));
  return {
    goneTracked: gone.filter((path) => !untracked.has(path)),
    goneUntracked: gone.filter((path) => untracked.has(path)),
  };
}
