// What an index holds, as `ls-files -z -s -t` tells it. There may be fifty thousand paths, of which a few are
// asked about: they stay the bytes that git wrote, and become strings only where they have to.
import { SUBMODULE, type TreeEntry } from "../../git/diff-trees.ts";
import type { RawPath } from "../base/raw-path.ts";

const NUL = 0x00;
const SLASH = 0x2f;
const TAB = 0x09;
const OTHER = "?".charCodeAt(0);
const CHANGED = "C".charCodeAt(0);
const REMOVED = "R".charCodeAt(0);
const TAG_LENGTH = 2;
const MODE_LENGTH = 6;

export class TrackedPaths {
  readonly #bytes: Buffer;
  /** Where each record begins: as "H 100644 <id> 0<tab>path", one after the other, sorted by path. */
  readonly #starts: number[] = [];
  readonly #folders = new Set<RawPath>();
  /** Other or gone on disk, where that was asked for. */
  readonly changed: readonly RawPath[];
  /** Not in the index. */
  readonly others: readonly RawPath[];
  readonly submodules: readonly RawPath[];
  #map: ReadonlyMap<RawPath, TreeEntry> | undefined;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    const [changed, submodules] = [new Set<RawPath>(), new Set<RawPath>()];
    const others: RawPath[] = [];
    let folder: Buffer | null = null;
    for (let at = 0, end; at < bytes.length; at = end + 1) {
      end = bytes.indexOf(NUL, at);
      if (end < 0) end = bytes.length;
      if (bytes[at] === OTHER) {
        others.push(bytes.toString("latin1", at + TAG_LENGTH, end));
        continue;
      }
      this.#starts.push(at);
      const path = bytes.indexOf(TAB, at) + 1;
      const tag = bytes[at];
      if (tag === CHANGED || tag === REMOVED) changed.add(bytes.toString("latin1", path, end));
      if (this.#modeAt(at) === SUBMODULE) submodules.add(bytes.toString("latin1", path, end));
      // Neighbours mostly lie in the same folder.
      const slash = bytes.subarray(path, end).lastIndexOf(SLASH);
      const above = bytes.subarray(path, path + Math.max(0, slash));
      if (folder !== null && above.equals(folder)) continue;
      folder = above;
      this.#addFolder(above.toString("latin1"));
    }
    this.changed = [...changed];
    this.submodules = [...submodules];
    this.others = others;
  }

  get isEmpty(): boolean {
    return this.#starts.length === 0;
  }

  /** Every folder that holds one of them, at any depth. */
  get folders(): ReadonlySet<RawPath> {
    return this.#folders;
  }

  get(path: RawPath): TreeEntry | undefined {
    return this.#known.get(path);
  }

  has(path: RawPath): boolean {
    return this.#known.has(path);
  }

  keys(): IterableIterator<RawPath> {
    return this.#known.keys();
  }

  [Symbol.iterator](): IterableIterator<[RawPath, TreeEntry]> {
    return this.#known[Symbol.iterator]();
  }

  /** Whether one of them is this path or lies below it. */
  hasBelow(path: RawPath): boolean {
    return ["\0", "/"].some((after) => this.#bytes.includes(`\t${path}${after}`, 0, "latin1"));
  }

  /** Those at and below these paths. */
  below(paths: readonly RawPath[]): ReadonlyMap<RawPath, TreeEntry> {
    const found = new Map<RawPath, TreeEntry>();
    const prefixes = paths.map((path) => Buffer.from(path, "latin1"));
    for (const start of this.#starts) {
      const from = this.#bytes.indexOf(TAB, start) + 1;
      const isWanted = prefixes.some((prefix) => {
        const end = from + prefix.length;
        const after = this.#bytes[end];
        const isWhole = after === NUL || after === SLASH;
        return isWhole && this.#bytes.compare(prefix, 0, prefix.length, from, end) === 0;
      });
      if (isWanted) found.set(...this.#entryAt(start));
    }
    return found;
  }

  /** Whether a file of this name is among them, in whatever folder. */
  hasFile(name: string): boolean {
    return ["\t", "/"].some((before) => this.#bytes.includes(`${before}${name}\0`, 0, "latin1"));
  }

  get #known(): ReadonlyMap<RawPath, TreeEntry> {
    this.#map ??= new Map(this.#starts.map((start) => this.#entryAt(start)));
    return this.#map;
  }

  #modeAt(start: number): string {
    const at = start + TAG_LENGTH;
    return this.#bytes.toString("latin1", at, at + MODE_LENGTH);
  }

  #entryAt(start: number): [RawPath, TreeEntry] {
    const bytes = this.#bytes;
    const oid = start + TAG_LENGTH + MODE_LENGTH + 1;
    const tab = bytes.indexOf(TAB, oid);
    const end = bytes.indexOf(NUL, tab);
    const path = bytes.toString("latin1", tab + 1, end < 0 ? bytes.length : end);
    const id = bytes.toString("latin1", oid, bytes.indexOf(" ", oid, "latin1"));
    return [path, { mode: this.#modeAt(start), oid: id }];
  }

  #addFolder(folder: RawPath): void {
    for (let at = folder; at !== "" && !this.#folders.has(at);) {
      this.#folders.add(at);
      at = at.slice(0, Math.max(0, at.lastIndexOf("/")));
    }
  }
}
