// One line of journal.jsonl: line N tells how revision N came about. The line is also kept inside
// that revision as `last_event`, so that a journal that missed it is healed from the state itself.
import * as z from "zod/mini";
import { count, instant, ordinal, text } from "./scalar.ts";

export const journalEntry = z.object({
  revision: ordinal,
  /** Where the line begins in the file, in bytes. */
  offset: count,
  at: instant,
  /** An `event` changed the state; a `fact` only notes something. */
  type: z.enum(["event", "fact"]),
  kind: text,
  by: text,
  summary: text,
  data: z.optional(z.record(z.string(), z.unknown())),
  /** Rows of validation.md that came with this revision; the page is made from them alone. */
  validation: z.optional(z.array(text)),
  /** CRC-32 of every byte of the file before this field, in hex. */
  crc: text,
});

export type JournalEntry = z.infer<typeof journalEntry>;
