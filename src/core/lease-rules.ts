// Stand-in until the rules land.
import type { Lease } from "./schema/lease.ts";

export interface LeaseObserver {
  readonly nowMs: number;
  readonly boot_id: string;
  readonly pid_namespace: string;
  readonly processState: "alive" | "dead" | "unknown";
}

export function judgeLease(lease: Lease, observer: LeaseObserver): { free: boolean; why: string } {
  if (lease.released_at !== null) return { free: true, why: `released at ${lease.released_at}` };
  if (lease.boot_id === observer.boot_id && lease.pid_namespace === observer.pid_namespace) {
    if (observer.processState === "dead") return { free: true, why: "its process is gone" };
    if (observer.processState === "alive") return { free: false, why: "its process is alive" };
  }
  const age = observer.nowMs - Date.parse(lease.heartbeat_at);
  return { free: age > 60_000, why: `its last heartbeat was ${Math.round(age / 1000)} s ago` };
}
