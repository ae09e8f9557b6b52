// What an error code means for a path: the file system that it lies on tells more than the code, and so do the folders
// on the way to it.
import { accessSync, constants, lstatSync, statfsSync } from "node:fs";
import { dirname } from "node:path";
import { errnoOf, type Meaning, meaningOf, NO_INODES } from "../core/words/system-error.ts";

export function meaningAt(errno: string, path: string): Meaning {
  if (errno === "ENOSPC" && isWithoutInodes(path)) return NO_INODES;
  if (errno === "EACCES") return { ...meaningOf(errno), repair: accessTo };
  return meaningOf(errno);
}

/** Names what refuses, which may be a folder above: to change the path below it would be refused, too. */
function accessTo(path: string): string {
  const closed = closedFolder(path) ?? path;
  if (!isOwn(closed)) return meaningOf("EACCES").repair(closed);
  return `Give yourself access to ${closed} (chmod u+rwX ${closed}).`;
}

/** The first folder on the way that cannot be entered. */
function closedFolder(path: string): string | null {
  const above = dirname(path);
  const closed = above === path ? null : closedFolder(above);
  if (closed !== null || above === path) return closed;
  try {
    accessSync(above, constants.X_OK);
    return null;
  } catch (error) {
    return errnoOf(error) === "EACCES" ? above : null;
  }
}

function isOwn(path: string): boolean {
  try {
    return lstatSync(path).uid === process.getuid?.();
  } catch {
    return false;
  }
}

/** What was refused may have needed more than one block or inode, or was removed again. */
const A_FEW = 16;

/** Whether the file system of a path has no room left: no blocks, or no inodes. */
export function isFull(path: string): boolean {
  const { hasBlocks, hasInodes } = roomAt(path);
  return !hasBlocks || !hasInodes;
}

function isWithoutInodes(path: string): boolean {
  const { hasBlocks, hasInodes } = roomAt(path);
  return hasBlocks && !hasInodes;
}

/** Of the first folder on the way up that tells: a path may not be there. Some file systems make inodes as they need them. */
function roomAt(path: string): { readonly hasBlocks: boolean; readonly hasInodes: boolean } {
  for (let at = path; ; at = dirname(at)) {
    try {
      const { files, ffree, bavail } = statfsSync(at);
      return { hasBlocks: bavail > A_FEW, hasInodes: files === 0 || ffree > A_FEW };
    } catch {
      if (dirname(at) === at) return { hasBlocks: true, hasInodes: true };
    }
  }
}
