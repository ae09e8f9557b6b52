// More than a repository should take up at once: git would read, compress and store all of it before
// anybody is asked. A file without content that claims to be huge counts with its claim.
import { onDisk, type RawPath, toText } from "../disk/raw-path.ts";
import { factsOf } from "../disk/remove-tree.ts";
import type { Uncommittable } from "../workspace.ts";

const GIBIBYTE = 1024n * 1024n * 1024n;
const MOST_BYTES = 2n * GIBIBYTE;
const MOST_NAMED = 3;

/** None where all changed files together are small enough; else the largest of them. */
export function tooLarge(folder: string, paths: readonly RawPath[]): Uncommittable[] {
  const files = paths.map((path) => ({ path, bytes: sizeOf(folder, path) }));
  const all = files.reduce((sum, { bytes }) => sum + bytes, 0n);
  if (all <= MOST_BYTES) return [];
  const largest = files.toSorted((one, other) => (one.bytes < other.bytes ? 1 : -1));
  return largest.slice(0, MOST_NAMED).map(({ path, bytes }) => ({
    path: toText(path),
    why: `takes ${shown(bytes)}, and all changed files together ${shown(all)}: more than 2 GiB`,
    hint: `remove it, or add it to .gitignore if it is not part of the work`,
  }));
}

function sizeOf(folder: string, path: RawPath): bigint {
  const facts = factsOf(onDisk(folder, path));
  return facts?.isFile() === true ? facts.size : 0n;
}

function shown(bytes: bigint): string {
  return bytes < GIBIBYTE
    ? `${bytes / (1024n * 1024n)} MiB`
    : `${(Number(bytes / (1024n * 1024n)) / 1024).toFixed(1)} GiB`;
}
