// How far a branch moved, as a person counts it.
import { gitLines, runGit } from "../../git/run-git.ts";

export interface BranchDifference {
  readonly commits: number;
  readonly files: number;
}

/** Of a local branch, without refs/heads/; null where it has none. */
export async function commitOf(root: string, branch: string): Promise<string | null> {
  const args = ["rev-parse", "--verify", "--quiet", `refs/heads/${branch}`];
  const { code, stdout } = await runGit(root, args, { accept: "any" });
  return code === 0 ? stdout.trim() : null;
}

/** `before` is null for a branch that had no commit. */
export async function branchDifference(
  root: string,
  before: string | null,
  after: string,
): Promise<BranchDifference> {
  const commits = await gitLines(root, [
    "rev-list",
    after,
    ...(before === null ? [] : ["--not", before]),
  ]);
  if (commits.length === 0) return { commits: 0, files: 0 };
  const args =
    before === null
      ? ["ls-tree", "-r", "--name-only", after]
      : ["diff-tree", "-r", "--no-renames", "--name-only", before, after];
  return { commits: commits.length, files: (await gitLines(root, args)).length };
}
