// The durable states of one project: one file per revision in its shadow, created exclusively, so
// that a revision exists once or not at all. The highest is the state; the one before it is kept. Its content is
// flushed before it has its number; its number is flushed at once, or is made again from the spare that it was
// written into.
import { join } from "node:path";
import type { ProjectId } from "../../core/ids.ts";
import type { ProjectState } from "../../core/schema/project.ts";
import { StintError } from "../../core/stint-error.ts";
import {
  createDurably,
  linkLightly,
  listIfPresent,
  readIfPresent,
  removeIfPresent,
  replaceDurably,
} from "../durable.ts";
import type { Files } from "../files.ts";
import { numberedName, numberOf } from "../layout.ts";
import { type Carried, decodeRevision } from "./carried.ts";
import { SpareFiles, withHead } from "./spare-files.ts";
import { orHardStop } from "../unwritable.ts";

export const UPGRADE =
  "Use the Stint that wrote it, or a newer one: npm install --global stint@latest";

export interface StoredRevision {
  readonly state: ProjectState;
  /** Of the state alone. */
  readonly bytes: Buffer;
  readonly carried: Carried;
  /** The file as it is, where only a spare holds it; its own name was lost with the power. */
  readonly whole?: Buffer;
}

export class RevisionFiles {
  readonly #files: Files;
  readonly #folder: string;
  readonly #tag: string;
  readonly #id: ProjectId;
  readonly #spares: SpareFiles;

  constructor(files: Files, folder: string, tag: string, id: ProjectId) {
    this.#files = files;
    this.#spares = new SpareFiles(files, folder);
    this.#folder = folder;
    this.#tag = tag;
    this.#id = id;
  }

  /** Revision numbers on disk, highest first. */
  numbers(): number[] {
    const names = orHardStop("list", this.#folder, () => listIfPresent(this.#files, this.#folder));
    return names
      .map(numberOf)
      .filter((number) => number !== undefined)
      .toSorted((a, b) => b - a);
  }

  /** The state, or undefined when there is none. @throws state-corrupt */
  top(): StoredRevision | undefined {
    // Spares are listed first: one that is removed meanwhile has its revision under its number.
    const spares = this.#spares.found();
    const top = this.#highest();
    const isAhead = (state: Pick<ProjectState, "revision" | "fence">): boolean =>
      top === undefined ||
      state.revision > top.state.revision ||
      (state.revision === top.state.revision && state.fence > top.state.fence);
    const ahead = spares
      .filter(isAhead)
      .toSorted((one, other) => other.revision - one.revision || other.fence - one.fence);
    for (const { bytes } of ahead) {
      const decoded = decodeRevision(bytes);
      // One that was cut was told to nobody.
      if (decoded.ok) return { ...decoded, whole: bytes };
    }
    return top;
  }

  /** Under the lease: a revision that only a spare holds gets its number back. */
  bringForward(top: StoredRevision): void {
    if (top.whole === undefined) return;
    replaceDurably(this.#files, this.path(top.state.revision), top.whole, this.#tag);
  }

  /** In a quiet moment: names that are not flushed yet are, and the next revisions need no flush of theirs. */
  renewSpares(fence: number): void {
    this.#spares.renew(fence);
  }

  endSpares(): void {
    this.#spares.end();
  }

  removeEarlierSpares(fence: number): void {
    this.#spares.removeEarlier(fence);
  }

  #highest(): StoredRevision | undefined {
    for (;;) {
      const highest = this.numbers()[0];
      if (highest === undefined) return undefined;
      const path = this.path(highest);
      const bytes = orHardStop("read", path, () => readIfPresent(this.#files, path));
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
  create(
    revision: number,
    bytes: Buffer,
    fence: number,
    isHistory: () => boolean = () => false,
  ): boolean {
    if (!this.#make(revision, bytes, fence)) return false;
    if (this.numbers()[0] === revision || isHistory()) return true;
    orHardStop("remove", this.path(revision), () =>
      removeIfPresent(this.#files, this.path(revision)),
    );
    return false;
  }

  /** By its number alone it is there or not; whose it is, its content says. */
  #make(revision: number, bytes: Buffer, fence: number): boolean {
    const path = this.path(revision);
    const spare = this.#spares.write({ revision, fence }, bytes);
    const linked = spare === undefined ? "gone" : linkLightly(this.#files, spare, path);
    if (linked === "made") return true;
    if (linked === "gone" && createDurably(this.#files, path, bytes, this.#tag)) return true;
    // A successor that found it in its spare gave it its number, and may have removed the spare.
    const there = orHardStop("read", path, () => readIfPresent(this.#files, path));
    return there?.equals(withHead({ revision, fence }, bytes)) ?? false;
  }

  /** Keeps the newest revision and the one before it. */
  prune(newest: number): void {
    for (const number of this.numbers()) {
      if (number < newest - 1) {
        orHardStop("remove", this.path(number), () =>
          removeIfPresent(this.#files, this.path(number)),
        );
      }
    }
  }

  path(revision: number): string {
    return join(this.#folder, numberedName(revision));
  }
}

export function ofAnotherVersion(path: string, reason: string): StintError {
  return new StintError("state-corrupt", `${path} cannot be read: ${reason}`, UPGRADE);
}

export function corrupt(message: string, id: ProjectId): StintError {
  return new StintError(
    "state-corrupt",
    `${message}. Nothing was changed and nothing is claimed.`,
    `See what can be saved: stint doctor ${id}; then: stint doctor ${id} --repair`,
  );
}
