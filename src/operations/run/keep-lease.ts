// The lease of a run is renewed from the moment it is taken until it is given back, whatever the run is
// doing. Where that fails, or comes so late that another run may have taken it, it is lost: nothing more
// is written under it, and the work in hand has to end.
import type { StopWanted } from "../../engine/base/run-context.ts";
import { msOf } from "../../core/instant.ts";
import { EXPIRY_MS, HEARTBEAT_MS, mustGiveUp } from "../../core/lease-rules.ts";
import { StintError } from "../../core/stint-error.ts";
import type { Host } from "../../store/host.ts";
import type { Holder } from "../../store/store.ts";
import { releaseQuietly } from "./while-held.ts";

export interface KeptLease {
  /** Null while it is held. Looks at the clock each time, so that no work goes on after a sleep. */
  readonly loss: () => StintError | null;
  /** The loss as what ends sessions, checks, hooks, acts and pushes. */
  readonly stopWanted: () => StopWanted | null;
  /** Renews it no longer. */
  readonly end: () => void;
}

export function keepLease(host: Host, holder: Holder): KeptLease {
  let lost: StintError | null = null;
  const loss = (): StintError | null => {
    if (lost === null && mustGiveUp(msOf(holder.lease.heartbeat_at), host.nowMs())) {
      lost = overdue(holder, host.nowMs());
      holder.giveUp(lost);
    }
    return lost;
  };
  const renew = (): void => {
    if (loss() !== null) return;
    try {
      holder.renew();
    } catch (error) {
      if (!(error instanceof StintError)) throw error;
      lost = error;
    }
  };
  return {
    loss,
    stopWanted: () => (loss() === null ? null : { kind: "signal", reason: "the lease was lost" }),
    end: host.every(HEARTBEAT_MS, renew),
  };
}

/** Works under a lease for as long as it takes, and gives it back whatever happens. Its loss is told before all else. */
export async function whileKept<T>(
  host: Host,
  holder: Holder,
  work: (kept: KeptLease) => Promise<T>,
): Promise<T> {
  const kept = keepLease(host, holder);
  try {
    const result = await work(kept);
    giveBack(holder, kept);
    return result;
  } catch (error) {
    kept.end();
    // Whatever else was thrown came of the loss.
    const cause = kept.loss() ?? error;
    releaseQuietly(holder);
    throw cause;
  }
}

/** Gives it back. @throws the loss, where it was lost: then nothing that came of the work counts */
export function giveBack(holder: Holder, kept: KeptLease): void {
  kept.end();
  const loss = kept.loss();
  if (loss !== null) throw loss;
  holder.release();
}

function overdue({ entry, lease }: Holder, nowMs: number): StintError {
  const seconds = Math.round((nowMs - msOf(lease.heartbeat_at)) / 1000);
  const { project_id } = entry;
  return new StintError(
    "lease-lost",
    `${project_id}: the lease of ${lease.run_id} was not renewed for ${seconds} s, as when a machine sleeps or a process is stopped; after ${EXPIRY_MS / 1000} s another run may take it. What was in hand was ended, and nothing was written since.`,
    `See where it stands: stint status ${project_id}; then go on: stint resume ${project_id}`,
  );
}
