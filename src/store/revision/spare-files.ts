// Files that have a durable name before they have a content, so that a revision written into one of them is durable
// by one flush. It gets its own name as well, by an exclusive link, which is flushed later with others; until
// then it is found here after a loss of power. A spare is used once, and removed when the name of its revision
// is durable. Each owner has its own, named by its fencing number.
//
//   revision <number> <fence>
//   <the revision>
import { join } from "node:path";
import {
  flushFolder,
  listIfPresent,
  readIfPresent,
  removeIfPresent,
  writeOverDurably,
} from "../durable.ts";
import type { Files } from "../files.ts";
import { orHardStop } from "../unwritable.ts";

/** More revisions than this come between two quiet moments only now and then. */
const MOST = 6;
const NAME = /^spare-(\d{12})-\d+$/;
const HEAD = /^revision (\d{1,12}) (\d{1,12})\n/;
const LONGEST_HEAD = 40;

export interface UsedSpare {
  readonly path: string;
  readonly revision: number;
  readonly fence: number;
  readonly bytes: Buffer;
}

export class SpareFiles {
  readonly #files: Files;
  readonly #folder: string;
  #unused: string[] = [];
  #used: string[] = [];
  #serial = 0;

  constructor(files: Files, folder: string) {
    this.#files = files;
    this.#folder = folder;
  }

  /** Makes every name in the folder durable, new spares among them, and removes those that were used. */
  renew(fence: number): void {
    while (this.#unused.length < MOST) {
      const name = `spare-${String(fence).padStart(12, "0")}-${++this.#serial}`;
      const path = join(this.#folder, name);
      orHardStop("write", path, () => this.#files.close(this.#files.open(path, "wx", 0o600)));
      this.#unused.push(path);
    }
    flushFolder(this.#files, this.#folder);
    this.#remove(this.#used.splice(0));
  }

  /** Nothing is written here any more. */
  end(): void {
    if (this.#used.length > 0) flushFolder(this.#files, this.#folder);
    this.#remove([...this.#used.splice(0), ...this.#unused.splice(0)]);
  }

  /** Writes a revision durably. @returns where; undefined where there is no spare, or others removed it */
  write(head: { revision: number; fence: number }, bytes: Buffer): string | undefined {
    const path = this.#unused.shift();
    if (path === undefined) return undefined;
    if (!writeOverDurably(this.#files, path, withHead(head, bytes))) return undefined;
    this.#used.push(path);
    return path;
  }

  /** Those of all owners that hold something. */
  found(): UsedSpare[] {
    return this.#names().flatMap((name) => {
      const path = join(this.#folder, name);
      const bytes = orHardStop("read", path, () => readIfPresent(this.#files, path));
      const head = HEAD.exec(bytes?.toString("latin1", 0, LONGEST_HEAD) ?? "");
      if (bytes === undefined || head === null) return [];
      return [{ path, bytes, revision: Number(head[1]), fence: Number(head[2]) }];
    });
  }

  /** Spares of those who owned before. A successor may have its own already. */
  removeEarlier(fence: number): void {
    const earlier = this.#names().filter((name) => Number(NAME.exec(name)?.[1]) < fence);
    this.#remove(earlier.map((name) => join(this.#folder, name)));
  }

  #names(): string[] {
    const names = orHardStop("list", this.#folder, () => listIfPresent(this.#files, this.#folder));
    return names.filter((name) => NAME.test(name));
  }

  #remove(paths: readonly string[]): void {
    for (const path of paths) {
      orHardStop("remove", path, () => removeIfPresent(this.#files, path));
    }
  }
}

export function withHead(
  { revision, fence }: { readonly revision: number; readonly fence: number },
  bytes: Buffer,
): Buffer {
  return Buffer.concat([Buffer.from(`revision ${revision} ${fence}\n`, "latin1"), bytes]);
}

/** What a file holds after its head, and what that says; a file without one is all content. */
export function splitHead(bytes: Buffer): {
  readonly head: { readonly revision: number; readonly fence: number } | null;
  readonly content: Buffer;
} {
  const found = HEAD.exec(bytes.toString("latin1", 0, LONGEST_HEAD));
  if (found === null) return { head: null, content: bytes };
  const [{ length }, revision, fence] = found;
  const head = { revision: Number(revision), fence: Number(fence) };
  return { head, content: bytes.subarray(length) };
}
