// What every store says of a lease: a new one, whether one is held, and the refusal where it is.
import { instantFromMs } from "../../core/instant.ts";
import { judgeLease } from "../../core/lease-rules.ts";
import type { Lease } from "../../core/schema/project.ts";
import { StintError } from "../../core/stint-error.ts";
import type { Host } from "../host.ts";
import type { Claim, LeaseView } from "../store.ts";

export function newLease(host: Host, claim: Claim, fence: number): Lease {
  const now = instantFromMs(host.nowMs());
  return {
    fence,
    run_id: claim.run_id,
    owner: claim.owner,
    ...host.self(),
    acquired_at: now,
    heartbeat_at: now,
    released_at: null,
  };
}

export function viewLease(host: Host, lease: Lease | null): LeaseView {
  if (lease === null) return { lease, held: false, why: "never taken" };
  const { boot_id, pid_namespace } = host.self();
  // In another boot or namespace the same number is another process.
  const isVisible = boot_id === lease.boot_id && pid_namespace === lease.pid_namespace;
  const processState = isVisible ? host.processState(lease.pid, lease.process_start) : "unknown";
  const { free, why } = judgeLease(lease, {
    nowMs: host.nowMs(),
    boot_id,
    pid_namespace,
    processState,
  });
  return { lease, held: !free, why };
}

/** @throws lease-held */
export function refuseIfHeld(name: string, { lease, held, why }: LeaseView): void {
  if (lease === null || !held) return;
  throw new StintError(
    "lease-held",
    `${name} is held by ${lease.run_id} (${lease.owner}, pid ${lease.pid} on ${lease.host}, since ${lease.acquired_at}): ${why}`,
    `Wait for it, or see what it does: stint status ${name}`,
  );
}
