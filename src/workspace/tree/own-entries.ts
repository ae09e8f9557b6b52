// Stint's own files in a tree: as a tree has them, and as a commit is to have them.
import { objectId } from "../../git/object-id.ts";
import { ABSENT, type TreeEntry } from "../../git/diff-trees.ts";
import { entriesBelow } from "./own-index.ts";
import type { Place } from "../repository/place.ts";
import { type RawPath, toRaw } from "../disk/raw-path.ts";
import { type GitObject } from "./loose-objects.ts";
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

export interface OwnEntries {
  readonly entries: ReadonlyMap<RawPath, TreeEntry>;
  /** What they hold, as far as it is in no repository yet. */
  readonly objects: readonly GitObject[];
}

/** The entries that these files have in a commit; what they hold is in no repository yet, unless git put it there. */
export async function ownFilesAsEntries(
  place: Place,
  files: readonly OwnFile[],
  tree: string,
): Promise<OwnEntries> {
  const stored = new Map<RawPath, TreeEntry>();
  const objects: GitObject[] = [];
  if (files.length === 0) return { entries: stored, objects };
  const before = await ownEntriesOf(place, place.tip?.tree ?? tree);
  for (const { path, content } of files) {
    const raw = toRaw(path);
    const mode = before.get(raw)?.mode ?? "100644";
    if (content === null) stored.set(raw, { mode: ABSENT, oid: tree });
    else if (path === place.options.manifest && place.mayConvert) {
      // A person edits the manifest, so it is stored as their git would; the rest is stored as it is.
      const args = ["hash-object", "-w", "--stdin", `--path=${path}`];
      // oxlint-disable-next-line no-await-in-loop
      stored.set(raw, { mode, oid: await place.git.id(args, { input: content }) });
    } else {
      const blob = { kind: "blob", content: Buffer.from(content) } as const;
      objects.push(blob);
      stored.set(raw, { mode, oid: objectId(blob.kind, blob.content, tree.length) });
    }
  }
  return { entries: stored, objects };
}

/** Puts the files into Stint's objects. @returns their entries */
export async function storeOwnFiles(
  place: Place,
  files: readonly OwnFile[],
  tree: string,
): Promise<ReadonlyMap<RawPath, TreeEntry>> {
  const own = await ownFilesAsEntries(place, files, tree);
  storeObjects(place, own.objects, tree.length);
  return own.entries;
}

export function storeObjects(
  { git }: Place,
  objects: readonly GitObject[],
  idLength: number,
): void {
  for (const object of objects) writeObject(git.gitDir, object, idLength);
}
