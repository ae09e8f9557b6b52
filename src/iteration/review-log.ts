// The review log of a repository (`docs/_feedback.md`): which items a reviewer asks for, and which of them are
// resolved. Whether one is resolved is computed from the log itself; what a header claims decides nothing. Pure.
import { slugify, type Slug } from "../core/ids.ts";
import { lineTable } from "../manifest/line-table.ts";
import { type Problem, warningAt } from "../manifest/problem.ts";

export interface ReviewItem {
  /** As written (`DOC-002`), or made from the title of an item that has none. */
  readonly id: string;
  /** The reviewer's own words. */
  readonly title: string;
  /** What stands below it, as written. */
  readonly details: string;
  /** Counted from 1. */
  readonly line: number;
  readonly isResolved: boolean;
}

export interface ReviewLog {
  readonly items: readonly ReviewItem[];
  /** What the Resolution Log says, by the id of the item. */
  readonly resolutions: ReadonlyMap<string, Entry>;
  /** What the log claims and does not hold. */
  readonly problems: readonly Problem[];
}

/** An id at the beginning, maybe in bold, code or brackets: `DOC-002: title`, `**MF-001** — title`. */
const WITH_ID =
  /^(?:\*\*|__|`|\[)?([A-Z][A-Z0-9]*(?:-[A-Z0-9]+)*-\d+)(?:\*\*|__|`|\])?(?::(?:\*\*|__)?\s*|\s+[-—–]\s+|\s+|$)(.*)$/u;
const HEADING = /^ {0,3}(#{1,6})[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$/u;
const LIST_ITEM = /^([ \t]*)(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[([ xX])\][ \t]+)?(.*?)[ \t]*$/u;
const DONE_LINE = /^[ \t]*(?:[-*+][ \t]+)?done[ \t]*:[ \t]*(\S+?)[.,;]?[ \t]*$/iu;
const FENCE = /^ {0,3}(`{3,}|~{3,})/u;

/** Sections that tell of items and ask for none. */
const TELLING =
  /^(?:status|resolution log|notes?|references?|completion criteria|done criteria|purpose|scope|constraints)$/iu;
const LOG = "resolution log";
const RESOLVED = /^(?:resolved|done|complete|completed|closed|fixed)\b/iu;

/** A heading with the lines up to the next one; the lines before any heading have level 0. */
interface Section {
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
interface Found {
  readonly id: string | undefined;
  readonly title: string;
  readonly details: string;
  readonly line: number;
  /** What it says of itself, by a box or a `done:` line. */
  readonly saysDone: boolean | undefined;
}

/** A line such as `- DOC-001: resolved` in a section that tells. */
export interface Entry {
  /** Counted from 1. */
  readonly line: number;
  readonly words: string;
}

export function readReviewLog(text: string): ReviewLog {
  const sections = sectionsOf(linesOf(text));
  const resolutions = entriesIn(sections, LOG);
  const items = itemsOf(foundIn(sections), resolutions);
  return { items, resolutions, problems: problemsOf(sections, items, resolutions) };
}

/** The last section of that name, as its lines stand in the text; undefined where there is none. */
export function resolutionLog(
  text: string,
): { readonly heading: number; readonly lines: readonly Line[] } | undefined {
  const sections = sectionsOf(linesOf(text));
  const index = sections.findLastIndex(({ title }) => title.toLowerCase() === LOG);
  const section = sections[index];
  if (section === undefined) return undefined;
  const below = sections.slice(index, endOfSection(sections, index));
  const lines = below.flatMap((each, at) => [
    ...(at === 0 ? [] : [{ number: each.line, text: each.title, isCode: false }]),
    ...each.lines,
  ]);
  return { heading: section.line, lines };
}

/** Whether a text that could be a manifest is meant as a review log. */
export function isReviewLog(text: string): boolean {
  const titles = sectionsOf(linesOf(text)).map(({ title }) => title.toLowerCase());
  return titles.includes(LOG) && !titles.some((title) => title === "goal" || title === "steps");
}

export function openItems({ items }: ReviewLog): readonly ReviewItem[] {
  return items.filter(({ isResolved }) => !isResolved);
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

/** The items in their order: sections that are one themselves, and list items of the others. */
function foundIn(sections: readonly Section[]): Found[] {
  const found: Found[] = [];
  for (let index = 0; index < sections.length;) {
    const section = sections[index];
    if (section === undefined) break;
    const end = endOfSection(sections, index);
    if (TELLING.test(section.title)) {
      index = end;
      continue;
    }
    const item =
      section.level < 2 ? undefined : sectionItem(section, sections.slice(index + 1, end));
    if (item === undefined) found.push(...listItems(section.lines));
    else found.push(item);
    // Headings below an item belong to it, unless they are items themselves.
    index += 1;
    if (item === undefined) continue;
    while (index < end && !isItem(sections[index])) index += 1;
  }
  return found;
}

function endOfSection(sections: readonly Section[], index: number): number {
  const level = sections[index]?.level ?? 0;
  const next = sections.findIndex((other, at) => at > index && other.level <= level);
  return next === -1 ? sections.length : next;
}

function isItem(section: Section | undefined): boolean {
  return (
    section !== undefined && (WITH_ID.test(section.title) || doneLine(section.lines) !== undefined)
  );
}

function sectionItem(section: Section, below: readonly Section[]): Found | undefined {
  if (!isItem(section)) return undefined;
  const [, id, words] = WITH_ID.exec(section.title) ?? [];
  const next = below.findIndex(isItem);
  const untilNext = next === -1 ? below : below.slice(0, next);
  const lines = [
    ...section.lines.filter(({ text }) => !DONE_LINE.test(text)).map(({ text }) => text),
    ...untilNext.flatMap(({ level, title, lines: own }) => [
      `${"#".repeat(level)} ${title}`,
      ...own.map(({ text }) => text),
    ]),
  ];
  return {
    id,
    title: titleOf(words, section.title),
    details: trimmed(lines),
    line: section.line,
    saysDone: doneLine(section.lines)?.done,
  };
}

function listItems(lines: readonly Line[]): Found[] {
  const found: Found[] = [];
  for (const [index, line] of lines.entries()) {
    const [, indent, box, text] = (line.isCode ? null : LIST_ITEM.exec(line.text)) ?? [];
    if (text === undefined || (indent ?? "").length > 1) continue;
    const [, id, words] = WITH_ID.exec(text) ?? [];
    if (id === undefined && box === undefined) continue;
    const below = linesBelow(lines.slice(index + 1));
    const own = doneLine(below)?.done;
    found.push({
      id,
      title: titleOf(words, text),
      details: trimmed(below.filter((each) => !DONE_LINE.test(each.text)).map((each) => each.text)),
      line: line.number,
      saysDone: own ?? (box === undefined ? undefined : box !== " "),
    });
  }
  return found;
}

/** Those that are indented, up to the first that is not. */
function linesBelow(lines: readonly Line[]): readonly Line[] {
  const end = lines.findIndex(({ text }) => text.trim() !== "" && !/^(?: {2}|\t)/u.test(text));
  return end === -1 ? lines : lines.slice(0, end);
}

function doneLine(
  lines: readonly Line[],
): { readonly done: boolean; readonly line: number } | undefined {
  for (const { text, isCode, number } of lines) {
    const word = isCode ? undefined : DONE_LINE.exec(text)?.[1]?.toLowerCase();
    if (word !== undefined) return { done: /^(?:true|yes|x|done)$/u.test(word), line: number };
  }
  return undefined;
}

function titleOf(words: string | undefined, whole: string): string {
  return words === undefined || words.trim() === "" ? whole : words.trim();
}

function trimmed(lines: readonly string[]): string {
  return lines.join("\n").replace(/^(?:[ \t]*\n)+|\s+$/gu, "");
}

/** One item for each id: a finding that is listed again among the proposed tasks is the same. */
function itemsOf(found: readonly Found[], resolutions: ReadonlyMap<string, Entry>): ReviewItem[] {
  const items = new Map<string, ReviewItem & { readonly saysDone: boolean | undefined }>();
  for (const [index, each] of found.entries()) {
    const id = each.id ?? unusedId(slugify(each.title, `item-${index + 1}` as Slug), items);
    const before = items.get(id);
    const saysDone = each.saysDone ?? before?.saysDone;
    items.set(id, {
      id,
      title: before?.title ?? each.title,
      details: [before?.details ?? "", each.details].filter((part) => part !== "").join("\n"),
      line: before?.line ?? each.line,
      saysDone,
      isResolved: resolutions.has(id) || saysDone === true,
    });
  }
  return [...items.values()].map(({ id, title, details, line, isResolved }) => ({
    id,
    title,
    details,
    line,
    isResolved,
  }));
}

function unusedId(base: string, taken: ReadonlyMap<string, unknown>): string {
  for (let n = 1; ; n += 1) {
    const id = n === 1 ? base : `${base}-${n}`;
    if (!taken.has(id)) return id;
  }
}

/** `- DOC-001: words` below the heading of that name. */
function entriesIn(sections: readonly Section[], name: string): Map<string, Entry> {
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

function problemsOf(
  sections: readonly Section[],
  items: readonly ReviewItem[],
  resolutions: ReadonlyMap<string, Entry>,
): Problem[] {
  const open = items.filter(({ isResolved }) => !isResolved);
  const names = open.map(({ id, line }) => `${id} (line ${line})`).join(", ");
  const header = doneLine(sections.filter(({ level }) => level < 2).flatMap(({ lines }) => lines));
  const claims = [...entriesIn(sections, "status")].filter(
    ([id, { words }]) => RESOLVED.test(words) && !resolutions.has(id),
  );
  return [
    ...(header?.done === true && open.length > 0
      ? [
          warningAt(header.line, "claims-done", {
            message: `the header says done, and ${open.length === 1 ? "one item is" : `${open.length} items are`} not: ${names}`,
            example: "done: false",
            found: "done: true",
          }),
        ]
      : []),
    ...claims.map(([id, { line, words }]) =>
      warningAt(line, "no-resolution", {
        message: `${id} is marked ${words.split(/[\s.,;]/u)[0]}, but the Resolution Log has no entry for it`,
        example: `## Resolution Log\n\n- ${id}: what was done, and in which files`,
        found: `- ${id}: ${words}`,
      }),
    ),
  ];
}
