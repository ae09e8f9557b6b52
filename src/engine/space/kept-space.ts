// Where a project's workspace lies, for whoever looks at it while no run is at work there.
import { existsSync } from "node:fs";
import type { IsolationKind } from "../../process/namespace/isolation.ts";
import { type Holder, keptPath, type RegistryEntry, type Store } from "../../store/store.ts";
import type { WorkspaceKind } from "../../workspace/workspace.ts";

const KEPT = keptPath("logs", "workspace.json");

export interface KeptSpace {
  readonly kind: WorkspaceKind;
  readonly home: string;
  /** Where its sessions find the files. */
  readonly at: string;
  /** How its sessions were kept apart last. */
  readonly isolation: IsolationKind;
}

export function keepSpace(holder: Holder, store: Store, space: KeptSpace): void {
  const text = `${JSON.stringify(space)}\n`;
  if (store.kept(holder.state.project_id, KEPT)?.toString("utf8") !== text) holder.keep(KEPT, text);
}

export function readSpace(store: Store, { project_id }: RegistryEntry): KeptSpace | null {
  const bytes = store.kept(project_id, KEPT);
  return bytes === undefined ? null : (JSON.parse(bytes.toString("utf8")) as KeptSpace);
}

/** It had one, and it was removed. */
export function isSpaceGone(store: Store, entry: RegistryEntry): boolean {
  const kept = readSpace(store, entry);
  return kept !== null && !existsSync(kept.home);
}
