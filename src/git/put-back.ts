// Brings what an attempt left, and was put aside for another task, back for its next attempt. A path is
// written only where nothing happened to it since; everything else stays as it is and is named.
// Repeated after a crash, it finds the paths that it wrote and goes on with the rest.
import { ABSENT, diffTrees, type EntryChange, isSameEntry } from "./diff-trees.ts";
import { readKeptSnapshot } from "./keep-snapshot.ts";
import { type ParkOptions, planUndo } from "./park.ts";
import { restorePaths } from "./restore-paths.ts";
import { takeSnapshot } from "./snapshot.ts";

export interface PutBack {
  /** As the attempt left them. */
  readonly paths: readonly string[];
  /** Changed since by somebody else, or in the way: only the ref holds what the attempt left. */
  readonly left: readonly string[];
}

/** @returns null where nothing is kept under the ref */
export async function putBack(root: string, options: ParkOptions): Promise<PutBack | null> {
  const { ref, exclude, only } = options;
  const [kept, now] = await Promise.all([
    readKeptSnapshot(root, ref),
    takeSnapshot(root, { exclude }),
  ]);
  if (kept === null || now.kind === "none") return null;
  const undone = await planUndo(root, kept.snapshot, kept.snapshot.head, options);
  const since = new Map(
    (await diffTrees(root, kept.snapshot.tree, now.tree)).map(({ path, after }) => [path, after]),
  );
  const there: string[] = [];
  const taken: string[] = [];
  const toWrite: EntryChange[] = [];
  for (const { path, before: asLeft, after: asUndone } of undone.changes) {
    const entry = since.get(path) ?? asLeft;
    const isGone = asLeft.mode === ABSENT;
    if (isSameEntry(entry, asLeft)) there.push(path);
    // Out of git's sight is not gone: nothing is deleted that nobody asked for by name.
    else if (!isSameEntry(entry, asUndone) || (isGone && only === undefined)) taken.push(path);
    else toWrite.push({ path, status: "M", before: asUndone, after: asLeft });
  }
  const { paths, left } = await restorePaths(root, toWrite);
  return { paths: [...there, ...paths], left: [...taken, ...left.map(({ path }) => path)] };
}
