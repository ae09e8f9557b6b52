// Opens the workspace of a project to read from it, while no run is at work there.
import { existsSync, realpathSync } from "node:fs";
import type { RegistryEntry, Store } from "../../store/store.ts";
import { openWorkspace } from "../../workspace/open-workspace.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import { readSpace } from "./kept-space.ts";
import { ownPaths } from "../base/tree-files.ts";

/** To read from: nothing is started in it. Null where there is none. */
export function openKeptSpace(store: Store, entry: RegistryEntry): Workspace | null {
  const kept = readSpace(store, entry);
  if (kept === null || !existsSync(kept.home) || !existsSync(entry.root)) return null;
  const { manifest, folder: projectFolder, root, project_id, slug } = entry;
  return openWorkspace({
    kind: kept.kind,
    checkout: realpathSync(root),
    home: kept.home,
    project: project_id,
    slug,
    manifest,
    ownPaths: ownPaths({ root, manifest, projectFolder }),
    shownAt: "own-path",
    hide: [],
    mounts: [],
    bring: async () => [],
    runInside: () => Promise.reject(new Error("nothing is started by whoever only looks")),
  });
}
