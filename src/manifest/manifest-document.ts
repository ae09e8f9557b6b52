// A manifest as it is written: what stands where, under which sections, with which keys. Nothing is judged here.
// Offsets are UTF-16 offsets into `text`; lines and columns count from 1 as people count.
import type { FrontMatter } from "./front-matter.ts";

export interface ManifestDocument {
  readonly text: string;
  readonly frontMatter: FrontMatter | undefined;
  /** Every heading outside lists and quotes, sections or not. */
  readonly headings: readonly Heading[];
  readonly sections: readonly Section[];
  readonly tasks: readonly ManifestTask[];
  /** Items under Steps that have no box and belong to no task. */
  readonly looseItems: readonly LooseItem[];
  /** Boxes that make no task because of where they stand. */
  readonly strayBoxes: readonly StrayBox[];
  /** Lines that may be meant as keys, and stand where no task has keys. */
  readonly strayLines: readonly StrayLine[];
  /** Comments and code blocks that nothing closes: all that follows is in them. */
  readonly unclosed: readonly Unclosed[];
  /** Paragraphs outside lists and quotes; a heading that was forgotten shows here. */
  readonly paragraphs: readonly Paragraph[];
  /** What the quotes outside lists begin with. */
  readonly quotes: readonly Paragraph[];
  /** The line from which the nesting is too deep to be read, if any. */
  readonly tooDeepAt: number | undefined;
}

export interface Heading {
  readonly text: string;
  readonly level: number;
  readonly line: number;
  /** The section that it opens or is part of. */
  readonly section: SectionName | undefined;
}

export interface Section {
  readonly name: SectionName;
  readonly level: number;
  readonly line: number;
  /** Where the heading starts. */
  readonly start: number;
  /** Where the text after the heading starts. */
  readonly contentStart: number;
  /** Where the next section starts, or the end of the text. */
  readonly end: number;
}

export interface Box {
  /** Offset of the opening bracket; the mark is the character after it. */
  readonly offset: number;
  readonly line: number;
  readonly column: number;
  readonly checked: boolean;
  readonly mark: " " | "x" | "X";
}

/** A list item under Steps without a box: a sub-step of a task, or loose. */
export interface ManifestItem {
  readonly text: string;
  readonly line: number;
  /** Lists it is nested in, below the task it belongs to: 1 is a direct sub-step. */
  readonly depth: number;
}

/** An item of no task. */
export interface LooseItem extends ManifestItem {
  /** Tasks are nested in it: it only groups them. */
  readonly isGroup: boolean;
  /** Index of the task that it would belong to, indented further. */
  readonly task: number | undefined;
}

export interface KeyLine {
  readonly key: TaskKey;
  /** What follows the colon, trimmed; a wrapped value keeps its line breaks. */
  readonly value: string;
  readonly line: number;
  /** The code block right below it, where it has no value of its own. */
  readonly block?: string;
}

export interface ManifestTask {
  readonly box: Box;
  /** The text after the box; wrapped lines are joined by one space. */
  readonly title: string;
  /** Lines of the title after its first, as written. */
  readonly wrappedLines: readonly string[];
  readonly line: number;
  /** The white space that begins an item below it. */
  readonly indent: string;
  /** From the start of the item's first line to the end of its last line that is not blank. */
  readonly start: number;
  readonly end: number;
  /** The item's own lines as written; tasks nested in it are left out. */
  readonly source: string;
  readonly keys: readonly KeyLine[];
  readonly substeps: readonly ManifestItem[];
  /** Index of the task this one is nested in. */
  readonly parent: number | undefined;
}

export interface StrayBox {
  readonly line: number;
  readonly text: string;
  readonly section: SectionName | undefined;
  readonly where: "outside-steps" | "block-quote" | "indented-code" | "html" | "table" | "heading";
}

export interface StrayLine {
  /** Without its bullet. */
  readonly text: string;
  /** As written, without the white space around it. */
  readonly written: string;
  readonly line: number;
  readonly where:
    | "outside-steps"
    | "paragraph"
    | "wrapped"
    | "indented-code"
    | "code-block"
    | "block-quote"
    | "html"
    | "table"
    | "heading";
  /** It has a bullet or a number. */
  readonly isItem: boolean;
  /** Index of the task that it would belong to, as an item in its place. */
  readonly task: number | undefined;
}

export interface Unclosed {
  readonly what: "comment" | "code block";
  /** Where it opens. */
  readonly line: number;
  /** Lines with a box in it. */
  readonly boxes: number;
}

export interface Paragraph {
  readonly text: string;
  readonly line: number;
  readonly section: SectionName | undefined;
}

/** The text between a section's heading and its end. */
export function contentOf(document: ManifestDocument, section: Section): string {
  return document.text.slice(section.contentStart, section.end);
}

export function sectionsNamed(document: ManifestDocument, name: SectionName): Section[] {
  return document.sections.filter((section) => section.name === name);
}

// The sections a manifest may have, found by heading text in any level and any case.

export const SECTION_NAMES = [
  "Goal",
  "Steps",
  "Success criteria",
  "References",
  "Tools",
  "Notes",
] as const;

export type SectionName = (typeof SECTION_NAMES)[number];

const BY_LOWER_CASE = new Map(SECTION_NAMES.map((name) => [name.toLowerCase(), name]));

/** The section that a heading opens; a trailing colon and any spacing do not matter. */
export function sectionNamed(heading: string): SectionName | undefined {
  return BY_LOWER_CASE.get(comparable(heading));
}

/** Lower case, single spaces, without a trailing colon. */
export function comparable(heading: string): string {
  const text = heading.trim();
  const bare = text.endsWith(":") ? text.slice(0, -1).trimEnd() : text;
  return bare.replace(/\s+/g, " ").toLowerCase();
}

// The keys a task may carry, and how an item is recognised as one.

export const TASK_KEYS = [
  "check",
  "approve",
  "run",
  "webhook",
  "after",
  "agent",
  "timeout",
  "delegate",
  "returns",
  "look",
  "deadline",
  "id",
  "docs-only",
  "exclusive",
  "ignored",
  "strict",
  "limit",
  "dir",
  "in",
  "protect",
  "child",
  "resolves",
] as const;

export type TaskKey = (typeof TASK_KEYS)[number];

/** Most keys need their colon, so that "Run the tests" stays a sub-step. */
const KEY = /^([a-z]+(?:-[a-z]+)?)[ \t]*(?::([^]*))?$/i;
const ONE_WORD = /^(?:docs-only|exclusive)$/;

/** Words that alone in an item can only be meant as a key. */
const ALONE: ReadonlySet<TaskKey> = new Set([
  "approve",
  "check",
  "deadline",
  "delegate",
  "docs-only",
  "exclusive",
  "ignored",
  "protect",
  "returns",
  "strict",
  "timeout",
  "webhook",
]);

/** Keys that say all by being there. */
export function isOneWord(key: TaskKey): boolean {
  return ONE_WORD.test(key);
}

/** What a line may begin with to be an item, or to look like one. */
const BULLET = /^(?:(?:[-*+•·–—]|\d{1,9}[.)])\s+|[-+•·–—](?=\p{L}))/u;

export function withoutBullet(written: string): string {
  return written.replace(BULLET, "");
}

export function readKey(text: string): { key: TaskKey; value: string } | undefined {
  const [, word = "", value] = KEY.exec(text) ?? [];
  const key = TASK_KEYS.find((candidate) => candidate === word.toLowerCase());
  if (key === undefined || (value === undefined && !ALONE.has(key))) return undefined;
  return { key, value: (value ?? "").trim() };
}
