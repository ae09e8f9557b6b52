// Edits that change only what they must. Each re-reads its own result and refuses when that is
// not exactly what was meant, so a surprising document is left alone rather than damaged.
import { newlineOf } from "../line-table.ts";
import { sectionsNamed, type ManifestDocument, type ManifestTask } from "../manifest-document.ts";
import { parseManifest } from "../parse-manifest.ts";

export type Edited =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly reason: string };

/** Sets the boxes of these tasks, one character each; all of them or none. */
export function setMarks(text: string, tasks: readonly ManifestTask[], checked: boolean): Edited {
  const before = parseManifest(text);
  const indexAt = new Map(before.tasks.map(({ box }, index) => [box.offset, index]));
  const expected = signatures(before);
  const characters: string[] = [];
  let end = 0;
  for (const task of tasks.toSorted((a, b) => a.box.offset - b.box.offset)) {
    const at = task.box.offset;
    const index = indexAt.get(at) ?? -1;
    const found = before.tasks[index];
    if (found === undefined || found.title !== task.title) {
      return refuse(`the box of "${task.title}" is no longer on line ${task.line}`);
    }
    if (found.box.checked === checked) continue;
    expected[index] = signature({ ...found, box: { ...found.box, checked } });
    characters.push(text.slice(end, at + 1), checked ? "x" : " ");
    end = at + 2;
  }
  if (end === 0) return { ok: true, text };
  const lines = tasks.map(({ line }) => line).join(", ");
  const otherwise = `changing the box on line ${lines} would change other tasks`;
  return accept([...characters, text.slice(end)].join(""), expected, otherwise);
}

/** Adds one line at the end of a section, which is made at the end of the text when absent. */
export function appendToSection(text: string, name: "References" | "Notes", line: string): Edited {
  const before = parseManifest(text);
  const newline = newlineOf(text);
  if (/[\r\n]/.test(line) || line.trim() === "")
    return refuse("one line is appended, with text in it");
  const section = sectionsNamed(before, name)[0];
  const result =
    section === undefined
      ? text.slice(0, endOfContent(text, 0)) +
        [newline, newline, `## ${name}`, newline, newline, line, newline].join("")
      : appendAt(
          text,
          endOfContent(text.slice(0, section.end), section.contentStart),
          line,
          newline,
        );
  const after = parseManifest(result);
  const expectedSections = before.sections.map((one) => one.name);
  if (section === undefined) expectedSections.push(name);
  const sections = after.sections.map((one) => one.name);
  const grown = sectionsNamed(after, name)[0];
  if (
    sections.join() !== expectedSections.join() ||
    after.headings.length !== before.headings.length + (section === undefined ? 1 : 0) ||
    grown === undefined ||
    !result.slice(grown.contentStart, grown.end).includes(line)
  ) {
    return refuse(`the line would not become a part of ${name}: ${JSON.stringify(line)}`);
  }
  return accept(
    result,
    signatures(before),
    `the line would change the tasks: ${JSON.stringify(line)}`,
  );
}

function appendAt(text: string, at: number, line: string, newline: string): string {
  const lastLine = /[^\r\n]*$/.exec(text.slice(0, at))?.[0] ?? "";
  const isInList = /^\s*(?:[-*+]|\d+[.)])\s/.test(lastLine) || /^\s/.test(lastLine);
  const isList = /^(?:[-*+]|\d+[.)])\s/.test(line);
  const gap = isInList && isList ? newline : newline + newline;
  const needsBreak = at === text.length;
  return text.slice(0, at) + gap + line + (needsBreak ? newline : "") + text.slice(at);
}

/** Where the last line with something on it ends, at or after `from`; else the line before `from`. */
function endOfContent(text: string, from: number): number {
  const end = text.trimEnd().length;
  if (end >= from) return end;
  return text.slice(0, from).replace(/[\r\n]+$/, "").length;
}

/** Adds an unchecked task after another one of the same list, with the same bullet. */
export function insertTask(text: string, after: ManifestTask, title: string): Edited {
  const before = parseManifest(text);
  const index = before.tasks.findIndex((task) => task.box.offset === after.box.offset);
  if (before.tasks[index]?.title !== after.title) {
    return refuse(`the task "${after.title}" is no longer on line ${after.line}`);
  }
  if (/[\r\n]/.test(title) || title.trim() === "")
    return refuse("a task is one line, with text in it");
  const bullet = bulletAfter(text.slice(lineStart(text, after.box.offset), after.box.offset));
  const result = `${text.slice(0, after.end)}${newlineOf(text)}${bullet}[ ] ${title.trim()}${text.slice(after.end)}`;
  const position = before.tasks.findLastIndex((task) => task.start < after.end) + 1;
  const expected = signatures(before);
  const added = parseManifest(result).tasks[position];
  if (added === undefined || added.title !== title.trim() || added.box.checked) {
    return refuse(`the line would not become a task: ${JSON.stringify(title)}`);
  }
  expected.splice(position, 0, signature(added));
  return accept(
    result,
    expected,
    `the new task would change other tasks: ${JSON.stringify(title)}`,
  );
}

/** The bullet for the next item: outer bullets on the same line become indentation, numbers grow. */
function bulletAfter(prefix: string): string {
  const match = /^(.*?)((?:[-*+]|\d+[.)])[ \t]+)$/.exec(prefix);
  const outer = (match?.[1] ?? "").replace(/[^ \t]/g, " ");
  const own = (match?.[2] ?? "- ").replace(/^\d+/, (number) => String(Number(number) + 1));
  return outer + own;
}

function lineStart(text: string, offset: number): number {
  return Math.max(text.lastIndexOf("\n", offset), text.lastIndexOf("\r", offset)) + 1;
}

function accept(text: string, expected: readonly string[], otherwise: string): Edited {
  const found = signatures(parseManifest(text));
  const isAsMeant =
    found.length === expected.length && found.every((one, i) => one === expected[i]);
  return isAsMeant ? { ok: true, text } : refuse(otherwise);
}

function signatures(document: ManifestDocument): string[] {
  return document.tasks.map(signature);
}

/** What of a task must survive an edit elsewhere: everything but its place. */
function signature(task: ManifestTask): string {
  const keys = task.keys.map(({ key, value }) => [key, value]);
  return JSON.stringify([
    task.title,
    task.box.checked,
    keys,
    task.substeps.map((substep) => substep.text),
  ]);
}

function refuse(reason: string): Edited {
  return { ok: false, reason };
}
