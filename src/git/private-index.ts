// An index of our own, so that the person's is only ever read. It starts as a copy of the real one:
// its file times let git hash only what changed.
import { readdirSync, rmSync, statSync } from "node:fs";
import { copyFile, mkdtemp, rm, stat, utimes } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findGitFolder, type GitFolder } from "./git-folder.ts";
import { type GitOptions, type GitOutput, runGit } from "./run-git.ts";

export interface PrivateIndex {
  readonly env: Readonly<Record<string, string>>;
  run(args: readonly string[], options?: GitOptions): Promise<GitOutput>;
}

/** Extensions of the person's index that speak about other files than our copy. */
const PLAIN = [
  "core.splitIndex=false",
  "core.untrackedCache=false",
  "core.fsmonitor=false",
].flatMap((setting) => ["-c", setting]);

const PREFIX = "stint-index-";
/** What is younger may belong to a process that still works. */
const OLD_MS = 10 * 60_000;

/** Removes what killed processes left beside the repository's own index. */
export function removeOldIndexes(root: string, nowMs: number): void {
  const folder = findGitFolder(root)?.own;
  if (folder === undefined) return;
  for (const name of readdirSync(folder).filter((each) => each.startsWith(PREFIX))) {
    const path = join(folder, name);
    const facts = statSync(path, { throwIfNoEntry: false });
    if (facts !== undefined && facts.mtimeMs < nowMs - OLD_MS) {
      rmSync(path, { recursive: true, force: true });
    }
  }
}

export async function withPrivateIndex<T>(
  root: string,
  seed: GitFolder | "empty",
  act: (index: PrivateIndex) => Promise<T>,
): Promise<T> {
  return await withPrivateFolder(root, async (folder) => {
    const path = join(folder, "index");
    if (seed !== "empty") await copyIndex(seed.index, path);
    const env = { GIT_INDEX_FILE: path };
    return await act({
      env,
      run: (args, options) =>
        runGit(root, [...PLAIN, ...args], { ...options, env: { ...options?.env, ...env } }),
    });
  });
}

/** Beside the repository's own files, so that what a killed process leaves is found. */
export async function withPrivateFolder<T>(
  root: string,
  act: (folder: string) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(findGitFolder(root)?.own ?? tmpdir(), PREFIX));
  try {
    return await act(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * The copy must not look younger than the original: git trusts an entry only if the file is older
 * than the index, and would miss an edit of the same size made in the second the index was written.
 */
async function copyIndex(from: string, to: string): Promise<void> {
  try {
    const { mtimeMs } = await stat(from);
    await copyFile(from, to);
    const seconds = Math.floor(mtimeMs / 1000);
    await utimes(to, seconds, seconds);
  } catch (error) {
    // A repository without any tracked file has no index yet.
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}
