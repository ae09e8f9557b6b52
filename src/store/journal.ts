// The journal. Each line ends with a CRC-32 of every byte of the file before it, so one pass over the file
// proves that no line is missing, changed, doubled or out of place. Line N belongs to revision N and has one
// place in the file. Opening it heals the one gap a crash can leave: the lines since it was last flushed,
// which the state carries.
import { crc32 } from "node:zlib";
import type { ProjectId } from "../core/ids.ts";
import { parseJsonLine } from "../core/json-line.ts";
import type { JournalEntry, ProjectState } from "../core/schema/project.ts";
import type { Disk } from "./disk.ts";
import { corrupt, readWhole, type StoredRevision } from "./revision-files.ts";
import type { Happening } from "./store.ts";

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

/** The revision that follows `after`: a state that carries its own journal line. */
export function sealRevision(
  after: JournalTail,
  next: ProjectState,
  { type, fence }: { readonly type: JournalEntry["type"]; readonly fence: number },
  happening: Happening,
): { readonly state: ProjectState; readonly line: SealedLine } {
  const line = sealLine(after, { ...happening, type });
  const state = {
    ...next,
    revision: line.entry.revision,
    fence,
    updated_at: happening.at,
    last_event: line.entry,
  };
  return { state, line };
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
  const last = parseJsonLine(line.toString("utf8")) as JournalEntry | undefined;
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

export type JournalVerdict =
  | { readonly kind: "whole"; readonly tail: JournalTail }
  /** Everything that was flushed is right; of the lines after it some are missing, cut or damaged. */
  | {
      readonly kind: "healable";
      readonly tail: JournalTail;
      readonly before: JournalTail;
      readonly lines: Buffer;
    }
  | { readonly kind: "broken"; readonly reason: string };

/** Judges journal bytes against the state they must lead up to, and the lines that it carries. */
export function judgeJournal(
  bytes: Buffer,
  state: ProjectState,
  carried: readonly JournalEntry[],
): JournalVerdict {
  const last = state.last_event;
  if (last === null || last.revision !== state.revision) {
    return { kind: "broken", reason: "the state does not name its own last event" };
  }
  const entries = [...carried, last];
  const [first = last] = entries;
  const before = tailBefore(first, bytes);
  if (before === undefined) {
    return {
      kind: "broken",
      reason: `a line before revision ${first.revision} is lost or changed`,
    };
  }
  const pieces = entries.map(lineOf);
  const lines = Buffer.concat(pieces);
  const rest = bytes.subarray(before.size);
  const tail = pieces.reduce(advance, before);
  if (rest.equals(lines)) return { kind: "whole", tail };
  // A line is written only after its state is durable, so a crash never leaves more than these lines.
  if (rest.length > lines.length) {
    return {
      kind: "broken",
      reason: `it continues after revision ${state.revision}, the last state`,
    };
  }
  return { kind: "healable", tail, before, lines };
}

/** The lines that lead up to a state. Its own and those that it carries may be lost; it knows the words. */
export function linesUpTo(
  { state, carried }: Pick<StoredRevision, "state" | "carried">,
  bytes: Buffer,
): JournalEntry[] | { reason: string } {
  const reading = readJournal(bytes);
  if (reading.ok && reading.tail.revision >= state.revision) {
    return parseLines(bytes.subarray(0, reading.tail.size));
  }
  const verdict = judgeJournal(bytes, state, carried.lines);
  if (verdict.kind === "broken") return verdict;
  if (verdict.kind === "whole") return parseLines(bytes);
  return [...parseLines(bytes.subarray(0, verdict.before.size)), ...parseLines(verdict.lines)];
}

export interface OpenedJournal {
  readonly bytes: Buffer;
  readonly tail: JournalTail;
  readonly healed: readonly string[];
}

/** @throws state-corrupt when more is wrong than a crash can explain */
export function openJournal(
  disk: Disk,
  path: string,
  { state, carried: { lines } }: Pick<StoredRevision, "state" | "carried">,
  id: ProjectId,
): OpenedJournal {
  const bytes = readWhole(disk, path, id) ?? Buffer.alloc(0);
  const verdict = judgeJournal(bytes, state, lines);
  if (verdict.kind === "broken") throw corrupt(`${path} cannot be trusted: ${verdict.reason}`, id);
  const { tail } = verdict;
  if (verdict.kind === "whole") {
    disk.flushFile(path);
    return { bytes, tail, healed: [] };
  }
  // Written over what is left of them, which is no longer than they are. Cutting the file first
  // would cost the lines of a successor, when this process stood still before the cut.
  disk.writeAt(path, verdict.before.size, verdict.lines);
  return {
    bytes: Buffer.concat([bytes.subarray(0, verdict.before.size), verdict.lines]),
    tail,
    healed: [
      `${path} lacked the line of revision ${state.revision}; it was written from the state`,
    ],
  };
}

function hex(crc: number): string {
  return crc.toString(16).padStart(8, "0");
}
