// Makes the files what a checkout of the index gives, byte for byte, where git may have stored others.
// Files that are right already keep their time.
import { chmodSync, mkdirSync, readFileSync, readlinkSync, renameSync } from "node:fs";
import { join } from "node:path";
import { addAll, writeTree } from "./own-index.ts";
import type { Place } from "./place.ts";
import { joinRecords, onDisk, type RawPath } from "./raw-path.ts";
import { factsOf, isReallyInside, removeTree } from "./remove-tree.ts";

/**
 * `paths` are in the index. @returns the paths whose stored form is another one each time, so that no
 * commit holds what was verified
 */
export async function materialise(
  place: Place,
  paths: readonly RawPath[],
  except: readonly RawPath[],
): Promise<{ readonly tree: string; readonly replaced: readonly RawPath[] }> {
  const side = join(place.options.home, "side");
  removeTree(side);
  mkdirSync(side, { mode: 0o700 });
  await place.git.run(["checkout-index", "-f", "-z", "--stdin", `--prefix=${side}/`], {
    input: joinRecords(paths),
    isStrict: true,
  });
  const replaced = paths.filter((path) => replaceIfOther(side, place.folder, path));
  removeTree(side);
  if (replaced.length > 0) await addAll(place, except);
  const tree =
    replaced.length > 0 || place.indexTree === null ? await writeTree(place) : place.indexTree;
  return { tree, replaced };
}

function replaceIfOther(side: string, folder: string, path: RawPath): boolean {
  const right = onDisk(side, path);
  const there = onDisk(folder, path);
  if (factsOf(right)?.isDirectory() !== false) return false;
  if (!isReallyInside(folder, path) || isSame(right, there)) return false;
  const facts = factsOf(there);
  // The person's permissions stay as they are, but for what git holds of them.
  if (facts?.isFile() === true && factsOf(right)?.isFile() === true) {
    chmodSync(right, Number(facts.mode & 0o777n));
  }
  renameSync(right, there);
  return true;
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
