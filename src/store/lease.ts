// A lease: a new one, whether one is held, the refusals, and its record as bytes: one field a line, and last
// an `integrity` field, the SHA-256 of all before it, by which any truncation or flipped bit is noticed.
// Records of earlier versions have no such field and exactly the fields of a lease; anything else without a
// right seal is damaged.
import type { ProjectId } from "../core/ids.ts";
import { instantFromMs } from "../core/instant.ts";
import { parseJsonLine } from "../core/json-line.ts";
import { judgeLease } from "../core/lease-rules.ts";
import type { Lease } from "../core/schema/project.ts";
import { StintError } from "../core/stint-error.ts";
import { sha256Of } from "./digest.ts";
import type { Host } from "./host.ts";
import type { Claim, Happening, LeaseView } from "./store.ts";

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
export function refuseIfHeld(id: ProjectId, { lease, held, why }: LeaseView): void {
  if (lease === null || !held) return;
  // Who holds it is named already.
  const more = why.endsWith(" is alive.") ? "" : `: ${why}`;
  throw new StintError(
    "lease-held",
    `${id} is held by ${lease.run_id} (${lease.owner}, pid ${lease.pid} on ${lease.host}, since ${lease.acquired_at})${more}`,
    `Wait for it, or see what it does: stint status ${id}`,
  );
}

export function leaseLost(id: ProjectId, lease: Lease, highest: number | undefined): StintError {
  return new StintError(
    "lease-lost",
    `${id}: the lease of ${lease.run_id} (fencing number ${lease.fence}) was taken over under number ${highest ?? "unknown"}. Nothing was written.`,
    `See who has it: stint status ${id}`,
  );
}

export function leaseGivenBack(id: ProjectId): StintError {
  return new StintError(
    "lease-lost",
    `${id}: this lease was already given back`,
    `Open the project again: stint status ${id}`,
  );
}

/** The line of whoever took over from an owner that ended without giving its lease back. */
export function takeOver(predecessor: Lease, lease: Lease, nowMs: number): Happening {
  return {
    at: instantFromMs(nowMs),
    kind: "lease-taken-over",
    by: lease.owner,
    summary: `${predecessor.run_id} ended without giving its lease back; ${lease.run_id} took over`,
    data: { predecessor: predecessor.run_id, fence: lease.fence },
  };
}

const SEAL_START = ',\n  "integrity": "sha256-';
const SEAL_END = '"\n}\n';
const SEAL_LENGTH = SEAL_START.length + 64 + SEAL_END.length;
const OPEN_END = "\n}";

const FIELDS: Readonly<Record<keyof Lease, true>> = {
  fence: true,
  run_id: true,
  owner: true,
  host: true,
  boot_id: true,
  pid_namespace: true,
  pid: true,
  process_start: true,
  acquired_at: true,
  heartbeat_at: true,
  released_at: true,
};

export type DecodedLease =
  | { readonly ok: true; readonly lease: Lease }
  | { readonly ok: false; readonly reason: string };

export const NO_LEASE: DecodedLease = { ok: false, reason: "it is not the record of a lease" };

export function encodeLease(lease: Lease): Buffer {
  const content = JSON.stringify(lease, null, 2).slice(0, -OPEN_END.length);
  return Buffer.from(`${content}${SEAL_START}${sha256Of(content)}${SEAL_END}`, "utf8");
}

export function decodeLease(bytes: Buffer): DecodedLease {
  const value = parseJsonLine(bytes.toString("utf8"));
  if (value === undefined) return NO_LEASE;
  const { integrity, ...lease } = value;
  const isWhole = integrity === undefined ? hasOnlyFields(lease) : isSealed(bytes);
  if (!isWhole) return { ok: false, reason: "its content does not match its integrity field" };
  return isLease(lease) ? { ok: true, lease } : NO_LEASE;
}

/** By the bytes: a seal that stands anywhere else, or in other words, is none. */
function isSealed(bytes: Buffer): boolean {
  const length = Math.max(0, bytes.length - SEAL_LENGTH);
  const seal = `${SEAL_START}${sha256Of(bytes.subarray(0, length))}${SEAL_END}`;
  return bytes.toString("latin1", length) === seal;
}

/** A field that nobody knows is a known one with a flipped bit. */
function hasOnlyFields(value: object): boolean {
  return Object.keys(value).every((key) => Object.hasOwn(FIELDS, key));
}

function isLease(value: Partial<Record<keyof Lease, unknown>>): value is Lease {
  return (
    Number.isSafeInteger(value.fence) &&
    Number.isSafeInteger(value.pid) &&
    typeof value.run_id === "string" &&
    typeof value.boot_id === "string" &&
    typeof value.pid_namespace === "string" &&
    typeof value.process_start === "string" &&
    !Number.isNaN(Date.parse(String(value.heartbeat_at))) &&
    (value.released_at === null || typeof value.released_at === "string")
  );
}
