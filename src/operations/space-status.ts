// The part of `status` that is about the workspace of a project: where it lies, and what a delivery or git left.
import type { StatusView } from "../core/schema/views.ts";
import { StintError } from "../core/stint-error.ts";
import { workspacePromise } from "../core/words/workspace-promise.ts";
import { deliveryNow } from "../engine/space/delivery-now.ts";
import { whatIsCutShort, whyNotAdopted, workspaceUse } from "../engine/space/kept-space.ts";
import type { RegistryEntry, Snapshot, Store } from "../store/store.ts";

export type SpaceStatus = Pick<
  StatusView,
  "workspace" | "delivery" | "delivery_cut_short" | "manifest_not_adopted"
>;

export async function spaceStatus(store: Store, snapshot: Snapshot): Promise<SpaceStatus> {
  const { entry } = snapshot;
  return {
    workspace: workspaceView(store, entry),
    delivery: await whereWorkIs(snapshot),
    delivery_cut_short: whatIsCutShort(store, entry),
    manifest_not_adopted: await whyNotAdopted(store, snapshot),
  };
}

/** Whoever only looks is told what was recorded where git cannot say more; `doctor` and `verify` tell why. */
async function whereWorkIs({ entry, state }: Snapshot): Promise<StatusView["delivery"]> {
  try {
    return await deliveryNow(entry.root, state);
  } catch (error) {
    if (error instanceof StintError && error.code === "git-failed") return state.delivery ?? null;
    throw error;
  }
}

function workspaceView(store: Store, entry: RegistryEntry): StatusView["workspace"] {
  const found = workspaceUse(store, entry);
  if (found === null) return null;
  const { kind, home, at, isolation, use } = found;
  const isAtCheckout = kind === "own-copy" && !at.startsWith(home);
  const { name, missing } = workspacePromise({ kind, isAtCheckout, isolation });
  return {
    kind,
    name,
    isolation,
    path: home,
    shown_at: at,
    missing: [...missing],
    bytes: use?.bytes ?? null,
    measured_at: use?.measured_at ?? null,
  };
}
