// One line of journal.jsonl. A line that belongs to a revision is also kept in that revision as
// `last_event`, so that a journal that missed its last line is healed from the state itself.
import * as z from "zod/mini";
import { count, instant, ordinal, text } from "./scalar.ts";

export const journalEntry = z.object({
  seq: ordinal,
  /** The revision this line belongs to: written with it, or noted while it was current. */
  revision: count,
  at: instant,
  /** `event` lines are one per revision; `fact` lines note something that changed no state. */
  type: z.enum(["event", "fact"]),
  kind: text,
  by: text,
  summary: text,
  data: z.optional(z.record(z.string(), z.unknown())),
  /** CRC-32 of every byte of the file before this field, in hex. */
  crc: text,
});

export type JournalEntry = z.infer<typeof journalEntry>;
