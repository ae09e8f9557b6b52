// Where the workspace of a project lies and how much it takes. To show it nothing is walked; to measure it
// takes a while.
import { existsSync } from "node:fs";
import type { Instant } from "../../core/instant.ts";
import type { RegistryEntry, Store } from "../../store/store.ts";
import {
  measureUse,
  type MeasuredUse,
  readMeasuredUse,
} from "../../workspace/disk/measured-use.ts";
import type { KeptSpace } from "../../core/schema/run-records.ts";
import { readSpace } from "./kept-space.ts";

export interface WorkspaceUse extends KeptSpace {
  /** Null: never measured. */
  readonly use: MeasuredUse | null;
}

/** Null: it has none yet, or it is gone. */
export function workspaceUse(store: Store, entry: RegistryEntry): WorkspaceUse | null {
  const kept = readSpace(store, entry);
  if (kept === null || !existsSync(kept.home)) return null;
  return { ...kept, use: readMeasuredUse(kept.home) };
}

export async function measureWorkspace(
  store: Store,
  entry: RegistryEntry,
  at: Instant,
): Promise<WorkspaceUse | null> {
  const kept = readSpace(store, entry);
  if (kept === null || !existsSync(kept.home)) return null;
  return { ...kept, use: await measureUse(kept.home, at) };
}
