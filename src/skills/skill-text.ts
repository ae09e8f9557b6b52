// A skill as it is judged: its front matter with the line of each key, and its lines with what is code told apart.
import { findFrontMatter, readFrontMatter } from "../manifest/front-matter.ts";
import { lineTable } from "../manifest/line-table.ts";
import type { Problem } from "../manifest/problem.ts";

/** What is wrong with a skill, in one of its files. */
export interface SkillProblem extends Problem {
  /** Below the folder of the skill. */
  readonly file: string;
}

export interface SkillSource {
  /** The name of its folder. */
  readonly folder: string;
  /** Its texts by their paths below the folder. */
  readonly texts: ReadonlyMap<string, string>;
  /** Everything that lies in it, texts or not. */
  readonly paths: ReadonlySet<string>;
  /** The names of the skills beside it. */
  readonly siblings: readonly string[];
}

export interface SkillLine {
  /** Counted from 1. */
  readonly line: number;
  readonly text: string;
  /** The same without code spans; blank in a fenced block. */
  readonly prose: string;
  readonly isFenced: boolean;
}

export interface SkillPage {
  readonly file: string;
  readonly frontMatter: PageHead;
  /** What follows the front matter. */
  readonly body: readonly SkillLine[];
}

export type PageHead =
  | { readonly kind: "none" }
  | { readonly kind: "broken"; readonly line: number; readonly reason: string }
  | {
      readonly kind: "read";
      readonly values: Readonly<Record<string, unknown>>;
      readonly lineOf: (key: string) => number;
    };

export const SKILL_FILE = "SKILL.md";

export function readPage(file: string, text: string): SkillPage {
  const table = lineTable(text);
  const found = findFrontMatter(text, table);
  const after = found?.lineCount ?? 0;
  const written = Array.from({ length: table.count }, (_, index) => table.textOf(index));
  const body = linesOf(written.slice(after), after + 1);
  if (found === undefined) return { file, frontMatter: { kind: "none" }, body };
  const read = readFrontMatter(found);
  if (!read.ok) {
    return { file, frontMatter: { kind: "broken", line: read.line, reason: read.reason }, body };
  }
  const lineOf = (key: string): number => {
    const at = written.slice(0, after).findIndex((line) => line.startsWith(`${key}:`));
    return at === -1 ? 1 : at + 1;
  };
  return { file, frontMatter: { kind: "read", values: read.values, lineOf }, body };
}

/** What lies beyond in a line is not judged: anybody's text is matched here, and must not take for ever. */
const LONGEST_LINE = 2000;

const FENCE = /^\s{0,3}(`{3,}|~{3,})/;

function linesOf(written: readonly string[], first: number): SkillLine[] {
  let fence: string | null = null;
  return written.map((whole, index) => {
    const text = whole.slice(0, LONGEST_LINE);
    const mark = FENCE.exec(text)?.[1];
    const wasFenced = fence !== null;
    if (fence === null) fence = mark ?? null;
    else if (mark !== undefined && mark.startsWith(fence) && text.trim() === mark) fence = null;
    const isFenced = wasFenced || fence !== null;
    return { line: first + index, text, prose: isFenced ? "" : withoutCode(text), isFenced };
  });
}

/** Blanks take the place of code, so that columns and words around it stay. */
function withoutCode(text: string): string {
  return text.replaceAll(/(`+)(?!`).*?(?<!`)\1(?!`)/g, (code) => " ".repeat(code.length));
}
