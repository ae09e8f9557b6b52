// Where a project's workspace lies, for whoever looks at it while no run is at work there.
import { existsSync } from "node:fs";
import { type KeptSpace, keptSpace } from "../../core/schema/run-records.ts";
import { type Holder, keptPath, type RegistryEntry, type Store } from "../../store/store.ts";
import { keepRecord, readKept } from "../base/kept-record.ts";

const KEPT = keptPath("logs", "workspace.json");

export function keepSpace(holder: Holder, store: Store, space: KeptSpace): void {
  keepRecord(holder, store, KEPT, space);
}

export function readSpace(store: Store, { project_id }: RegistryEntry): KeptSpace | null {
  return readKept(store, project_id, KEPT, keptSpace) ?? null;
}

/** It had one, and it was removed. */
export function isSpaceGone(store: Store, entry: RegistryEntry): boolean {
  const kept = readSpace(store, entry);
  return kept !== null && !existsSync(kept.home);
}
