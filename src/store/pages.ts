// The pages of the project folder that are made from state and journal. A generated one ends with a line that
// says from which revision it was made, with a digest by which an edit is noticed. validation.md has every
// check ever run, one row each: it is made from the rows in the journal alone, so it is appended to as
// checks run and made again whole when anything is wrong with it.
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
