// Stint's own files in a tree: as a tree has them, and as a commit is to have them.
import { ABSENT, type TreeEntry } from "../../git/diff-trees.ts";
import { entriesBelow } from "./own-index.ts";
import type { Place } from "../repository/place.ts";
import { type RawPath, toRaw } from "../disk/raw-path.ts";
import { writeObject } from "./write-object.ts";
import type { OwnFile } from "../workspace.ts";

export function ownPathsOf({ options }: Place): RawPath[] {
  return options.ownPaths.map((path) => toRaw(path.replace(/\/+$/, "")));
}

/** The same with the manifest: Stint writes them itself, and anew with every commit. */
export function stintsPaths({ options }: Place): RawPath[] {
  return [...options.ownPaths, options.manifest ?? ""]
    .filter((path) => path !== "")
    .map((path) => toRaw(path.replace(/\/+$/, "")));
}

/** At and below Stint's own paths; asked once for each tree. */
export async function ownEntriesOf(
  place: Place,
  tree: string,
): Promise<ReadonlyMap<RawPath, TreeEntry>> {
  if (place.ownEntries?.tree !== tree) {
    place.ownEntries = { tree, entries: await entriesBelow(place, tree, ownPathsOf(place)) };
  }
  return place.ownEntries.entries;
}

/** Puts the files into Stint's objects. @returns their entries */
export async function storeOwnFiles(
  place: Place,
  files: readonly OwnFile[],
  tree: string,
): Promise<ReadonlyMap<RawPath, TreeEntry>> {
  const stored = new Map<RawPath, TreeEntry>();
  if (files.length === 0) return stored;
  const before = await ownEntriesOf(place, place.tip?.tree ?? tree);
  for (const { path, content } of files) {
    const raw = toRaw(path);
    const mode = before.get(raw)?.mode ?? "100644";
    if (content === null) stored.set(raw, { mode: ABSENT, oid: tree });
    // oxlint-disable-next-line no-await-in-loop
    else stored.set(raw, { mode, oid: await blobOf(place, path, content, tree.length) });
  }
  return stored;
}

/** A person edits the manifest, so it is stored as their git would; the rest is stored as it is. */
async function blobOf(
  place: Place,
  path: string,
  content: Uint8Array,
  idLength: number,
): Promise<string> {
  if (path !== place.options.manifest || !place.mayConvert) {
    return writeObject(place.git.gitDir, "blob", content, idLength);
  }
  return await place.git.id(["hash-object", "-w", "--stdin", `--path=${path}`], { input: content });
}
