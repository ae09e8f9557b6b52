// A lease for a moment: for an answer, a repair, a look at the manifest. A run keeps its own, and renews it.
import type { ProjectId } from "../../core/ids.ts";
import { StintError } from "../../core/stint-error.ts";
import { mendCutShort } from "../../engine/space/kept-space.ts";
import type { Holder } from "../../store/store.ts";
import { orFault } from "../or-fault.ts";
import { freshRunId, type System } from "../system.ts";

export function isHeld(error: unknown): error is StintError {
  return error instanceof StintError && error.code === "lease-held";
}

/** Null where somebody holds it. */
export function acquireIfFree(system: System, id: ProjectId): Holder | null {
  const claim = { owner: system.user, run_id: freshRunId(system) };
  const taken = orFault(() => system.store.acquire(id, claim));
  if (taken.ok) return taken.value;
  if (isHeld(taken.fault)) return null;
  throw taken.fault;
}

/** Gives the lease back whatever happens; what went wrong first is what is told. */
export async function whileHeld<T>(
  { store, host }: System,
  holder: Holder,
  act: (mended: readonly string[]) => T | Promise<T>,
): Promise<T> {
  let result: T;
  try {
    result = await act(await mendCutShort({ holder, store, nowMs: host.nowMs() }));
  } catch (error) {
    releaseQuietly(holder);
    throw error;
  }
  holder.release();
  return result;
}

/** After a failure that is to be told: that the lease cannot be given back, too, is not. */
export function releaseQuietly(holder: Holder): void {
  orFault(() => holder.release());
}
