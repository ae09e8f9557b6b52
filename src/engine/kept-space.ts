// Where a project's workspace lies, for whoever looks at it while no run is at work there.
import { existsSync, realpathSync } from "node:fs";
import { type Holder, keptPath, type RegistryEntry, type Store } from "../store/store.ts";
import { openWorkspace } from "../workspace/open-workspace.ts";
import type { Workspace, WorkspaceKind } from "../workspace/workspace.ts";
import { ownPaths } from "./tree-files.ts";

const KEPT = keptPath("logs", "workspace.json");

export interface KeptSpace {
  readonly kind: WorkspaceKind;
  readonly home: string;
  /** Where its sessions find the files. */
  readonly at: string;
}

export function keepSpace(holder: Holder, store: Store, space: KeptSpace): void {
  const text = `${JSON.stringify(space)}\n`;
  if (store.kept(holder.state.project_id, KEPT)?.toString("utf8") !== text) holder.keep(KEPT, text);
}

export function readSpace(store: Store, { project_id }: RegistryEntry): KeptSpace | null {
  const bytes = store.kept(project_id, KEPT);
  return bytes === undefined ? null : (JSON.parse(bytes.toString("utf8")) as KeptSpace);
}

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
