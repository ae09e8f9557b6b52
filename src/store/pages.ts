// The pages of the project folder that are made from state and journal. Each ends with a line that says from which
// revision it was made, with a digest by which an edit is noticed. validation.md has a row for every task, made from the
// state, and below them one for every check ever run, from the rows in the journal.
import type { JournalEntry } from "../core/schema/project.ts";
import { sha256Of } from "./digest.ts";
import { parseLines } from "./journal.ts";

const SEAL = /\n<!-- made by stint from revision \d+; edits are ignored \(([0-9a-f]{16})\) -->\n$/;

export function sealPage(content: string, revision: number): Buffer {
  const digest = sha256Of(content).slice(0, 16);
  return Buffer.from(
    `${content}\n<!-- made by stint from revision ${revision}; edits are ignored (${digest}) -->\n`,
    "utf8",
  );
}

export function isSealedPage(bytes: Buffer): boolean {
  const text = bytes.toString("utf8");
  const seal = SEAL.exec(text);
  return seal !== null && sha256Of(text.slice(0, seal.index)).startsWith(seal[1] ?? "-");
}

export const VALIDATION_PAGE = "validation.md";

const CHECKS_HEADER = `## Checks

Every check that Stint ran, in order.

| task | method | result | time | evidence | next step |
|---|---|---|---|---|---|
`;

/** `tasks` is the part about them; empty where the store was given none. */
export function validationPage(tasks: string, rows: string): string {
  const top =
    "# Validation\n\nMade by Stint from the state and the journal; edits are ignored.\n\n";
  return `${top}${tasks === "" ? "" : `${tasks.trimEnd()}\n\n`}${CHECKS_HEADER}${rows}`;
}

/** As an earlier Stint made it: of checks alone, and not sealed. */
export function isEarlierValidation(bytes: Buffer, rows: string): boolean {
  const text = bytes.toString("utf8");
  const [, made] =
    /^# Validation\n\nEvery check[^\n]*\n\n\|[^\n]*\|\n\|[-|]*\|\n(.*)$/s.exec(text) ?? [];
  return made !== undefined && rows.startsWith(made);
}

export function validationRows(entries: readonly JournalEntry[]): string {
  return entries
    .flatMap((entry) => entry.validation ?? [])
    .map((row) => `${row.replace(/[\r\n]+/g, " ")}\n`)
    .join("");
}

/** All rows that a journal tells. Only lines that carry some are parsed. */
export function journalRows(journal: Buffer): string {
  const lines = journal
    .toString("utf8")
    .split("\n")
    .filter((line) => line.includes('"validation":['));
  return validationRows(parseLines(Buffer.from(lines.join("\n"), "utf8")));
}
