// One short word for the content of the work tree: it binds evidence to what was checked and tells
// progress from standing still. With git it is the snapshot's tree; without git a hash of the files.
//
// Without git nothing else of this folder works: no snapshot, no commit, nothing is parked or
// brought back. A session there can delete a person's file for good.
import { hashFiles } from "./hash-files.ts";
import { type SnapshotOptions, takeSnapshot } from "./snapshot.ts";

export interface TreeHash {
  readonly kind: "git" | "files";
  readonly hash: string;
  /** False: something was left out, so equal hashes do not prove equal content. */
  readonly complete: boolean;
}

export async function treeHash(root: string, options: SnapshotOptions): Promise<TreeHash> {
  const snapshot = await takeSnapshot(root, options);
  if (snapshot.kind === "git") {
    return { kind: "git", hash: snapshot.tree, complete: snapshot.skipped.length === 0 };
  }
  return { kind: "files", ...(await hashFiles(root, options.exclude)) };
}
