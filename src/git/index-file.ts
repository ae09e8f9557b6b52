// A git index as its file holds it, for questions about a few paths and for changes that leave every other
// byte alone, without starting git. Only plain ones (version 2 and 3, not split, not sparse); for all others
// the answer is null, and git has to be asked.
import { objectHash } from "./object-id.ts";

export interface IndexEntry {
  /** Octal, as git writes it. */
  readonly mode: string;
  readonly oid: string;
  readonly stage: number;
  readonly isAssumedUnchanged: boolean;
  readonly isSkipped: boolean;
  /** Where it begins in the file. */
  readonly at: number;
}

/** What the index knows of a file. */
export interface FileStat {
  readonly ctimeNs: bigint;
  readonly mtimeNs: bigint;
  readonly ino: bigint;
  readonly size: bigint;
}

const HEAD = 12;
const STAT = 40;
const MODE_AT = 24;
const INO_AT = 20;
const SIZE_AT = 36;
const EXTENDED = 0x4000;
const ASSUMED = 0x8000;
const SKIPPED = 0x4000;
const NUL = 0x00;
/** What git needs to understand to understand the rest: a split index, a sparse one. */
const NEEDED_EXTENSION = /^[a-z]/;
const SECOND = 1_000_000_000n;

/**
 * The entries of these paths, each a string of one character per byte; all of them where none is named. Null for
 * an index that is not plain.
 */
export function entriesIn(
  index: Buffer,
  idLength: number,
  wanted?: ReadonlySet<string>,
): ReadonlyMap<string, IndexEntry> | null {
  const found = new Map<string, IndexEntry>();
  const lengths = wanted && new Set([...wanted].map(({ length }) => length));
  const end = eachEntry(index, idLength, (from, to, entry) => {
    // There may be fifty thousand names, of which a few are looked for.
    if (lengths !== undefined && !lengths.has(to - from)) return;
    const path = index.toString("latin1", from, to);
    if (wanted === undefined || wanted.has(path)) found.set(path, entry());
  });
  return end === null || !areExtensionsPlain(index, end, idLength) ? null : found;
}

/** @returns where the extensions begin; null for an index that is not plain */
function eachEntry(
  index: Buffer,
  idLength: number,
  visit: (nameAt: number, nameEnd: number, entry: () => IndexEntry) => void,
): number | null {
  const idBytes = idLength / 2;
  if (index.length < HEAD + idBytes || index.toString("latin1", 0, 4) !== "DIRC") return null;
  const version = index.readUInt32BE(4);
  if (version !== 2 && version !== 3) return null;
  let at = HEAD;
  for (let left = index.readUInt32BE(8); left > 0; left -= 1) {
    const start = at;
    if (start + STAT + idBytes + 2 > index.length - idBytes) return null;
    const flags = index.readUInt16BE(start + STAT + idBytes);
    const isExtended = (flags & EXTENDED) !== 0;
    const nameAt = start + STAT + idBytes + (isExtended ? 4 : 2);
    const nameEnd = index.indexOf(NUL, nameAt);
    if (nameEnd < 0) return null;
    visit(nameAt, nameEnd, () => ({
      mode: index
        .readUInt32BE(start + MODE_AT)
        .toString(8)
        .padStart(6, "0"),
      oid: index.toString("hex", start + STAT, start + STAT + idBytes),
      stage: (flags >> 12) & 3,
      isAssumedUnchanged: (flags & ASSUMED) !== 0,
      isSkipped: isExtended && (index.readUInt16BE(nameAt - 2) & SKIPPED) !== 0,
      at: start,
    }));
    // At least one NUL, and as many as make its length a multiple of eight.
    at = start + ((nameEnd - start + 8) & ~7);
  }
  return at;
}

function areExtensionsPlain(index: Buffer, from: number, idLength: number): boolean {
  const end = index.length - idLength / 2;
  for (let at = from; at < end;) {
    if (at + 8 > end || NEEDED_EXTENSION.test(index.toString("latin1", at, at + 4))) return false;
    at += 8 + index.readUInt32BE(at + 4);
  }
  return true;
}

/**
 * Files that were put where they belong and are otherwise as git wrote them: only their change time is another.
 * @returns the index with these times, or null where it cannot be told for one of them
 */
export function withChangeTimes(
  index: Buffer,
  idLength: number,
  files: ReadonlyMap<string, FileStat>,
): Buffer | null {
  const entries = entriesIn(index, idLength, new Set(files.keys()));
  if (entries === null || entries.size !== files.size) return null;
  const changed = Buffer.from(index);
  for (const [path, file] of files) {
    const entry = entries.get(path);
    if (entry === undefined || !isSameFile(index, entry.at, file)) return null;
    changed.writeUInt32BE(Number((file.ctimeNs / SECOND) & 0xff_ff_ff_ffn), entry.at);
    changed.writeUInt32BE(Number(file.ctimeNs % SECOND), entry.at + 4);
  }
  return sealed(changed, idLength);
}

/** Nobody wrote to the file, replaced it or changed its rights since the index was told of it. */
export function isAsKnown(index: Buffer, at: number, file: FileStat): boolean {
  const { ctimeNs } = file;
  return (
    isSameFile(index, at, file) &&
    index.readUInt32BE(at) === Number((ctimeNs / SECOND) & 0xff_ff_ff_ffn) &&
    index.readUInt32BE(at + 4) === Number(ctimeNs % SECOND)
  );
}

/** To the nanosecond: a save in the same second, of the same size, would be missed otherwise. */
function isSameFile(index: Buffer, at: number, { mtimeNs, ino, size }: FileStat): boolean {
  return (
    index.readUInt32BE(at + 8) === Number((mtimeNs / SECOND) & 0xff_ff_ff_ffn) &&
    index.readUInt32BE(at + 12) === Number(mtimeNs % SECOND) &&
    index.readUInt32BE(at + INO_AT) === Number(ino & 0xff_ff_ff_ffn) &&
    index.readUInt32BE(at + SIZE_AT) === Number(size & 0xff_ff_ff_ffn)
  );
}

/**
 * The index with another content at a path that it has, of which nothing is known of the file any more.
 * @returns null where the path is not there, or lies in a folder
 */
export function withContent(
  index: Buffer,
  path: string,
  entry: { readonly mode: string; readonly oid: string },
): Buffer | null {
  const idLength = entry.oid.length;
  const name = Buffer.from(path, "latin1");
  let at = -1;
  const end = eachEntry(index, idLength, (from, to, found) => {
    if (to - from !== name.length || index.compare(name, 0, name.length, from, to) !== 0) return;
    if (found().stage === 0) ({ at } = found());
  });
  if (end === null || at < 0 || path.includes("/")) return null;
  const tree = withoutRootTree(index, end, idLength);
  if (tree === null) return null;
  const changed = Buffer.concat([index.subarray(0, end), tree, Buffer.alloc(idLength / 2)]);
  changed.fill(0, at, at + STAT);
  changed.writeUInt32BE(Number.parseInt(entry.mode, 8), at + MODE_AT);
  changed.write(entry.oid, at + STAT, "hex");
  return sealed(changed, idLength);
}

/** Of all extensions the known trees alone, the topmost of them unknown. */
function withoutRootTree(index: Buffer, from: number, idLength: number): Buffer | null {
  const last = index.length - idLength / 2;
  if (!areExtensionsPlain(index, from, idLength)) return null;
  for (let at = from; at + 8 <= last; at += 8 + index.readUInt32BE(at + 4)) {
    if (index.toString("latin1", at, at + 4) !== "TREE") continue;
    const known = index.subarray(at + 8, at + 8 + index.readUInt32BE(at + 4));
    // Its name, which is empty, then "<entries> <folders>", then its id unless the entries are -1.
    const line = known.indexOf(0x0a);
    const [entries = "", folders = ""] = known.toString("latin1", 1, line).split(" ");
    const rest = known.subarray(line + 1 + (entries.startsWith("-") ? 0 : idLength / 2));
    const body = Buffer.concat([Buffer.from(`\0-1 ${folders}\n`, "latin1"), rest]);
    const head = Buffer.from("TREE\0\0\0\0", "latin1");
    head.writeUInt32BE(body.length, 4);
    return Buffer.concat([head, body]);
  }
  return Buffer.alloc(0);
}

/** Its last bytes are the checksum of all before them; where git left it out, it is left out. */
function sealed(index: Buffer, idLength: number): Buffer {
  const end = index.length - idLength / 2;
  const hash = objectHash(idLength);
  hash.update(index.subarray(0, end)).digest().copy(index, end);
  return index;
}
