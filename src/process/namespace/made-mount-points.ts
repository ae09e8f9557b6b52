// A socket that a view covers belongs to another program, which may take it away at any time. Bubblewrap makes a mount
// point that is missing: then an empty file, and the folders that it is in, are on the real disk and in that program's way.
import { rmdirSync, unlinkSync } from "node:fs";
import { dirname } from "node:path";
import type { View } from "./view.ts";
import { lookAt } from "../look-at.ts";

/** What was there before a namespace was made: a socket, and the folders that it is in, the innermost first. */
export interface CoveredSocket {
  readonly path: string;
  readonly folders: readonly Folder[];
}

interface Folder {
  readonly path: string;
  /** Another one of the same name has another; a number alone may be given again. */
  readonly identity: string;
}

export function coveredSockets({ cover = [] }: View): CoveredSocket[] {
  return cover
    .filter((path) => lookAt(path)?.isSocket() === true)
    .map((path) => ({ path, folders: foldersAbove(path) }));
}

function foldersAbove(path: string): Folder[] {
  const above = dirname(path);
  const identity = identityOf(above);
  if (above === path || identity === undefined) return [];
  return [{ path: above, identity }, ...foldersAbove(above)];
}

function identityOf(folder: string): string | undefined {
  const found = lookAt(folder);
  return found === undefined ? undefined : `${found.ino} ${found.birthtimeMs}`;
}

/** When the namespace is there, or did not come to be: what was made in place of a socket that is gone. */
export function removeMadeFor(sockets: readonly CoveredSocket[]): void {
  for (const { path, folders } of sockets) {
    if (!isEmptyFile(path)) continue;
    try {
      unlinkSync(path);
      for (const folder of folders) {
        if (identityOf(folder.path) === folder.identity) break;
        rmdirSync(folder.path);
      }
    } catch {
      // Its owner was quicker, or something else is in there by now.
    }
  }
}

function isEmptyFile(path: string): boolean {
  const found = lookAt(path);
  return found?.isFile() === true && found.size === 0;
}
