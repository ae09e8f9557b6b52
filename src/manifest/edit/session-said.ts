// What a session says about the manifest by a verb, made in a text of it: a note, or one more step. Pure.
import { oneLine } from "../../core/words/plain-line.ts";
import { newlineOf } from "../line-table.ts";
import { type ManifestDocument, sectionsNamed } from "../manifest-document.ts";
import { parseManifest } from "../parse-manifest.ts";

/** The text with these lines below its Notes; undefined where they would change anything else. */
export function withNotes(text: string, notes: readonly string[]): string | undefined {
  if (notes.length === 0) return text;
  const document = parseManifest(text);
  const newline = newlineOf(text);
  const lines = notes.map((note) => `- ${oneLine(note)}`).join(newline);
  const section = sectionsNamed(document, "Notes")[0];
  const result =
    section === undefined
      ? `${text.trimEnd()}${newline}${newline}${headingOf(document)} Notes${newline}${newline}${lines}${newline}`
      : below(text, section.contentStart, section.end, lines);
  return tasksOf(parseManifest(result)) === tasksOf(document) ? result : undefined;
}

/** Below what stands there, with the blank lines that follow it where they were. */
function below(text: string, start: number, end: number, lines: string): string {
  const newline = newlineOf(text);
  const stays = text.slice(start, end).trimEnd();
  const rest = text.slice(start + stays.length, end);
  const isList = /(?:^|[\r\n])[ \t]*[-*+] [^\r\n]*$/.test(stays);
  const gap = stays === "" || !isList ? newline + newline : newline;
  return (
    text.slice(0, start) + stays + gap + lines + (rest === "" ? newline : rest) + text.slice(end)
  );
}

function headingOf({ sections }: ManifestDocument): string {
  return "#".repeat(sections[0]?.level ?? 2);
}

function tasksOf({ tasks, sections }: ManifestDocument): string {
  const others = sections.map(({ name }) => name).filter((name) => name !== "Notes");
  return JSON.stringify([others, tasks.map(({ source, box }) => [source, box.mark])]);
}

/** One more step, behind the others; undefined where there are none. */
export function withStep(text: string, step: string): string | undefined {
  const last = parseManifest(text).tasks.findLast(({ parent }) => parent === undefined);
  if (last === undefined) return undefined;
  const newline = newlineOf(text);
  const [first = "", ...more] = step.trim().split(/\r\n|\r|\n/);
  const title = first.replace(/^[-*+]\s+(?:\[[ xX]\]\s+)?/, "");
  const indent = /^[ \t]*/.exec(last.source)?.[0] ?? "";
  const lines = [`- [ ] ${title}`, ...more.map((line) => (/^\s/.test(line) ? line : `  ${line}`))];
  const added = lines.map((line) => indent + line.trimEnd()).join(newline);
  return text.slice(0, last.end) + newline + added + text.slice(last.end);
}
