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

/** The line of each revision that any of the sources still holds; earlier sources win. */
export function readableLines(sources: readonly Buffer[]): Map<number, JournalEntry> {
  const lines = new Map<number, JournalEntry>();
  for (const source of sources) {
    for (const text of source.toString("utf8").split("\n")) {
      const entry = parseLine(text);
      if (entry !== undefined && !lines.has(entry.revision)) lines.set(entry.revision, entry);
    }
  }
  return lines;
}

export function rebuildJournal(
  lines: ReadonlyMap<number, JournalEntry>,
  upTo: number,
  at: Instant,
): SalvagedJournal {
  if (upTo > lines.size + MOST_LOST_LINES) {
    throw new StintError(
      "state-corrupt",
      `the state says it is at revision ${upTo}, but only ${lines.size} journal lines are left; it is not repaired from so little`,
      "Restore the state folder from your backup, or create the project anew under another manifest name.",
    );
  }
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
    [value.at, value.kind, value.by, value.summary].every((field) => typeof field === "string") &&
    (value.type === "event" || value.type === "fact");
  return isEntry ? (value as JournalEntry) : undefined;
}
