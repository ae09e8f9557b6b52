// The lease on disk: one file per fencing number, created exclusively, the highest number rules.
// A number is never taken twice and the highest is never removed, so taking over needs no lock and
// no removal: whoever creates the next number has it. lease.json in the project folder is a copy
// for people, and for owners that came with another state folder.
import { dirname, join } from "node:path";
import type { ProjectId } from "../core/ids.ts";
import { instantFromMs } from "../core/instant.ts";
import type { Lease } from "../core/schema/project.ts";
import { StintError } from "../core/stint-error.ts";
import type { Disk } from "./disk.ts";
import type { Host } from "./host.ts";
import { numberedName, numberOf } from "./layout.ts";
import {
  type DecodedLease,
  decodeLease,
  encodeLease,
  leaseLost,
  newLease,
  NO_LEASE,
  refuseIfHeld,
  viewLease,
} from "./lease.ts";
import { readCopy } from "./project-folder.ts";
import { stateGone } from "./revision-files.ts";
import type { Claim, LeaseView } from "./store.ts";

export interface TakenLease {
  readonly lease: Lease;
  /** The predecessor, when it never gave the lease back. */
  readonly fencedOff: Lease | null;
}

export class LeaseFiles {
  readonly #disk: Disk;
  readonly #host: Host;
  readonly #folder: string;
  readonly #copy: string;
  readonly #id: ProjectId;

  constructor(
    disk: Disk,
    host: Host,
    places: { readonly folder: string; readonly copy: string },
    id: ProjectId,
  ) {
    this.#disk = disk;
    this.#host = host;
    this.#folder = places.folder;
    this.#copy = places.copy;
    this.#id = id;
  }

  view(): LeaseView {
    return viewLease(this.#host, this.#top());
  }

  /**
   * Takes the next fencing number above every lease and above `floor`, the number in the state.
   * `floor` must have been read before this call: a state is written only by a number that exists.
   */
  take(claim: Claim, floor: number): TakenLease {
    this.#disk.ensureFolder(this.#folder);
    for (;;) {
      const top = this.#top();
      refuseIfHeld(this.#id, viewLease(this.#host, top));
      this.#refuseIfHeldElsewhere(top);
      const lease = newLease(this.#host, claim, Math.max(top?.fence ?? 0, floor) + 1);
      if (!this.#disk.create(this.#path(lease.fence), encodeLease(lease))) continue;
      // The number may have been used and cleared away while this process stood still.
      if (this.#highest() !== lease.fence) {
        this.#disk.remove(this.#path(lease.fence));
        continue;
      }
      this.#disk.clean(this.#folder, (name) => (numberOf(name) ?? lease.fence) < lease.fence);
      return { lease, fencedOff: top !== null && top.released_at === null ? top : null };
    }
  }

  /** Moves a damaged record out of the way. @returns its number, or 0 when there is none */
  setAsideDamaged(folder: string): number {
    const highest = this.#highest();
    if (highest === undefined) return 0;
    const path = this.#path(highest);
    const bytes = this.#disk.read(path);
    if (bytes === undefined || recordOf(bytes, highest).ok) return 0;
    this.#disk.ensureFolder(folder);
    this.#disk.move(path, join(folder, `damaged-lease-${numberedName(highest)}`));
    return highest;
  }

  isHighest({ fence }: Lease): boolean {
    return this.#highest() === fence;
  }

  /** Every write asks this first. @throws lease-lost */
  assertHeld(lease: Lease): void {
    const highest = this.#highest();
    if (highest === lease.fence) return;
    // The highest is never removed by an owner.
    if (highest === undefined) throw stateGone(this.#disk, this.#id, this.#folder);
    throw leaseLost(this.#id, lease, highest);
  }

  renew(lease: Lease): Lease {
    this.assertHeld(lease);
    const renewed = { ...lease, heartbeat_at: instantFromMs(this.#host.nowMs()) };
    this.#disk.replace(this.#path(lease.fence), encodeLease(renewed));
    this.showInFolder(renewed);
    return renewed;
  }

  release(lease: Lease): void {
    this.assertHeld(lease);
    const released = { ...lease, released_at: instantFromMs(this.#host.nowMs()) };
    // The record comes last: from then on the project is another's, and nothing of it may be touched.
    this.showInFolder(released);
    this.#disk.replace(this.#path(lease.fence), encodeLease(released));
  }

  /** A folder that somebody removed comes back with the next revision, and this copy with it. */
  showInFolder(lease: Lease): void {
    if (this.#disk.stat(dirname(this.#copy)) === undefined) return;
    this.#disk.replaceLightly(this.#copy, encodeLease(lease));
  }

  /** Why the copy in the project folder cannot be believed, or null. */
  damagedCopy(): string | null {
    const found = this.#inFolder();
    return found === undefined || found.ok ? null : found.reason;
  }

  #inFolder(): DecodedLease | undefined {
    const bytes = readCopy(this.#disk, this.#copy);
    return bytes && decodeLease(bytes);
  }

  /** A copy in the project folder that this state folder does not know: an owner from elsewhere. */
  #refuseIfHeldElsewhere(top: Lease | null): void {
    const found = this.#inFolder();
    // A damaged or forged copy has no say; one of ours was judged by its own record.
    if (found === undefined || !found.ok) return;
    const copy = found.lease;
    if (top !== null && copy.fence <= top.fence) return;
    if (Date.parse(copy.heartbeat_at) > this.#host.nowMs() + 60_000) return;
    const { held, why } = viewLease(this.#host, copy);
    if (!held) return;
    throw new StintError(
      "lease-held",
      `${this.#id} is held from another state folder by ${copy.run_id} (${copy.owner}, pid ${copy.pid} on ${copy.host}): ${why}`,
      `If that owner no longer exists, remove ${this.#copy} and run the command again.`,
    );
  }

  #top(): Lease | null {
    for (;;) {
      const highest = this.#highest();
      if (highest === undefined) return null;
      const path = this.#path(highest);
      const bytes = this.#disk.read(path);
      if (bytes === undefined) continue; // Cleared away by a newer owner; look again.
      const record = recordOf(bytes, highest);
      if (record.ok) return record.lease;
      throw new StintError(
        "state-corrupt",
        `${path} is damaged: ${record.reason}`,
        `Make sure that no run of ${this.#id} is alive, then: stint doctor ${this.#id} --repair`,
      );
    }
  }

  #highest(): number | undefined {
    let highest: number | undefined;
    for (const name of this.#disk.list(this.#folder)) {
      const number = numberOf(name);
      if (number !== undefined && (highest === undefined || number > highest)) highest = number;
    }
    return highest;
  }

  #path(fence: number): string {
    return join(this.#folder, numberedName(fence));
  }
}

/** A record under another number than its own is none. */
function recordOf(bytes: Buffer, fence: number): DecodedLease {
  const record = decodeLease(bytes);
  if (!record.ok || record.lease.fence === fence) return record;
  return NO_LEASE;
}
