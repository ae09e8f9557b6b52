// Brings single entries of the person's index up to date after Stint moved what lies under them.
// Whatever the person staged is left as staged.
import { setTimeout as delay } from "node:timers/promises";
import { StintError } from "../core/stint-error.ts";
import { type EntryChange, indexInfo, type TreeEntry } from "./diff-trees.ts";
import { runGit } from "./run-git.ts";

const TRIES = 5;
const RETRY_AFTER_MS = 100;

/**
 * After a commit: entries that were as the old commit had them become as the new one has them. Run
 * again it changes nothing, because such an entry now differs from the old commit.
 */
export async function followCommit(
  root: string,
  committed: readonly EntryChange[],
  stagedAgainstOld: readonly EntryChange[],
): Promise<void> {
  const staged = new Set(stagedAgainstOld.map(({ path }) => path));
  const entries = committed.filter(({ path }) => !staged.has(path));
  await writeEntries(root, new Map(entries.map(({ path, after }) => [path, after])));
}

export async function writeEntries(
  root: string,
  entries: ReadonlyMap<string, TreeEntry>,
): Promise<void> {
  if (entries.size === 0) return;
  const input = [...entries].map(([path, entry]) => indexInfo(path, entry)).join("");
  for (let tried = 1; ; tried++) {
    try {
      await runGit(root, ["update-index", "-z", "--index-info"], { input });
      return;
    } catch (error) {
      // The person's own git holds the index for a moment.
      const isLocked =
        error instanceof StintError && /index\.lock': File exists/.test(error.message);
      if (!isLocked || tried === TRIES) throw error;
      await delay(RETRY_AFTER_MS);
    }
  }
}
