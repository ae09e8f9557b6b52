// Rebuilds a journal from what is left of it. Lines that can be read are kept word for word under
// their revision; a revision without one gets a line that says so. Pure.
import { LINE_LOST } from "../../core/history.ts";
import type { Instant } from "../../core/instant.ts";
import { parseJsonLine } from "../../core/json-line.ts";
import type { JournalEntry } from "../../core/schema/project.ts";
import { StintError } from "../../core/stint-error.ts";
import { EMPTY_JOURNAL, type JournalTail, sealLine } from "../journal.ts";

/** A forged revision number must not make the doctor write for ever. */
const MOST_LOST_LINES = 1_000_000;

export interface SalvagedJournal {
  readonly bytes: Buffer;
  readonly tail: JournalTail;
  readonly lost: readonly number[];
}

/** The line of each revision that any of the sources still holds; earlier sources win. */
export function readableLines(sources: readonly Buffer[]): Map<number, JournalEntry> {
  const lines = new Map<number, JournalEntry>();
  for (const source of sources) {
    const texts = source.toString("utf8").split("\n");
    const entries = texts.map(parseLine);
    entries.forEach((entry, index) => {
      if (entry === undefined || lines.has(entry.revision)) return;
      const before = entries[index - 1];
      const after = entries[index + 1];
      const beforeEnd =
        before === undefined ? 0 : before.offset + Buffer.byteLength(`${texts[index - 1]}\n`);
      const fits = entry.revision === index + 1 || fitsBetween(before, entry, after, beforeEnd);
      if (fits) lines.set(entry.revision, entry);
    });
  }
  return lines;
}

/**
 * Whether the number of a line can be right: one changed digit must not put it in another's place.
 * It follows a neighbour, or stands between both where the offsets say that lines are missing.
 */
function fitsBetween(
  before: JournalEntry | undefined,
  { revision, offset }: JournalEntry,
  after: JournalEntry | undefined,
  beforeEnd: number,
): boolean {
  if (before?.revision === revision - 1 || after?.revision === revision + 1) return true;
  const isBetween =
    (before === undefined || before.revision < revision) &&
    (after === undefined || revision < after.revision);
  return isBetween && offset > beforeEnd;
}

/** The highest revision that is known of: that of a state, or of a line beyond it. */
export function highestTrace(revision: number, lines: ReadonlyMap<number, JournalEntry>): number {
  let highest = revision;
  for (const line of lines.keys()) highest = Math.max(highest, line);
  return highest;
}

export function refuseAbsurd(lines: ReadonlyMap<number, JournalEntry>, upTo: number): void {
  if (upTo <= lines.size + MOST_LOST_LINES) return;
  throw new StintError(
    "state-corrupt",
    `the state says it is at revision ${upTo}, but only ${lines.size} journal lines are left; that is too little to repair it`,
    "Restore the state folder from your backup, or create the project again under another manifest name.",
  );
}

export function rebuildJournal(
  lines: ReadonlyMap<number, JournalEntry>,
  upTo: number,
  at: Instant,
): SalvagedJournal {
  refuseAbsurd(lines, upTo);
  const pieces: Buffer[] = [];
  const lost: number[] = [];
  let tail = EMPTY_JOURNAL;
  for (let revision = 1; revision <= upTo; revision += 1) {
    const entry = lines.get(revision);
    if (entry === undefined) lost.push(revision);
    const sealed = sealLine(tail, entry === undefined ? lostLine(at) : bodyOf(entry));
    pieces.push(sealed.bytes);
    tail = sealed.tail;
  }
  return { bytes: Buffer.concat(pieces), tail, lost };
}

function bodyOf(entry: JournalEntry): Omit<JournalEntry, "revision" | "offset" | "crc"> {
  const { revision: _revision, offset: _offset, crc: _crc, ...body } = entry;
  return body;
}

function lostLine(at: Instant): Omit<JournalEntry, "revision" | "offset" | "crc"> {
  return {
    at,
    type: "fact",
    kind: LINE_LOST,
    by: "stint doctor",
    summary: "the line of this revision was lost and could not be rebuilt",
  };
}

function parseLine(text: string): JournalEntry | undefined {
  const value: Partial<JournalEntry> | undefined = parseJsonLine(text);
  const isEntry =
    value !== undefined &&
    Number.isSafeInteger(value.revision) &&
    Number(value.revision) > 0 &&
    Number.isSafeInteger(value.offset) &&
    [value.at, value.kind, value.by, value.summary].every((field) => typeof field === "string") &&
    (value.type === "event" || value.type === "fact");
  return isEntry ? (value as JournalEntry) : undefined;
}
