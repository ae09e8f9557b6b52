// Writes single paths of the work tree back to what a tree holds. It never deletes or overwrites
// content that `now`, a tree kept under a ref beforehand, does not hold: ignored files, folders with
// something of their own in them and files that came since are left and reported.
import { lstat, rmdir, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ABSENT, type EntryChange, indexInfo, SUBMODULE } from "./diff-trees.ts";
import { type PrivateIndex, withPrivateIndex } from "./private-index.ts";

export interface Restored {
  readonly paths: readonly string[];
  readonly left: readonly LeftPath[];
}

export interface LeftPath {
  readonly path: string;
  readonly why: string;
}

/** Entries go from `before` (what is there now) to `after` (what shall be there). */
export async function restorePaths(
  root: string,
  changes: readonly EntryChange[],
): Promise<Restored> {
  const left: LeftPath[] = changes
    .filter((change) => isSubmodule(change))
    .map(({ path }) => ({ path, why: "a submodule is another repository" }));
  const files = changes.filter((change) => !isSubmodule(change));
  // What shall go goes first: a file may stand where a folder must be.
  for (const { path, after } of files) {
    if (after.mode === ABSENT) await removeFile(root, path);
  }
  const wanted: EntryChange[] = [];
  for (const change of files) {
    if (change.after.mode === ABSENT) continue;
    const why = await obstacle(root, change);
    if (why === null) wanted.push(change);
    else left.push({ path: change.path, why });
  }
  if (wanted.length > 0) await checkOut(root, wanted);
  const kept = new Set(left.map(({ path }) => path));
  return { paths: changes.map(({ path }) => path).filter((path) => !kept.has(path)), left };
}

async function checkOut(root: string, wanted: readonly EntryChange[]): Promise<void> {
  await withPrivateIndex(root, "empty", async (index) => {
    await index.run(["update-index", "-z", "--index-info"], {
      input: wanted.map(({ path, after }) => indexInfo(path, after)).join(""),
    });
    // Attributes decide how the other files are written, so they are in place first.
    const attributes = wanted.filter(({ path }) => /(?:^|\/)\.gitattributes$/.test(path));
    if (attributes.length > 0) await checkOutPaths(index, attributes);
    await checkOutPaths(index, wanted);
  });
}

async function checkOutPaths(index: PrivateIndex, wanted: readonly EntryChange[]): Promise<void> {
  await index.run(["checkout-index", "--force", "--quiet", "-z", "--stdin"], {
    input: wanted.map(({ path }) => `${path}\0`).join(""),
  });
}

/** Why a path cannot be written without losing something, or null. */
async function obstacle(root: string, { path, before }: EntryChange): Promise<string | null> {
  const parts = path.split("/");
  for (let depth = 1; depth < parts.length; depth++) {
    const parent = parts.slice(0, depth).join("/");
    const found = await lstat(join(root, parent)).catch(() => undefined);
    if (found === undefined) return null;
    if (!found.isDirectory()) return `${parent} is in its way and is not part of the snapshot`;
  }
  const found = await lstat(join(root, path)).catch(() => undefined);
  if (found === undefined) return null;
  if (found.isDirectory()) {
    const isGone = await rmdir(join(root, path)).then(
      () => true,
      () => false,
    );
    return isGone ? null : "a folder with other files is in its place";
  }
  return before.mode === ABSENT ? "an ignored file is in its place" : null;
}

async function removeFile(root: string, path: string): Promise<void> {
  // Never through a symlink: below one lies somebody else's folder.
  for (let parent = dirname(path); parent !== "."; parent = dirname(parent)) {
    const found = await lstat(join(root, parent)).catch(() => undefined);
    if (found === undefined || !found.isDirectory()) return;
  }
  const found = await lstat(join(root, path)).catch(() => undefined);
  if (found === undefined || found.isDirectory()) return;
  await unlink(join(root, path));
  for (let parent = dirname(path); parent !== "."; parent = dirname(parent)) {
    const isGone = await rmdir(join(root, parent)).then(
      () => true,
      () => false,
    );
    if (!isGone) return;
  }
}

function isSubmodule({ before, after }: EntryChange): boolean {
  return before.mode === SUBMODULE || after.mode === SUBMODULE;
}
