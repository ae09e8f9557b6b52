// A merge, rebase or the like that somebody began and has not ended: nobody else may commit then.
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { GitFolder } from "./git-folder.ts";

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

export function operationInProgress(folder: GitFolder): Operation | null {
  return SIGNS.find(([name]) => existsSync(join(folder.own, name)))?.[1] ?? null;
}
