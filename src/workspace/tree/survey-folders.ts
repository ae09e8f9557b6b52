// Looks into the folders that hold the workspace's files for what git does not tell: repositories inside,
// folders without any file, folders that cannot be read. No link is followed.
import { readdirSync } from "node:fs";
import { SUBMODULE } from "../../git/diff-trees.ts";
import type { Listing } from "./list-tree.ts";
import { foldersAbove, onDisk, type RawPath } from "../disk/raw-path.ts";

export interface Survey {
  /** Folders with a `.git` of their own. */
  readonly nested: readonly RawPath[];
  readonly empty: readonly RawPath[];
  readonly unreadable: readonly RawPath[];
}

export function surveyFolders(folder: string, listing: Listing, aside: readonly RawPath[]): Survey {
  const nested = listing.others
    .filter((path) => path.endsWith("/"))
    .map((path) => path.slice(0, -1));
  const found = {
    nested: [...nested],
    empty: [] as RawPath[],
    unreadable: [...listing.unreadable],
  };
  const known = knownFolders(listing);
  const skipped = new Set([...aside, ...nested, ...submodulesOf(listing)]);

  const look = (path: RawPath): void => {
    const entries = entriesOf(folder, path);
    if (entries === null) {
      if (!found.unreadable.includes(path)) found.unreadable.push(path);
      return;
    }
    for (const { name, isFolder } of entries) {
      const inner = path === "" ? name : `${path}/${name}`;
      if (name === ".git") {
        if (path !== "") found.nested.push(path);
      } else if (!isFolder || skipped.has(inner)) continue;
      else if (known.has(inner)) look(inner);
      else if (holdsNothing(folder, inner)) found.empty.push(inner);
    }
  };
  look("");
  return found;
}

export function submodulesOf(listing: Listing): RawPath[] {
  return [...listing.tracked].filter(([, { mode }]) => mode === SUBMODULE).map(([path]) => path);
}

function knownFolders(listing: Listing): Set<RawPath> {
  const known = new Set<RawPath>();
  for (const path of [...listing.tracked.keys(), ...listing.others]) {
    for (const above of foldersAbove(path)) {
      if (known.has(above)) break;
      known.add(above);
    }
  }
  return known;
}

interface Entry {
  readonly name: RawPath;
  readonly isFolder: boolean;
}

/** Null for a folder that may not be read; none for one that is gone. */
function entriesOf(folder: string, path: RawPath): Entry[] | null {
  try {
    const found = readdirSync(onDisk(folder, path), { withFileTypes: true, encoding: "latin1" });
    return found.map((entry) => ({ name: entry.name, isFolder: entry.isDirectory() }));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EACCES" || code === "EPERM") return null;
    if (code === "ENOENT" || code === "ENOTDIR") return [];
    throw error;
  }
}

/** Ignored files count: the first one found ends the look. */
function holdsNothing(folder: string, path: RawPath): boolean {
  const entries = entriesOf(folder, path);
  return (
    entries !== null &&
    entries.every(({ name, isFolder }) => isFolder && holdsNothing(folder, `${path}/${name}`))
  );
}
