// The text of a review log as sections, lines and list entries, with the ids and the `done:` lines in them. Pure.
import { lineTable } from "../manifest/line-table.ts";

/** An id at the beginning, maybe in bold, code or brackets: `DOC-002: title`, `**MF-001** — title`. */
export const WITH_ID =
  /^(?:\*\*|__|`|\[)?([A-Z][A-Z0-9]*(?:-[A-Z0-9]+)*-\d+)(?:\*\*|__|`|\])?(?::(?:\*\*|__)?\s*|\s+[-—–]\s+|\s+|$)(.*)$/u;
const HEADING = /^ {0,3}(#{1,6})[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$/u;
export const LIST_ITEM = /^([ \t]*)(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[([ xX])\][ \t]+)?(.*?)[ \t]*$/u;
export const DONE_LINE = /^[ \t]*(?:[-*+][ \t]+)?done[ \t]*:[ \t]*(\S+?)[.,;]?[ \t]*$/iu;
const FENCE = /^ {0,3}(`{3,}|~{3,})/u;

/** Sections that tell of items and ask for none. */
const TELLING =
  /^(?:status|resolution log|notes?|references?|completion criteria|done criteria|purpose|scope|constraints)$/iu;
/** A heading with the lines up to the next one; the lines before any heading have level 0. */
export interface Section {
  readonly level: number;
  readonly title: string;
  /** Counted from 1. */
  readonly line: number;
  readonly lines: readonly Line[];
}

export interface Line {
  /** Counted from 1. */
  readonly number: number;
  readonly text: string;
  readonly isCode: boolean;
}

/** An item as it was found. */
export interface Found {
  readonly id: string | undefined;
  readonly title: string;
  readonly details: string;
  readonly line: number;
  /** The numbers of all its lines, of a list item. */
  readonly lines: readonly number[];
  /** The line of the heading that a list item is below. */
  readonly place: number | "heading";
  /** What it says of itself, by a box or a `done:` line. */
  readonly saysDone: boolean | undefined;
}

/** A line such as `- DOC-001: resolved` in a section that tells. */
export interface Entry {
  /** Counted from 1. */
  readonly line: number;
  readonly words: string;
}

export function sectionsIn(text: string): Section[] {
  return sectionsOf(linesOf(text));
}

function linesOf(text: string): Line[] {
  const table = lineTable(text);
  let fence: string | undefined;
  return Array.from({ length: table.count }, (_, index) => {
    const line = table.textOf(index);
    const mark = FENCE.exec(line)?.[1];
    const opens = fence === undefined && mark !== undefined;
    const isCode = fence !== undefined || opens;
    if (opens) fence = mark;
    else if (fence !== undefined && mark !== undefined && mark.startsWith(fence)) fence = undefined;
    return { number: index + 1, text: line, isCode };
  });
}

function sectionsOf(lines: readonly Line[]): Section[] {
  const sections: (Section & { readonly lines: Line[] })[] = [
    { level: 0, title: "", line: 1, lines: [] },
  ];
  for (const line of lines) {
    const [, marks, title] = (line.isCode ? null : HEADING.exec(line.text)) ?? [];
    if (marks === undefined || title === undefined) sections.at(-1)?.lines.push(line);
    else sections.push({ level: marks.length, title, line: line.number, lines: [] });
  }
  return sections;
}

/** Those that tell of items and ask for none, with all that is below them. */
export function tellingSections(sections: readonly Section[]): ReadonlySet<number> {
  const told = new Set<number>();
  for (const [index, { title }] of sections.entries()) {
    if (!TELLING.test(title)) continue;
    for (let at = index; at < endOfSection(sections, index); at += 1) told.add(at);
  }
  return told;
}

export function endOfSection(sections: readonly Section[], index: number): number {
  const level = sections[index]?.level ?? 0;
  const next = sections.findIndex((other, at) => at > index && other.level <= level);
  return next === -1 ? sections.length : next;
}

interface ListEntry {
  readonly box: string | undefined;
  readonly text: string;
}

/** Of a list that is not below another entry. */
export function topEntry(line: Line): ListEntry | undefined {
  const [, indent = "", box, text] = (line.isCode ? null : LIST_ITEM.exec(line.text)) ?? [];
  return text === undefined || indent.length > 1 ? undefined : { box, text };
}

/**
 * What a section says of itself, and not one entry of its list: a plain line, or one in a list without items. Of a
 * heading with an id also a list entry, before any item with its own id.
 */
export function ownDoneLine({ title, lines }: Section): ReturnType<typeof doneLine> {
  const [, heading] = WITH_ID.exec(title) ?? [];
  const items = lines.flatMap((line, index) => {
    const entry = topEntry(line);
    const [, id] = WITH_ID.exec(entry?.text ?? "") ?? [];
    const isItem =
      heading === undefined
        ? entry?.box !== undefined || id !== undefined
        : id !== undefined && id !== heading;
    return isItem ? [index] : [];
  });
  const [first = lines.length] = items;
  return doneLine(
    lines.filter((line, index) => {
      const isEntry = topEntry(line) !== undefined;
      if (heading === undefined && isEntry) return items.length === 0;
      if (index < first) return true;
      // A line right below an entry continues it, as an indented one does.
      return !isEntry && !/^[ \t]{2}/u.test(line.text) && lines[index - 1]?.text.trim() === "";
    }),
  );
}

export function doneLine(
  lines: readonly Line[],
): { readonly done: boolean; readonly line: number } | undefined {
  for (const { text, isCode, number } of lines) {
    const word = isCode ? undefined : DONE_LINE.exec(text)?.[1]?.toLowerCase();
    if (word !== undefined) return { done: /^(?:true|yes|x|done)$/u.test(word), line: number };
  }
  return undefined;
}

/** `- DOC-001: words` below the heading of that name. */
export function entriesIn(sections: readonly Section[], name: string): Map<string, Entry> {
  const entries = new Map<string, Entry>();
  for (const [index, section] of sections.entries()) {
    if (section.title.toLowerCase() !== name) continue;
    const lines = sections
      .slice(index, endOfSection(sections, index))
      .flatMap((each) => each.lines);
    for (const line of lines) {
      const text = line.isCode ? undefined : LIST_ITEM.exec(line.text)?.[3];
      const [, id, words] =
        WITH_ID.exec(text ?? "") ?? /^([a-z0-9][a-z0-9-]*):\s+(.*)$/u.exec(text ?? "") ?? [];
      if (id !== undefined) entries.set(id, { line: line.number, words: words ?? "" });
    }
  }
  return entries;
}
