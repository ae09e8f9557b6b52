// What a work tree tells of itself: what somebody began there and has not ended, and what differs from its last commit.
import { join } from "node:path";
import type { GitFolder } from "./git-folder.ts";
import { runGit } from "./run-git.ts";
import { isThere } from "../process/look-at.ts";

export type Operation = "merge" | "rebase" | "cherry-pick" | "revert" | "bisect" | "git am";

const SIGNS: readonly (readonly [string, Operation])[] = [
  // A rebase stops with the files of a cherry-pick beside its own, so it is asked first.
  ["rebase-merge", "rebase"],
  ["rebase-apply/applying", "git am"],
  ["rebase-apply", "rebase"],
  ["MERGE_HEAD", "merge"],
  ["CHERRY_PICK_HEAD", "cherry-pick"],
  ["REVERT_HEAD", "revert"],
  // Of several commits, between two of them.
  ["sequencer", "cherry-pick"],
  ["BISECT_LOG", "bisect"],
];

/** A merge, rebase or the like that is not ended: nobody else may commit then. */
export function operationInProgress(folder: GitFolder): Operation | null {
  return SIGNS.find(([name]) => isThere(join(folder.own, name)))?.[1] ?? null;
}

/** What differs from the last commit. Git takes no lock for it and writes nothing. */
export interface Status {
  /** Tracked files that are modified, staged or in conflict. */
  readonly tracked: readonly string[];
  /** A folder with a repository of its own counts as one of them. */
  readonly untracked: readonly string[];
}

export async function readStatus(root: string): Promise<Status> {
  const { stdout } = await runGit(root, [
    "status",
    "--porcelain=v2",
    "-z",
    "--no-renames",
    // The commit a submodule stands on counts; what is inside it is another repository's matter.
    "--ignore-submodules=dirty",
    "--untracked-files=all",
  ]);
  const records = stdout.split("\0");
  return {
    tracked: records.filter((record) => /^[1u]/.test(record)).map(trackedPath),
    untracked: records.filter((record) => record.startsWith("?")).map((record) => record.slice(2)),
  };
}

/** `1 XY sub mH mI mW hH hI path` and `u XY sub m1 m2 m3 mW h1 h2 h3 path`; a path may hold spaces. */
function trackedPath(record: string): string {
  return record
    .split(" ")
    .slice(record.startsWith("u") ? 10 : 8)
    .join(" ");
}
