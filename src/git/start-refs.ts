// The refs that keep what was there before each session: what one of them holds alone, and how one that
// holds nothing alone is dropped. Dropping is one atomic act of git.
import { diffTrees, emptyTreeLike } from "./diff-trees.ts";
import { type KeptSnapshot, readKeptSnapshot } from "./keep-snapshot.ts";
import { gitLines, runGit } from "./run-git.ts";
import type { Snapshot } from "./snapshot.ts";
import { checked } from "./stint-refs.ts";

/** Names of a project's start refs: the session, or the task without one. */
export async function startNames(root: string, project: string): Promise<string[]> {
  const prefix = checked(`refs/stint/${project}/_start`);
  const refs = await gitLines(root, ["for-each-ref", "--format=%(refname)", `${prefix}/`]);
  // What a session left is kept under such a name too, and nothing else holds it.
  return refs.map((ref) => ref.slice(prefix.length + 1)).filter((name) => !name.endsWith("-left"));
}

/**
 * Drops a start ref unless it alone holds a commit, or a file that no commit holds and the later start
 * has not as well.
 */
export async function dropStart(root: string, ref: string, later: string): Promise<boolean> {
  const kept = await readKeptSnapshot(root, ref);
  const after = await readKeptSnapshot(root, later);
  if (kept === null || after === null || ref === later) return false;
  const { commit, snapshot } = kept;
  const tips = await heldCommits(root, commit, snapshot);
  const others = [`--exclude=${checked(ref)}`, "--all"];
  const alone = await gitLines(root, ["rev-list", "--max-count=1", ...tips, "--not", ...others]);
  if (alone.length > 0) return false;
  if (snapshot.indexTree !== null && snapshot.indexTree !== after.snapshot.indexTree) return false;
  if (await holdsFiles(root, snapshot, after.snapshot)) return false;
  await runGit(root, ["update-ref", "-d", checked(ref), commit]);
  return true;
}

/** Of the commits that a start keeps, those that no branch, tag, remote or stash leads to any longer. */
export async function strayedTips(root: string, start: KeptSnapshot): Promise<string[]> {
  const { commit, snapshot } = start;
  const held = await heldCommits(root, commit, snapshot);
  const tips = held.filter((tip) => tip !== snapshot.head);
  if (tips.length === 0) return [];
  const stashes = snapshot.stashes === 0 ? [] : await stashedNow(root);
  const rest = ["--not", "HEAD", "--branches", "--tags", "--remotes", ...stashes];
  const strayed = new Set(await gitLines(root, ["rev-list", ...tips, ...rest]));
  return tips.filter((tip) => strayed.has(tip));
}

/** Only the youngest has a ref; the others are in its log. */
async function stashedNow(root: string): Promise<string[]> {
  const words = ["log", "--walk-reflogs", "--format=%H", "refs/stash", "--"];
  const { code, stdout } = await runGit(root, words, { accept: "any" });
  return code === 0 ? stdout.split("\n").filter((line) => line !== "") : [];
}

/** HEAD, branches and stashes of that moment, without the commit that only wraps the index. */
async function heldCommits(
  root: string,
  commit: string,
  { indexTree }: Snapshot,
): Promise<string[]> {
  const lines = await gitLines(root, [
    "log",
    "--no-walk=unsorted",
    "--format=%H %T %P",
    `${commit}^@`,
  ]);
  return lines.flatMap((line) => {
    const [hash = "", tree, parent = ""] = line.split(" ");
    return tree === indexTree && parent === "" ? [] : [hash];
  });
}

async function holdsFiles(root: string, before: Snapshot, later: Snapshot): Promise<boolean> {
  const changed = await diffTrees(root, before.tree, later.tree);
  const gone = new Set(changed.filter(({ status }) => status !== "A").map(({ path }) => path));
  if (gone.size === 0) return false;
  const base = before.head ?? emptyTreeLike(before.tree);
  const uncommitted = await diffTrees(root, base, before.tree);
  return uncommitted.some(({ path, status }) => status !== "D" && gone.has(path));
}
