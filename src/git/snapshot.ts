// The work tree as it is now, as a git tree: tracked and untracked files, not the ignored ones.
// Built in a private index; the person's index, files and refs stay as they are.
//
// Not protected: ignored files, the inside of submodules and of embedded repositories, files that
// git was told to overlook (assume-unchanged, skip-worktree), names that are not UTF-8. Content is
// stored as git stores it, so line endings and filters come back as a checkout would write them.
import { readFileSync } from "node:fs";
import { access, constants, lstat } from "node:fs/promises";
import { join } from "node:path";
import { isExcluded } from "./excluded-paths.ts";
import { findGitFolder, type GitFolder } from "./git-folder.ts";
import { type PrivateIndex, withPrivateIndex } from "./private-index.ts";
import { readStatus, type Status } from "./read-status.ts";
import { DURABLE } from "./run-git.ts";

export interface Snapshot {
  readonly kind: "git";
  readonly tree: string;
  readonly head: string | null;
  readonly branch: string | null;
  /** The person's staged state where it differs from HEAD, else null. */
  readonly indexTree: string | null;
  readonly stashes: number;
  /** What could not be taken in, with the reason. */
  readonly skipped: readonly SkippedPath[];
}

export interface SkippedPath {
  readonly path: string;
  readonly why: "embedded repository" | "unreadable" | "name is not UTF-8";
}

export interface SnapshotOptions {
  /** Files and folders that are no part of the tree, tracked or not. */
  readonly exclude: readonly string[];
}

export async function takeSnapshot(
  root: string,
  options: SnapshotOptions,
): Promise<Snapshot | { readonly kind: "none" }> {
  const folder = findGitFolder(root);
  if (folder === null) return { kind: "none" };
  return await snapshotOf(root, folder, options, 2);
}

async function snapshotOf(
  root: string,
  folder: GitFolder,
  options: SnapshotOptions,
  retries: number,
): Promise<Snapshot> {
  const status = await readStatus(root, "with-untracked");
  const { paths, skipped } = await readablePaths(root, status, options.exclude, retries < 2);
  try {
    return await withPrivateIndex(root, folder, async (index) => {
      const indexTree = await stagedTree(index, status, options.exclude);
      const anyOid = status.head ?? anObjectId(folder);
      const removals = await removalArguments(root, anyOid, options.exclude);
      await takeIn(index, removals, paths);
      const { stdout } = await index.run([...DURABLE, "write-tree"]);
      const { head, branch, stashes } = status;
      return { kind: "git", tree: stdout.trim(), head, branch, indexTree, stashes, skipped };
    });
  } catch (error) {
    // A file that changed its kind or became unreadable between the look and the read.
    if (retries === 0) throw error;
    return await snapshotOf(root, folder, options, retries - 1);
  }
}

async function stagedTree(
  index: PrivateIndex,
  status: Status,
  exclude: readonly string[],
): Promise<string | null> {
  const staged = status.tracked.filter(
    (change) => change.staged && !isExcluded(change.path, exclude),
  );
  // A conflict has three versions and no tree; the work tree's version is in the snapshot.
  if (staged.length === 0 || status.tracked.some(({ unmerged }) => unmerged)) return null;
  const { stdout } = await index.run([...DURABLE, "write-tree"]);
  return stdout.trim();
}

async function takeIn(
  index: PrivateIndex,
  removals: readonly string[],
  paths: readonly string[],
): Promise<void> {
  if (removals.length === 0 && paths.length === 0) return;
  await index.run(
    [...DURABLE, "update-index", ...removals, "--add", "--remove", "--replace", "-z", "--stdin"],
    { input: paths.map((path) => `${path}\0`).join("") },
  );
}

/** Of the length this repository uses; before the first commit only its config tells. */
function anObjectId(folder: GitFolder): string {
  const config = readFileSync(join(folder.common, "config"), "utf8");
  return "1".repeat(/objectformat\s*=\s*sha256/i.test(config) ? 64 : 40);
}

/**
 * Takes whole folders out of an index without listing them: a file put in a folder's place replaces
 * all that is below it, and is then removed itself. The object it names is never looked up.
 */
async function removalArguments(
  root: string,
  anyOid: string,
  exclude: readonly string[],
): Promise<string[]> {
  const usable = await Promise.all(exclude.map((path) => hasFolderParents(root, path)));
  const paths = exclude.filter((_, at) => usable[at]).map((path) => path.replace(/\/+$/, ""));
  if (paths.length === 0) return [];
  const replace = paths.flatMap((path) => ["--cacheinfo", `100644,${anyOid},${path}`]);
  const remove = ["--force-remove", ...paths.map((path) => `./${path}`), "--no-force-remove"];
  return ["--add", "--replace", ...replace, ...remove];
}

/** Below a path that is a file there is nothing to exclude, and the file must not be replaced. */
async function hasFolderParents(root: string, path: string): Promise<boolean> {
  const parts = path.split("/");
  for (let depth = 1; depth < parts.length; depth++) {
    const parent = await lstat(join(root, ...parts.slice(0, depth))).catch(() => undefined);
    if (parent === undefined) return true;
    if (!parent.isDirectory()) return false;
  }
  return true;
}

async function readablePaths(
  root: string,
  status: Status,
  exclude: readonly string[],
  careful: boolean,
): Promise<{ paths: string[]; skipped: SkippedPath[] }> {
  const changed = status.tracked.filter(({ unstaged }) => unstaged).map(({ path }) => path);
  const skipped: SkippedPath[] = status.embedded
    .filter((path) => !isExcluded(path.slice(0, -1), exclude))
    .map((path) => ({ path, why: "embedded repository" }));
  const paths: string[] = [];
  for (const path of [...changed, ...status.untracked]) {
    if (isExcluded(path, exclude)) continue;
    if (path.includes("\uFFFD")) skipped.push({ path, why: "name is not UTF-8" });
    else if (careful && !(await isReadable(join(root, path)))) {
      skipped.push({ path, why: "unreadable" });
    } else paths.push(path);
  }
  return { paths, skipped };
}

/** A missing file is no obstacle: it is recorded as deleted. */
async function isReadable(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined);
  if (found === undefined || found.isSymbolicLink() || found.isDirectory()) return true;
  if (!found.isFile()) return false;
  return await access(path, constants.R_OK).then(
    () => true,
    () => false,
  );
}
