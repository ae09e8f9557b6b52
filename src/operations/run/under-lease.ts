// One act of a run, done by hand: under the lease of the project, kept for as long as it takes. Waits for nobody.
import type { ProjectId } from "../../core/ids.ts";
import { StintError } from "../../core/stint-error.ts";
import type { Holder } from "../../store/store.ts";
import { freshRunId, type System } from "../system.ts";
import { type KeptLease, whileKept } from "./keep-lease.ts";
import { takeLease } from "./take-lease.ts";
import { isHeld } from "./while-held.ts";

/** `whenHeld`: what to do first where a run is live. @throws lease-held */
export async function underLease<T>(
  system: System,
  id: ProjectId,
  whenHeld: string,
  act: (holder: Holder, kept: KeptLease) => Promise<T>,
): Promise<T> {
  const holder = await takeLease(system, id, freshRunId(system), null).catch((error: unknown) => {
    if (!isHeld(error)) throw error;
    throw new StintError("lease-held", error.message, whenHeld, { cause: error });
  });
  return await whileKept(system.host, holder, (kept) => act(holder, kept));
}
