// The durable states of one project: one file per revision in its shadow, created exclusively, so
// that a revision exists once or not at all. The highest is the state; the one before it is kept.
import { join } from "node:path";
import type { ProjectId } from "../core/ids.ts";
import type { ProjectState } from "../core/schema/project.ts";
import { StintError } from "../core/stint-error.ts";
import { createDurably, listIfPresent, readIfPresent, removeIfPresent } from "./durable.ts";
import type { Files } from "./files.ts";
import { numberedName, numberOf } from "./layout.ts";
import { type Carried, decodeRevision } from "./carried.ts";
import { orHardStop } from "./unwritable.ts";

export const UPGRADE =
  "Use the Stint that wrote it, or a newer one: npm install --global stint@latest";

export interface StoredRevision {
  readonly state: ProjectState;
  /** Of the state alone. */
  readonly bytes: Buffer;
  readonly carried: Carried;
}

export class RevisionFiles {
  readonly #files: Files;
  readonly #folder: string;
  readonly #tag: string;
  readonly #id: ProjectId;

  constructor(files: Files, folder: string, tag: string, id: ProjectId) {
    this.#files = files;
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
  create(revision: number, bytes: Buffer, isHistory: () => boolean = () => false): boolean {
    if (!createDurably(this.#files, this.path(revision), bytes, this.#tag)) return false;
    if (this.numbers()[0] === revision || isHistory()) return true;
    orHardStop("remove", this.path(revision), () =>
      removeIfPresent(this.#files, this.path(revision)),
    );
    return false;
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
