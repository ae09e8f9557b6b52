// What an error code means for a path: the file system that it lies on tells more than the code, and so do the folders
// on the way to it.
import { accessSync, constants, lstatSync, statfsSync } from "node:fs";
import { dirname } from "node:path";
import { canBeSeen, lookThrough } from "./look-at.ts";
import { errnoOf, type Meaning, meaningOf, NO_INODES } from "../core/words/system-error.ts";

export function meaningAt(errno: string, path: string, syscall?: string): Meaning {
  const usual = meaningOf(errno);
  switch (errno) {
    case "ENOSPC":
      return isWithoutInodes(path) ? NO_INODES : usual;
    case "EACCES":
      return { ...usual, repair: accessTo };
    case "EEXIST":
    case "ENOTDIR":
      return obstructed(usual, path);
    case "ENOENT":
      // Node says so where a folder cannot be made, with its parents, on a file system that is read-only.
      if (syscall === "mkdir" && isReadOnly(path)) return { ...meaningOf("EROFS"), errno: "EROFS" };
      return usual;
    default:
      return usual;
  }
}

function obstructed(usual: Meaning, path: string): Meaning {
  const at = inTheWayOf(path);
  if (at === null) return usual;
  const facts = lstatSync(at);
  const isLink = facts.isSymbolicLink();
  const isDevice = facts.isCharacterDevice() || facts.isBlockDevice();
  const repair = isDevice ? `Name another place: ${at} is a device.` : `Move ${at} aside.`;
  const reason = isLink
    ? "a link that leads to no folder is where a folder should be"
    : usual.reason;
  return { reason, repair: () => repair };
}

/** What keeps a folder from being there, which may be far above its path; null for nothing. */
export function inTheWayOf(folder: string): string | null {
  const at = nearest(folder);
  return at === null || isFolder(at) ? null : at;
}

/** The path, or else the last thing on the way to it that is there: a link that leads nowhere is. */
export function nearest(path: string): string | null {
  for (let at = path; ; at = dirname(at)) {
    if (canBeSeen(at)) return at;
    if (dirname(at) === at) return null;
  }
}

function isFolder(path: string): boolean {
  try {
    return lookThrough(path)?.isDirectory() === true;
  } catch {
    return false;
  }
}

function isReadOnly(path: string): boolean {
  try {
    accessSync(nearest(path) ?? path, constants.W_OK);
    return false;
  } catch (error) {
    return errnoOf(error) === "EROFS";
  }
}

/** Names what refuses, which may be a folder above: to change the path below it would be refused, too. */
function accessTo(path: string): string {
  const closed = closedFolder(path) ?? nearest(path) ?? path;
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
