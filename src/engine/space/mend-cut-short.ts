// Whoever holds the lease of a project first ends a delivery that was cut short: the person's manifest may be
// among the files that it had put in place, and would be taken for an edit.
import { instantFromMs } from "../../core/instant.ts";
import type { Holder, RegistryEntry, Store } from "../../store/store.ts";
import { endCutShort, isCutShort } from "../../workspace/deliver/end-delivery.ts";
import { readSpace } from "./kept-space.ts";

export interface MendContext {
  readonly holder: Holder;
  readonly store: Store;
  readonly nowMs: number;
}

/** @returns what the person is told; it is in the journal too */
export async function mendCutShort({ holder, store, nowMs }: MendContext): Promise<string[]> {
  const { entry, state } = holder;
  if (whatIsCutShort(store, entry) === null) return [];
  const { home = "" } = readSpace(store, entry) ?? {};
  const place = { home, project: entry.project_id, checkout: entry.root };
  const { obstacle, notes } = await endCutShort(place);
  const ended =
    obstacle === null
      ? "a delivery that was cut short has been completed or taken back"
      : `a delivery was cut short and cannot be ended: ${obstacle.why}`;
  const told = [ended, ...notes];
  const fact = { at: instantFromMs(nowMs), by: state.owner_agent, kind: "delivery-mended" };
  for (const summary of told) holder.note({ ...fact, summary });
  return told;
}

/** A sentence for `status` and `doctor`; null where every delivery has come to its end. */
export function whatIsCutShort(store: Store, entry: RegistryEntry): string | null {
  const kept = readSpace(store, entry);
  if (kept === null || kept.kind === "in-place" || !isCutShort(kept.home)) return null;
  return `a delivery into ${entry.root} was cut short: some of its files may be there, uncommitted, and its lock of the index`;
}
