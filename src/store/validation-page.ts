// validation.md: every check ever run, one row each. It is made from the rows in the journal alone,
// so it is appended to as checks run and made again whole when anything is wrong with it.
import type { JournalEntry } from "../core/schema/project.ts";
import { parseLines } from "./journal-codec.ts";

export const VALIDATION_HEADER = `# Validation

Every check that Stint ran, in order. Made by Stint from the journal; edits are ignored.

| task | method | result | time | evidence | next step |
|---|---|---|---|---|---|
`;

export function validationRows(entries: readonly JournalEntry[]): string {
  return entries
    .flatMap((entry) => entry.validation ?? [])
    .map((row) => `${row.replace(/[\r\n]+/g, " ")}\n`)
    .join("");
}

/** The whole page as a journal tells it. Only lines that carry rows are parsed. */
export function validationPage(journal: Buffer): Buffer {
  const lines = journal
    .toString("utf8")
    .split("\n")
    .filter((line) => line.includes('"validation":['));
  const rows = validationRows(parseLines(Buffer.from(lines.join("\n"), "utf8")));
  return Buffer.from(`${VALIDATION_HEADER}${rows}`, "utf8");
}
