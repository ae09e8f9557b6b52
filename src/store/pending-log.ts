// Kept files on their way: what was kept since the last revision and is durable with the next one. Each owner
// has a log of its own, named by its fencing number; the highest counts. It is never flushed while it grows, so
// a kill loses nothing of it and a loss of power leaves a part from its beginning. A revision carries all that
// stood there before it. What was settled, which is flushed in its own files, is gone from it:
//
//   {"settled":<revision>}                            everything up to this revision is in its own files
//   {"after":<revision>,"path":…,"size":…}<bytes>     kept after this revision
//
// Each line ends with a CRC-32 of itself and its bytes.
import { basename, join } from "node:path";
import { crc32 } from "node:zlib";
import type { ProjectId } from "../core/ids.ts";
import { parseJsonLine } from "../core/json-line.ts";
import type { Disk } from "./disk.ts";
import { numberedName, numberOf } from "./layout.ts";
import { corrupt, readListed } from "./revision-files.ts";

export interface PendingRecord {
  readonly after: number;
  readonly path: string;
  readonly bytes: Buffer;
}

export interface PendingView {
  /** Up to this revision everything is in its own files. */
  readonly settled: number;
  readonly records: readonly PendingRecord[];
}

const NOTHING: PendingView = { settled: 0, records: [] };
const NEWLINE = 0x0a;
const CRC_LENGTH = 8;

/** The log of one owner, for as long as it owns. */
export class PendingLog {
  readonly #disk: Disk;
  readonly #folder: string;
  readonly #path: string;
  #size = 0;

  constructor(disk: Disk, folder: string, fence: number) {
    this.#disk = disk;
    this.#folder = folder;
    this.#path = join(folder, numberedName(fence));
  }

  add({ after, path, bytes }: PendingRecord): void {
    const record = encode({ after, path, size: bytes.length }, bytes);
    this.#disk.writeAtLightly(this.#path, this.#size, record);
    this.#size += record.length;
  }

  /** Begins anew, once everything up to this revision and in this log is flushed in its own files. */
  settle(revision: number): void {
    const record = encode({ settled: revision }, Buffer.alloc(0));
    this.#disk.ensureFolder(this.#folder);
    this.#disk.replace(this.#path, record);
    this.#size = record.length;
  }

  /** Logs of those who owned before; settled by now. A successor of this owner may have its own already. */
  removeEarlier(): void {
    const own = basename(this.#path);
    this.#disk.clean(this.#folder, (name) => name < own);
  }
}

/** What is pending as the last owner left it, or leaves it just now. @throws state-corrupt */
export function readPending(disk: Disk, folder: string, id: ProjectId): PendingView {
  for (;;) {
    const path = pendingPath(disk, folder);
    if (path === undefined) return NOTHING;
    const bytes = readListed(disk, path, id);
    if (bytes === undefined) continue; // Another owner came in between; look again.
    const view = decode(bytes);
    if (view !== null) return view;
    throw corrupt(`${path} cannot be trusted: it does not begin like a log of kept files`, id);
  }
}

/** The log that counts, if there is one. */
export function pendingPath(disk: Disk, folder: string): string | undefined {
  const names = disk.list(folder).filter((name) => numberOf(name) !== undefined);
  const highest = names.toSorted().at(-1);
  return highest === undefined ? undefined : join(folder, highest);
}

function encode(head: object, bytes: Buffer): Buffer {
  const open = Buffer.from(JSON.stringify(head), "utf8");
  const crc = hex(crc32(bytes, crc32(open)));
  return Buffer.concat([open, Buffer.from(`${crc}\n`, "latin1"), bytes]);
}

/** Its first line was durable before it had its name: one that cannot be read was damaged. */
function decode(log: Buffer): PendingView | null {
  let settled: number | null = null;
  const records: PendingRecord[] = [];
  for (let at = 0; at < log.length;) {
    const end = log.indexOf(NEWLINE, at);
    const head = end < 0 ? undefined : headIn(log.subarray(at, end - CRC_LENGTH));
    if (head === undefined) break;
    const bytes = log.subarray(end + 1, end + 1 + (head.size ?? 0));
    const crc = hex(crc32(bytes, crc32(log.subarray(at, end - CRC_LENGTH))));
    if (log.toString("latin1", end - CRC_LENGTH, end) !== crc) break;
    if (head.settled !== undefined) settled = head.settled;
    else records.push({ after: head.after ?? 0, path: head.path ?? "", bytes });
    at = end + 1 + bytes.length;
  }
  return settled === null ? null : { settled, records };
}

function headIn(line: Buffer) {
  return parseJsonLine(line.toString("utf8")) as
    | { settled?: number; after?: number; path?: string; size?: number }
    | undefined;
}

function hex(crc: number): string {
  return crc.toString(16).padStart(CRC_LENGTH, "0");
}
