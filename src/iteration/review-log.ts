// The review log of a repository (`docs/_feedback.md`): which items a reviewer asks for, and which of them are
// resolved. Whether one is resolved is computed from the log itself; what a header claims decides nothing. Pure.
import { slugify, type Slug } from "../core/ids.ts";
import type { Problem } from "../manifest/problem.ts";
import { passedOver, problemsOf } from "./review-problems.ts";
import {
  DONE_LINE,
  doneLine,
  endOfSection,
  entriesIn,
  type Entry,
  type Found,
  type Line,
  ownDoneLine,
  type Section,
  sectionsIn,
  tellingSections,
  topEntry,
  WITH_ID,
} from "./review-sections.ts";

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

const LOG = "resolution log";

export function readReviewLog(text: string): ReviewLog {
  const sections = sectionsIn(text);
  const resolutions = entriesIn(sections, LOG);
  const found = foundIn(sections);
  const items = itemsOf(found, resolutions);
  const problems = [...problemsOf(sections, items, resolutions), ...passedOver(sections, found)];
  return { items, resolutions, problems };
}

/** The last section of that name, as its lines stand in the text; undefined where there is none. */
export function resolutionLog(
  text: string,
): { readonly heading: number; readonly lines: readonly Line[] } | undefined {
  const sections = sectionsIn(text);
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
  const titles = sectionsIn(text).map(({ title }) => title.toLowerCase());
  return titles.includes(LOG) && !titles.some((title) => title === "goal" || title === "steps");
}

export function openItems({ items }: ReviewLog): readonly ReviewItem[] {
  return items.filter(({ isResolved }) => !isResolved);
}

/** The items in their order: headings, list items, and those with their own id below a heading that is an item. */
function foundIn(sections: readonly Section[]): Found[] {
  const told = tellingSections(sections);
  const found: Found[] = [];
  for (let index = 0; index < sections.length;) {
    const section = sections[index];
    if (section === undefined) break;
    const end = isSectionItem(section) && !told.has(index) ? endOfItem(sections, index, told) : 0;
    if (end > 0) {
      const below = sections.slice(index + 1, end);
      const asking = [section, ...below.filter((_, at) => !told.has(index + 1 + at))];
      const items = asking.flatMap((each) => ownItems(each, section));
      found.push(sectionItem(section, below, new Set(items.flatMap(({ lines }) => lines))));
      found.push(...items);
    } else if (!told.has(index)) {
      found.push(...listItems(section.lines, section.line));
    }
    index = Math.max(end, index + 1);
  }
  return found;
}

/** Headings below an item belong to it, unless they are items themselves. */
function endOfItem(sections: readonly Section[], index: number, told: ReadonlySet<number>): number {
  const end = endOfSection(sections, index);
  const isNext = (each: Section, at: number): boolean =>
    at > index && at < end && !told.has(at) && isSectionItem(each);
  const next = sections.findIndex(isNext);
  return next === -1 ? end : next;
}

function isSectionItem(section: Section): boolean {
  if (section.level < 2) return false;
  return WITH_ID.test(section.title) || ownDoneLine(section) !== undefined;
}

/** `others` are the lines of items that are below it. */
function sectionItem(
  section: Section,
  below: readonly Section[],
  others: ReadonlySet<number>,
): Found {
  const [, id, words] = WITH_ID.exec(section.title) ?? [];
  const own = ownDoneLine(section);
  const detailsOf = ({ lines }: Section): string[] =>
    lines
      .filter(({ number }) => !others.has(number) && number !== own?.line)
      .map(({ text }) => text);
  const lines = [
    ...detailsOf(section),
    ...below.flatMap((each) => [`${"#".repeat(each.level)} ${each.title}`, ...detailsOf(each)]),
  ];
  return {
    id,
    title: titleOf(words, section.title),
    details: trimmed(lines),
    line: section.line,
    lines: [section.line],
    place: "heading",
    saysDone: own?.done,
  };
}

/** Items of a list that have their own id; the others are details of the heading that they are below. */
function ownItems({ lines, line }: Section, heading: Section): Found[] {
  const [, id] = WITH_ID.exec(heading.title) ?? [];
  return listItems(lines, line).filter((item) => item.id !== undefined && item.id !== id);
}

/** `place` is the line of the heading that they are below. */
function listItems(lines: readonly Line[], place: number): Found[] {
  const found: Found[] = [];
  for (const [index, line] of lines.entries()) {
    const entry = topEntry(line);
    if (entry === undefined) continue;
    const [, id, words] = WITH_ID.exec(entry.text) ?? [];
    if (id === undefined && entry.box === undefined) continue;
    const below = linesBelow(lines.slice(index + 1));
    const own = doneLine(below)?.done;
    found.push({
      id,
      title: titleOf(words, entry.text),
      details: trimmed(below.filter((each) => !DONE_LINE.test(each.text)).map((each) => each.text)),
      line: line.number,
      lines: [
        line.number,
        ...below.filter(({ text }) => text.trim() !== "").map(({ number }) => number),
      ],
      place,
      saysDone: own ?? (entry.box === undefined ? undefined : entry.box !== " "),
    });
  }
  return found;
}

/** Those that are indented, up to the first that is not. */
function linesBelow(lines: readonly Line[]): readonly Line[] {
  const end = lines.findIndex(({ text }) => text.trim() !== "" && !/^(?: {2}|\t)/u.test(text));
  return end === -1 ? lines : lines.slice(0, end);
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
