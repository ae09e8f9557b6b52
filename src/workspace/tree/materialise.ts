// Compares the files with what a checkout of an index gives, byte for byte, where git may have stored other
// bytes than they have.
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  unlinkSync,
} from "node:fs";
import { join } from "node:path";
import type { Place } from "../repository/place.ts";
import { joinRecords, onDisk, type RawPath } from "../disk/raw-path.ts";
import { factsOf, isReallyInside, removeTree } from "../disk/remove-tree.ts";

export interface Comparison {
  readonly same: readonly RawPath[];
  readonly other: readonly RawPath[];
}

/** Checks paths of an index out beside the workspace, compares, and acts on those that differ. */
export async function compareFiles(
  place: Place,
  paths: readonly RawPath[],
  index: string,
  act: "replace" | "remove" | "look",
): Promise<Comparison> {
  const side = join(place.options.home, "side");
  removeTree(side);
  mkdirSync(side, { mode: 0o700 });
  await place.git.run(["checkout-index", "-f", "-z", "--stdin", `--prefix=${side}/`], {
    input: joinRecords(paths),
    env: { GIT_INDEX_FILE: index },
    isStrict: true,
  });
  const other = paths.filter((path) => isOther(side, place.folder, path));
  for (const path of other) {
    if (act === "replace") replace(onDisk(side, path), onDisk(place.folder, path));
    else if (act === "remove") unlinkSync(onDisk(place.folder, path));
  }
  removeTree(side);
  const differing = new Set(other);
  return { other, same: paths.filter((path) => !differing.has(path)) };
}

function isOther(side: string, folder: string, path: RawPath): boolean {
  const [right, there] = [onDisk(side, path), onDisk(folder, path)];
  if (!isReallyInside(folder, path) || factsOf(there)?.isDirectory() !== false) return false;
  return factsOf(right)?.isDirectory() === false && !isSame(right, there);
}

function replace(right: Buffer, there: Buffer): void {
  // Of the permissions git holds one; the others stay as they are.
  if (lstatSync(there).isFile() && lstatSync(right).isFile()) {
    chmodSync(right, lstatSync(there).mode & 0o777);
  }
  renameSync(right, there);
}

function isSame(one: Buffer, other: Buffer): boolean {
  const [first, second] = [factsOf(one), factsOf(other)];
  if (first === null || second === null) return first === second;
  if (first.isSymbolicLink() || second.isSymbolicLink()) {
    const areLinks = first.isSymbolicLink() && second.isSymbolicLink();
    return areLinks && readlinkSync(one, "buffer").equals(readlinkSync(other, "buffer"));
  }
  if (!first.isFile() || !second.isFile() || first.size !== second.size) return false;
  return readFileSync(one).equals(readFileSync(other));
}
