// A socket that a view covers belongs to another program, which may take it away at any time. Bubblewrap makes a mount
// point that is missing: then an empty file, and the folders that it is in, are on the real disk and in that program's way.
import { lstatSync, rmdirSync, unlinkSync } from "node:fs";
import { dirname } from "node:path";
import type { View } from "./view.ts";

/** What was there before a namespace was made: a socket, and the folders that it is in, the innermost first. */
export interface CoveredSocket {
  readonly path: string;
  readonly folders: readonly Folder[];
}

interface Folder {
  readonly path: string;
  readonly inode: number;
}

export function coveredSockets({ cover = [] }: View): CoveredSocket[] {
  return cover
    .filter((path) => lstatSync(path, { throwIfNoEntry: false })?.isSocket() === true)
    .map((path) => ({ path, folders: foldersAbove(path) }));
}

function foldersAbove(path: string): Folder[] {
  const above = dirname(path);
  const inode = lstatSync(above, { throwIfNoEntry: false })?.ino;
  if (above === path || inode === undefined) return [];
  return [{ path: above, inode }, ...foldersAbove(above)];
}

/** When the namespace is there, or did not come to be: what was made in place of a socket that is gone. */
export function removeMadeFor(sockets: readonly CoveredSocket[]): void {
  for (const { path, folders } of sockets) {
    if (!isEmptyFile(path)) continue;
    try {
      unlinkSync(path);
      for (const folder of folders) {
        if (lstatSync(folder.path).ino === folder.inode) break;
        rmdirSync(folder.path);
      }
    } catch {
      // Its owner was quicker, or something else is in there by now.
    }
  }
}

function isEmptyFile(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found?.isFile() === true && found.size === 0;
}
