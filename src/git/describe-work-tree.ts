// What a run must know of the person's work tree before it starts. Reads only, takes no lock.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { isExcluded } from "./excluded-paths.ts";
import { findGitFolder } from "./git-folder.ts";
import { type Operation, operationInProgress } from "./operation-in-progress.ts";
import { readStatus } from "./read-status.ts";
import { runGit } from "./run-git.ts";

export interface Upstream {
  readonly remote: string;
  /** The branch there, without refs/heads/. */
  readonly branch: string;
  /** Our last knowledge of it, as refs/remotes/…. */
  readonly ref: string;
}

export interface GitWorkTree {
  readonly kind: "git";
  readonly head: string | null;
  readonly branch: string | null;
  /** Null also where the configured upstream branch is not there: pushing would create it. */
  readonly upstream: Upstream | null;
  readonly ahead: number;
  readonly behind: number;
  readonly shallow: boolean;
  /** Tracked files modified, staged or in conflict. Untracked files never count. */
  readonly dirty: readonly string[];
  /** Those of them that no commit holds: staged, and else like an untracked file. */
  readonly added: readonly string[];
  readonly operation: Operation | null;
}

export type WorkTree = { readonly kind: "none" } | GitWorkTree;

export async function describeWorkTree(
  root: string,
  options: { readonly exclude: readonly string[] },
): Promise<WorkTree> {
  const folder = findGitFolder(root);
  if (folder === null) return { kind: "none" };
  const status = await readStatus(root, "tracked-only");
  const { branch, upstream, aheadBehind } = status;
  const dirty = status.tracked.filter(({ path }) => !isExcluded(path, options.exclude));
  const followed = branch !== null && upstream !== null && aheadBehind !== null;
  return {
    kind: "git",
    head: status.head,
    branch,
    upstream: followed ? await upstreamOf(root, branch) : null,
    ahead: aheadBehind?.ahead ?? 0,
    behind: aheadBehind?.behind ?? 0,
    shallow: existsSync(join(folder.common, "shallow")),
    dirty: dirty.map(({ path }) => path),
    added: dirty.filter(({ added }) => added).map(({ path }) => path),
    operation: operationInProgress(folder),
  };
}

/** Of any branch, without refs/heads/; null also where the upstream branch is not there. */
export async function upstreamOf(root: string, branch: string): Promise<Upstream | null> {
  const format = "%(upstream)%00%(upstream:remotename)%00%(upstream:remoteref)%00%(upstream:track)";
  const { stdout } = await runGit(root, [
    "for-each-ref",
    `--format=${format}`,
    `refs/heads/${branch}`,
  ]);
  const [ref = "", remote = "", remoteRef = "", track = ""] = stdout.trimEnd().split("\0");
  if (track === "[gone]") return null;
  // The remote "." means a branch of this very repository: nothing to push to.
  if (ref === "" || remote === "" || remote === "." || !remoteRef.startsWith("refs/heads/")) {
    return null;
  }
  return { remote, branch: remoteRef.slice("refs/heads/".length), ref };
}
