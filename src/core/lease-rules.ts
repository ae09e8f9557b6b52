// Whether a lease may be taken over. Where the holder's process can be seen, the process decides and
// the clock does not; elsewhere only the age of the heartbeat can.
import { msOf } from "./instant.ts";
import type { Lease } from "./schema/project.ts";

export const HEARTBEAT_MS = 10_000;
export const EXPIRY_MS = 60_000;
/** A holder that could not renew for this long stops itself, before anyone else may take over. */
export const GIVE_UP_MS = 48_000;

export interface LeaseObserver {
  readonly nowMs: number;
  readonly boot_id: string;
  readonly pid_namespace: string;
  /** Of the lease's pid with the lease's process start time, as far as the observer can see. */
  readonly processState: "alive" | "dead" | "unknown";
}

export interface LeaseJudgement {
  readonly free: boolean;
  readonly why: string;
}

export function judgeLease(lease: Lease, observer: LeaseObserver): LeaseJudgement {
  const holder = `${lease.run_id} (pid ${lease.pid} on ${lease.host})`;
  if (lease.released_at !== null) {
    return { free: true, why: `${holder} released it at ${lease.released_at}.` };
  }
  const isVisible =
    lease.boot_id === observer.boot_id && lease.pid_namespace === observer.pid_namespace;
  if (isVisible && observer.processState === "dead") {
    return { free: true, why: `${holder} is dead.` };
  }
  if (isVisible && observer.processState === "alive") {
    return { free: false, why: `${holder} is alive.` };
  }
  // A heartbeat from the future has a negative age: fresh, until 60 s past its own stated time.
  const ageMs = observer.nowMs - msOf(lease.heartbeat_at);
  return ageMs > EXPIRY_MS
    ? { free: true, why: `${holder} has not renewed it since ${lease.heartbeat_at}.` }
    : { free: false, why: `${holder} renewed it at ${lease.heartbeat_at}.` };
}

export function mustGiveUp(lastRenewedMs: number, nowMs: number): boolean {
  return nowMs - lastRenewedMs >= GIVE_UP_MS;
}
