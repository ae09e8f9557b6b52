import { describe, expect, it } from "vitest";
import { newRunId } from "../core/ids.ts";
import { instantFromMs } from "../core/instant.ts";
import type { Lease } from "../core/schema/project.ts";
import { decodeLease, encodeLease } from "./lease.ts";

const LEASE: Lease = {
  fence: 7,
  run_id: newRunId((count) => new Uint8Array(count)),
  owner: "Zoë",
  host: "höst",
  boot_id: "b",
  pid_namespace: "pid:[1]",
  pid: 100,
  process_start: "5",
  acquired_at: instantFromMs(0),
  heartbeat_at: instantFromMs(0),
  released_at: null,
};

/** As versions before the integrity field wrote it. */
function unsealed(value: object): Buffer {
  return Buffer.from(`${JSON.stringify(value, null, 2)}\n`, "utf8");
}

describe("the record of a lease", () => {
  it("is read as it was written, and is JSON for everybody else", () => {
    const bytes = encodeLease(LEASE);
    expect(decodeLease(bytes)).toEqual({ ok: true, lease: LEASE });
    expect(JSON.parse(bytes.toString("utf8"))).toEqual({
      ...LEASE,
      integrity: expect.stringMatching(/^sha256-[0-9a-f]{64}$/),
    });
  });

  it("S4-4 with any flipped bit is damaged", () => {
    const bytes = encodeLease(LEASE);
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const flipped = Buffer.from(bytes);
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(decodeLease(flipped).ok, `bit ${bit}`).toBe(false);
    }
  });

  it("S4-4 cut at any length is damaged", () => {
    const bytes = encodeLease(LEASE);
    for (let length = 0; length < bytes.length; length += 1) {
      expect(decodeLease(bytes.subarray(0, length)).ok, `${length} bytes`).toBe(false);
    }
  });

  it("with a right seal that is not at its end is damaged", () => {
    const { integrity, ...rest } = JSON.parse(encodeLease(LEASE).toString("utf8")) as {
      integrity: string;
    };
    const reason = "its content does not match its integrity field";
    expect(decodeLease(unsealed({ integrity, ...rest }))).toEqual({ ok: false, reason });
  });

  it("of an earlier version is read without a seal, and only with the fields it had", () => {
    expect(decodeLease(unsealed(LEASE))).toEqual({ ok: true, lease: LEASE });
    expect(decodeLease(unsealed({ ...LEASE, integritx: "sha256-" })).ok).toBe(false);
    expect(decodeLease(unsealed({ ...LEASE, pid: "100" })).ok).toBe(false);
  });
});
