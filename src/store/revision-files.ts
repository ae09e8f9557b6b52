// The durable states of one project: one file per revision in its shadow, created exclusively, so
// that a revision exists once or not at all. The highest is the state; the one before it is kept.
//
// Its content is flushed before it has its number. Its number is flushed at once, or later with others where it
// was written into a spare: a file that had a durable name before it had a content, so that one flush makes the
// revision durable. Until its number is flushed too, it is found in the spare after a loss of power. A spare is
// used once, and removed when the number of its revision is durable. Each owner has its own, named by its
// fencing number.
import { basename, dirname, join } from "node:path";
import type { ProjectId } from "../core/ids.ts";
import type { ProjectState } from "../core/schema/project.ts";
import { StintError } from "../core/stint-error.ts";
import { errnoOf } from "../core/words/system-error.ts";
import type { Disk } from "./disk.ts";
import { numberedName, numberOf } from "./layout.ts";
import {
  type Carried,
  decodeRevision,
  type RevisionHead,
  splitHead,
  withHead,
} from "./revision-codec.ts";

export const UPGRADE =
  "Use the Stint that wrote it, or a newer one: npm install --global stint@latest";

/** More revisions than this come between two quiet moments only now and then. */
const MOST_SPARES = 6;
const SPARE = /^spare-(\d{12})-\d+$/;

export interface StoredRevision {
  readonly state: ProjectState;
  /** Of the state alone. */
  readonly bytes: Buffer;
  readonly carried: Carried;
  /** The file as it is, where only a spare holds it; its own name was lost with the power. */
  readonly whole?: Buffer;
}

export class RevisionFiles {
  readonly #disk: Disk;
  readonly #folder: string;
  readonly #id: ProjectId;
  /** Spares of this owner. */
  #unused: string[] = [];
  #used: string[] = [];
  #serial = 0;

  constructor(disk: Disk, folder: string, id: ProjectId) {
    this.#disk = disk;
    this.#folder = folder;
    this.#id = id;
  }

  path(revision: number): string {
    return join(this.#folder, numberedName(revision));
  }

  /** Revision numbers on disk, highest first. */
  numbers(): number[] {
    return this.#disk
      .list(this.#folder)
      .map(numberOf)
      .filter((number) => number !== undefined)
      .toSorted((a, b) => b - a);
  }

  /** The state, or undefined when there is none. @throws state-corrupt */
  top(): StoredRevision | undefined {
    // Spares are listed first: one that is removed meanwhile has its revision under its number.
    const spares = this.#usedSpares();
    const top = this.#highest();
    const ahead = spares
      .filter(({ head }) => top === undefined || order(head, top.state) > 0)
      .toSorted((one, other) => order(other.head, one.head));
    for (const { bytes } of ahead) {
      const decoded = decodeRevision(bytes);
      // One that was cut was told to nobody.
      if (decoded.ok) return { ...decoded, whole: bytes };
    }
    return top;
  }

  /** Under the lease: a revision that only a spare holds gets its number back. */
  bringForward(top: StoredRevision): void {
    if (top.whole !== undefined) this.#disk.replace(this.path(top.state.revision), top.whole);
  }

  #highest(): StoredRevision | undefined {
    for (;;) {
      const highest = this.numbers()[0];
      if (highest === undefined) return undefined;
      const path = this.path(highest);
      const bytes = readListed(this.#disk, path, this.#id);
      if (bytes === undefined) continue; // Two newer revisions came in between; look again.
      const decoded = decodeRevision(bytes);
      if (decoded.ok && decoded.state.revision === highest) return decoded;
      if (!decoded.ok && decoded.kind === "unknown-version") {
        throw ofAnotherVersion(path, decoded.reason);
      }
      const reason = decoded.ok ? "its name and its revision differ" : decoded.reason;
      throw corrupt(`${path} cannot be trusted: ${reason}`, this.#id);
    }
  }

  /**
   * Makes a revision. `isHistory` is asked when newer ones exist already: then either this process
   * stood still right after the revision was made and others built on it, or it stood still before
   * and made a number that was used and pruned since.
   * @returns false when another writer made this revision
   */
  create(head: RevisionHead, bytes: Buffer, isHistory: () => boolean = () => false): boolean {
    if (!this.#make(head, bytes)) return false;
    if (this.numbers()[0] === head.revision || isHistory()) return true;
    this.#disk.remove(this.path(head.revision));
    return false;
  }

  /** By its number alone it is there or not; whose it is, its content says. */
  #make(head: RevisionHead, bytes: Buffer): boolean {
    const path = this.path(head.revision);
    const whole = withHead(head, bytes);
    const spare = this.#writeSpare(whole);
    const linked = spare === undefined ? "gone" : this.#disk.linkLightly(spare, path);
    if (linked === "made") return true;
    if (linked === "gone" && this.#disk.create(path, bytes)) return true;
    // A successor that found it in its spare gave it its number, and may have removed the spare.
    return this.#disk.read(path)?.equals(whole) ?? false;
  }

  /** Keeps the newest revision and the one before it. */
  prune(newest: number): void {
    for (const number of this.numbers()) {
      if (number < newest - 1) this.#disk.remove(this.path(number));
    }
  }

  /** @returns where; undefined where there is no spare, or others removed it */
  #writeSpare(whole: Buffer): string | undefined {
    const path = this.#unused.shift();
    if (path === undefined || !this.#disk.writeOver(path, whole)) return undefined;
    this.#used.push(path);
    return path;
  }

  /**
   * In a quiet moment: makes every name in the folder durable, new spares among them, so that the next revisions
   * need no flush of theirs, and removes the spares that were used.
   */
  renewSpares(fence: number): void {
    while (this.#unused.length < MOST_SPARES) {
      const name = `spare-${String(fence).padStart(12, "0")}-${++this.#serial}`;
      const path = join(this.#folder, name);
      this.#disk.createEmptyLightly(path);
      this.#unused.push(path);
    }
    this.#disk.flushFolder(this.#folder);
    this.#removeAll(this.#used.splice(0));
  }

  /** Nothing is written here any more. */
  endSpares(): void {
    if (this.#used.length > 0) this.#disk.flushFolder(this.#folder);
    this.#removeAll([...this.#used.splice(0), ...this.#unused.splice(0)]);
  }

  /** Spares of those who owned before. A successor may have its own already. */
  removeEarlierSpares(fence: number): void {
    const earlier = this.#spares().filter((name) => Number(SPARE.exec(name)?.[1]) < fence);
    this.#removeAll(earlier.map((name) => join(this.#folder, name)));
  }

  /** Those of all owners that hold something. */
  #usedSpares(): { readonly head: RevisionHead; readonly bytes: Buffer }[] {
    return this.#spares().flatMap((name) => {
      const bytes = readWhole(this.#disk, join(this.#folder, name), this.#id);
      const head = bytes && splitHead(bytes).head;
      return bytes && head ? [{ head, bytes }] : [];
    });
  }

  #spares(): string[] {
    return this.#disk.list(this.#folder).filter((name) => SPARE.test(name));
  }

  #removeAll(paths: readonly string[]): void {
    for (const path of paths) this.#disk.remove(path);
  }
}

/** By revision, and of one revision by who wrote it last. */
function order(one: RevisionHead, other: RevisionHead): number {
  return one.revision - other.revision || one.fence - other.fence;
}

export function ofAnotherVersion(path: string, reason: string): StintError {
  return new StintError("state-corrupt", `${path} cannot be read: ${reason}`, UPGRADE);
}

export function corrupt(message: string, id: ProjectId): StintError {
  return new StintError(
    "state-corrupt",
    `${message}. Nothing was changed.`,
    `See what can be saved: stint doctor ${id}; then: stint doctor ${id} --repair`,
  );
}

/** A file of the shadow; undefined where there is none. @throws state-corrupt where something else is in its place */
export function readWhole(disk: Disk, path: string, id: ProjectId): Buffer | undefined {
  try {
    return disk.read(path);
  } catch (error) {
    const errno = error instanceof StintError ? errnoOf(error.cause) : undefined;
    if (errno !== "EISDIR" && errno !== "ELOOP") throw error;
    throw corrupt(`${path} is not a file`, id);
  }
}

/** One whose name was in the list; undefined where others removed it since. */
export function readListed(disk: Disk, path: string, id: ProjectId): Buffer | undefined {
  const bytes = readWhole(disk, path, id);
  const isListed = (): boolean => disk.list(dirname(path)).includes(basename(path));
  // Looking again and again would find the same.
  if (bytes === undefined && isListed() && disk.stat(path) === undefined && isListed()) {
    throw corrupt(`${path} is a link that leads nowhere`, id);
  }
  return bytes;
}

/**
 * The state that a living owner works with is gone: somebody removed it, or moved it away. It is a hard stop, and nothing
 * is made again: what was moved is still somewhere, and a second state of the same project would contradict it.
 * @param path of the state, which is not there
 */
export function stateGone(disk: Disk, id: ProjectId, path: string): StintError {
  return new StintError(
    "state-unwritable",
    `the state of ${id} is gone: somebody removed or moved ${topmostMissing(disk, path)} while Stint worked with it. Nothing more was started.`,
    `If it was moved, move it back, then run: stint resume ${id}\nIf it was removed: what Stint delivered is in your branch; see what else is left: stint doctor`,
  );
}

function topmostMissing(disk: Disk, path: string): string {
  const above = dirname(path);
  return above === path || disk.stat(above) !== undefined ? path : topmostMissing(disk, above);
}
