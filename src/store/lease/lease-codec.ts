// The record of a lease as bytes: one field a line, and last an `integrity` field, the SHA-256 of all
// before it, by which any truncation or flipped bit is noticed. Records of earlier versions have no
// such field and exactly the fields of a lease; anything else without a right seal is damaged.
import type { Lease } from "../../core/schema/project.ts";
import { sha256Of } from "../digest.ts";

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

export function encodeLease(lease: Lease): Buffer {
  const content = JSON.stringify(lease, null, 2).slice(0, -OPEN_END.length);
  return Buffer.from(`${content}${SEAL_START}${sha256Of(content)}${SEAL_END}`, "utf8");
}

export function decodeLease(bytes: Buffer): DecodedLease {
  const value = parsed(bytes);
  if (value === undefined) return { ok: false, reason: "it is not the record of a lease" };
  const { integrity, ...lease } = value;
  const isWhole = integrity === undefined ? hasOnlyFields(lease) : isSealed(bytes);
  if (!isWhole) return { ok: false, reason: "its content does not match its integrity field" };
  return isLease(lease)
    ? { ok: true, lease }
    : { ok: false, reason: "it is not the record of a lease" };
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

function parsed(bytes: Buffer): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(bytes.toString("utf8"));
    return typeof value === "object" && value !== null
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
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
