import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RUN_ID } from "../../test/support/machine.ts";
import { instantFromMs, msOf } from "./instant.ts";
import {
  EXPIRY_MS,
  GIVE_UP_MS,
  HEARTBEAT_MS,
  type LeaseObserver,
  judgeLease,
  mustGiveUp,
} from "./lease-rules.ts";
import type { Lease } from "./schema/project.ts";

const NOW_MS = Date.parse("2026-01-01T12:00:00.000Z");

function leaseAged(ageMs: number, more: Partial<Lease> = {}): Lease {
  return {
    fence: 3,
    run_id: RUN_ID,
    owner: "stint",
    host: "box",
    boot_id: "boot",
    pid_namespace: "ns",
    pid: 7,
    process_start: "1",
    acquired_at: instantFromMs(NOW_MS - 1_000_000),
    heartbeat_at: instantFromMs(NOW_MS - ageMs),
    released_at: null,
    ...more,
  };
}

function seenBy(more: Partial<LeaseObserver> = {}): LeaseObserver {
  return { nowMs: NOW_MS, boot_id: "boot", pid_namespace: "ns", processState: "unknown", ...more };
}

describe("a lease", () => {
  it("renews every 10 s, expires after 60 s and is given up after 48 s without renewal", () => {
    expect([HEARTBEAT_MS, EXPIRY_MS, GIVE_UP_MS]).toEqual([10_000, 60_000, 48_000]);
    expect(mustGiveUp(0, 47_999)).toBe(false);
    expect(mustGiveUp(0, 48_000)).toBe(true);
  });

  it("is free once released, however fresh", () => {
    const lease = leaseAged(0, { released_at: instantFromMs(NOW_MS) });
    expect(judgeLease(lease, seenBy({ processState: "alive" })).free).toBe(true);
  });

  it("is free at once when its process is seen to be dead", () => {
    expect(judgeLease(leaseAged(0), seenBy({ processState: "dead" }))).toEqual({
      free: true,
      why: "r-0123456789 (pid 7 on box) is dead.",
    });
  });

  it("never expires while its process is seen to be alive", () => {
    const day = 24 * 60 * 60 * 1000;
    expect(judgeLease(leaseAged(day), seenBy({ processState: "alive" })).free).toBe(false);
  });

  it.each([{ boot_id: "other" }, { pid_namespace: "other" }])(
    "is judged by its heartbeat alone from elsewhere: %o",
    (elsewhere) => {
      for (const processState of ["alive", "dead", "unknown"] as const) {
        const observer = seenBy({ ...elsewhere, processState });
        expect(judgeLease(leaseAged(EXPIRY_MS), observer).free).toBe(false);
        expect(judgeLease(leaseAged(EXPIRY_MS + 1), observer).free).toBe(true);
      }
    },
  );

  it("counts a heartbeat from the future as fresh until 60 s past its own time", () => {
    const lease = leaseAged(-3_600_000);
    const stated = msOf(lease.heartbeat_at);
    const elsewhere = { boot_id: "other" };
    expect(judgeLease(lease, seenBy(elsewhere)).free).toBe(false);
    expect(judgeLease(lease, seenBy({ ...elsewhere, nowMs: stated + EXPIRY_MS })).free).toBe(false);
    expect(judgeLease(lease, seenBy({ ...elsewhere, nowMs: stated + EXPIRY_MS + 1 })).free).toBe(
      true,
    );
  });

  it("is given up by its holder before anyone elsewhere may take it, for any clock in step", () => {
    fc.assert(
      fc.property(fc.nat(200_000), (ageMs) => {
        const isTaken = judgeLease(leaseAged(ageMs), seenBy({ boot_id: "other" })).free;
        const wasGivenUp = mustGiveUp(NOW_MS - ageMs, NOW_MS - 12_000);
        expect(wasGivenUp || !isTaken).toBe(true);
      }),
      { seed: 1 },
    );
  });
});
