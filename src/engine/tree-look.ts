// What is known of a git work tree. Looking at all of it takes several git processes, so one look
// serves until something may have changed files.
import { type Change, changedPaths } from "../git/changed-paths.ts";
import { type Snapshot, takeSnapshot } from "../git/snapshot.ts";

/** Differences of two trees never change; only so many are remembered. */
const MOST_DIFFS = 16;

export interface TreeLook {
  /** Null where the repository is gone. */
  readonly snapshot: () => Promise<Snapshot | null>;
  /** What was known no longer counts. */
  readonly touched: () => void;
  /** Somebody has just looked; undefined where they saw no repository. */
  readonly seen: (now: Snapshot | undefined) => void;
  readonly changesBetween: (before: string, after: string) => Promise<readonly Change[]>;
}

export function treeLook(root: string, exclude: readonly string[]): TreeLook {
  let known: Promise<Snapshot | null> | undefined;
  const diffs = new Map<string, Promise<readonly Change[]>>();

  return {
    async snapshot() {
      known ??= takeSnapshot(root, { exclude }).then((taken) =>
        taken.kind === "git" ? taken : null,
      );
      return await known;
    },

    touched() {
      known = undefined;
    },

    seen(now) {
      known = now === undefined ? undefined : Promise.resolve(now);
    },

    async changesBetween(before, after) {
      const key = `${before} ${after}`;
      let found = diffs.get(key);
      if (found === undefined) {
        if (diffs.size > MOST_DIFFS) diffs.clear();
        found = changedPaths(root, before, after);
        diffs.set(key, found);
      }
      return await found;
    },
  };
}
