// Whether a path below a work tree is really there: Stint does not write through links that somebody put on the way.
import { dirname, join, relative } from "node:path";
import type { Disk } from "./disk.ts";

/** The first folder below the root that is a link, as far as the way is there. */
export function linkOnTheWay(disk: Disk, root: string, folder: string): string | undefined {
  if (folder === root) return undefined;
  const isThere = disk.stat(folder) !== undefined;
  // What really is at its place has no link above it either.
  if (isThere && disk.realPath(folder) === realPlace(disk, root, folder)) return undefined;
  return linkOnTheWay(disk, root, dirname(folder)) ?? (isThere ? folder : undefined);
}

/** Where a path below the root really is when only the way to the root has links. */
export function realPlace(disk: Disk, root: string, path: string): string {
  return join(disk.realPath(root), relative(root, path));
}
