// Rebuilds a journal from what is left of it. Lines that can be read are kept word for word under
// their revision; a revision without one gets a line that says so. Pure.
import type { Instant } from "../core/instant.ts";
import type { JournalEntry } from "../core/schema/journal.ts";
import { StintError } from "../core/stint-error.ts";
import { EMPTY_JOURNAL, type JournalTail, sealLine } from "./journal-codec.ts";

/** A forged revision number must not make the doctor write for ever. */
const MOST_LOST_LINES = 1_000_000;

export interface SalvagedJournal {
  readonly bytes: Buffer;
  readonly tail: JournalTail;
  readonly lost: readonly number[];
}

/**
 * The line of each revision that any of the sources still holds; earlier sources win. A line counts
 * only where its number fits its place or a neighbour: one changed digit must not put it elsewhere.
 */
export function readableLines(sources: readonly Buffer[]): Map<number, JournalEntry> {
  const lines = new Map<number, JournalEntry>();
  for (const source of sources) {
    const entries = source.toString("utf8").split("\n").map(parseLine);
    entries.forEach((entry, index) => {
      if (entry === undefined || lines.has(entry.revision)) return;
      const { revision } = entry;
      const fits =
        revision === index + 1 ||
        entries[index - 1]?.revision === revision - 1 ||
        entries[index + 1]?.revision === revision + 1;
      if (fits) lines.set(revision, entry);
    });
  }
  return lines;
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
    `the state says it is at revision ${upTo}, but only ${lines.size} journal lines are left; it is not repaired from so little`,
    "Restore the state folder from your backup, or create the project anew under another manifest name.",
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
    kind: "line-lost",
    by: "stint doctor",
    summary: "the line of this revision was lost and could not be rebuilt",
  };
}

function parseLine(text: string): JournalEntry | undefined {
  let value: Partial<JournalEntry> | null;
  try {
    value = JSON.parse(text) as Partial<JournalEntry> | null;
  } catch {
    return undefined;
  }
  const isEntry =
    value !== null &&
    typeof value === "object" &&
    Number.isSafeInteger(value.revision) &&
    Number(value.revision) > 0 &&
    [value.at, value.kind, value.by, value.summary].every((field) => typeof field === "string") &&
    (value.type === "event" || value.type === "fact");
  return isEntry ? (value as JournalEntry) : undefined;
}
