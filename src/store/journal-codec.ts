// journal.jsonl as bytes. Each line ends with a CRC-32 of every byte of the file before it, so one
// pass over the file proves that no line is missing, changed, doubled or out of place.
import { crc32 } from "node:zlib";
import type { JournalEntry } from "../core/schema/project.ts";

const CRC_START = ',"crc":"';
const CRC_END = '"}';
const NEWLINE = 0x0a;

export interface JournalTail {
  /** Running CRC of every byte so far. */
  readonly crc: number;
  /** The revision of the last line, which is also the number of lines. */
  readonly revision: number;
  readonly size: number;
}

export const EMPTY_JOURNAL: JournalTail = { crc: 0, revision: 0, size: 0 };

export interface SealedLine {
  readonly entry: JournalEntry;
  readonly bytes: Buffer;
  readonly tail: JournalTail;
}

/** Seals an entry as the line that follows `after`. */
export function sealLine(
  after: JournalTail,
  body: Omit<JournalEntry, "revision" | "offset" | "crc">,
): SealedLine {
  const numbered = { revision: after.revision + 1, offset: after.size, ...body };
  const open = Buffer.from(JSON.stringify(numbered).slice(0, -1), "utf8");
  const crc = hex(crc32(open, after.crc));
  const bytes = Buffer.concat([open, Buffer.from(`${CRC_START}${crc}${CRC_END}\n`, "latin1")]);
  return { entry: { ...numbered, crc }, bytes, tail: advance(after, bytes) };
}

/** The bytes of a line that was sealed before; equal entries give equal bytes. */
export function lineOf(entry: JournalEntry): Buffer {
  return Buffer.from(`${JSON.stringify(entry)}\n`, "utf8");
}

/** The journal before a sealed line, if `bytes` hold exactly that; proven by the line's checksum. */
export function tailBefore(entry: JournalEntry, bytes: Buffer): JournalTail | undefined {
  const { offset, revision, crc } = entry;
  if (bytes.length < offset) return undefined;
  const before = crc32(bytes.subarray(0, offset));
  const line = lineOf(entry);
  const open = line.subarray(0, line.length - (CRC_START.length + 8 + CRC_END.length + 1));
  if (hex(crc32(open, before)) !== crc) return undefined;
  return { crc: before, revision: revision - 1, size: offset };
}

export function advance(after: JournalTail, line: Buffer): JournalTail {
  return {
    crc: crc32(line, after.crc),
    revision: after.revision + 1,
    size: after.size + line.length,
  };
}

export type JournalReading =
  | {
      readonly ok: true;
      readonly tail: JournalTail;
      /** The last complete line, or null in an empty journal. */
      readonly last: JournalEntry | null;
      /** Bytes after the last complete line: a line that a crash cut. */
      readonly torn: number;
    }
  | { readonly ok: false; readonly reason: string };

/** Verifies a whole journal by its last complete line. */
export function readJournal(bytes: Buffer): JournalReading {
  const end = bytes.lastIndexOf(NEWLINE) + 1;
  const torn = bytes.length - end;
  if (end === 0) return { ok: true, tail: EMPTY_JOURNAL, last: null, torn };
  const start = bytes.lastIndexOf(NEWLINE, end - 2) + 1;
  const line = bytes.subarray(start, end);
  const sealAt = end - (CRC_START.length + 8 + CRC_END.length + 1);
  const sealText = bytes.toString("latin1", sealAt, end - 1);
  const expected = `${CRC_START}${hex(crc32(bytes.subarray(0, sealAt)))}${CRC_END}`;
  if (sealAt <= start || sealText !== expected) {
    return { ok: false, reason: "a line was changed, lost or added: the checksum does not match" };
  }
  const last = parsed(line);
  if (last === undefined) return { ok: false, reason: "its last line is not JSON" };
  const tail = { crc: crc32(bytes.subarray(0, end)), revision: last.revision, size: end };
  return { ok: true, tail, last, torn };
}

export function parseLines(bytes: Buffer): JournalEntry[] {
  return bytes
    .toString("utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as JournalEntry);
}

function parsed(line: Buffer): JournalEntry | undefined {
  try {
    return JSON.parse(line.toString("utf8")) as JournalEntry;
  } catch {
    return undefined;
  }
}

function hex(crc: number): string {
  return crc.toString(16).padStart(8, "0");
}
