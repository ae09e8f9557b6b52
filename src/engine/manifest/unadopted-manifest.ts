// Whether the manifest on disk is another than the one that holds, because git put it there and nobody
// wrote it. Takes no lock and changes nothing.
import { existsSync } from "node:fs";
import { sha256Of } from "../../store/digest.ts";
import type { Snapshot, Store } from "../../store/store.ts";
import { readSpace } from "../space/kept-space.ts";
import { lookAtPersonsGit } from "./persons-git.ts";
import { treeFiles } from "../base/tree-files.ts";

/** In words; null where the file on disk is the one that holds, or is read as a person's edit. */
export async function whyNotAdopted(
  store: Store,
  { entry, state }: Pick<Snapshot, "entry" | "state">,
): Promise<string | null> {
  const { root, manifest, folder: projectFolder } = entry;
  // Before the first run nothing says where the work belongs; in place, every text is somebody's.
  const kind = readSpace(store, entry)?.kind;
  if (kind !== "own-copy" || !existsSync(root)) return null;
  const disk = treeFiles({ root, manifest, projectFolder }).readManifest();
  if (disk !== undefined && sha256Of(disk) === (state.manifest.seen ?? state.manifest.digest))
    return null;
  return await lookAtPersonsGit(entry, store).gitsDoing();
}
