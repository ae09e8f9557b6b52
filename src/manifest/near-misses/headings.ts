// Headings that were meant to open a section, and do not.
import { nearMiss } from "../../core/words/edit-distance.ts";
import {
  comparable,
  type ManifestDocument,
  SECTION_NAMES,
  sectionNamed,
  type SectionName,
} from "../manifest-document.ts";
import { type Problem, warningAt } from "../problem.ts";

/** Words that people use for a section that a manifest must have. */
const SYNONYMS: ReadonlyMap<string, SectionName> = new Map([
  ["objective", "Goal"],
  ["objectives", "Goal"],
  ["tasks", "Steps"],
  ["todo", "Steps"],
  ["to do", "Steps"],
  ["checklist", "Steps"],
  ["acceptance criteria", "Success criteria"],
]);

/** No longer line is taken for the name of a section. */
const MAX_LABEL = 80;

/** A heading, or a line that stands for one, that was meant to open a section and does not. */
export interface NearHeading {
  readonly meant: SectionName;
  readonly line: number;
  readonly message: string;
  readonly example: string;
  readonly found: string;
}

/** Of sections that are not there. */
export function nearHeadings(document: ManifestDocument): readonly NearHeading[] {
  const present = new Set(document.sections.map((section) => section.name));
  const found: NearHeading[] = [];
  for (const heading of document.headings) {
    if (heading.text.length > MAX_LABEL || sectionNamed(heading.text) !== undefined) continue;
    const { meant, rest } = sectionMeant(heading.text);
    if (meant === undefined || present.has(meant)) continue;
    const mark = "#".repeat(heading.level);
    found.push({
      meant,
      line: heading.line,
      message: `"${heading.text}" does not open a section; did you mean ${meant}?`,
      example: rest === "" ? `${mark} ${meant}` : `${mark} ${meant}\n\n${rest}`,
      found: `${mark} ${heading.text}`,
    });
  }
  for (const { text, line } of document.paragraphs) {
    const firstLine = text.split("\n", 1)[0] ?? "";
    const { meant, rest } = sectionLabelled(firstLine.slice(0, MAX_LABEL));
    if (meant === undefined || present.has(meant)) continue;
    const after = firstLine.length > MAX_LABEL ? "" : rest;
    found.push({
      meant,
      line,
      message: `this line is not a heading, so it does not open the section ${meant}`,
      example: after === "" ? `## ${meant}` : `## ${meant}\n\n${after}`,
      found: firstLine.slice(0, MAX_LABEL),
    });
  }
  return found;
}

/** Of a section that a manifest must have, the error says it. */
export function headingNearMisses(document: ManifestDocument): Problem[] {
  const required = new Set<SectionName>(["Goal", "Steps"]);
  return nearHeadings(document)
    .filter(({ meant }) => !required.has(meant))
    .map(({ line, message, example, found }) =>
      warningAt(line, "near-miss-heading", { message, example, found }),
    );
}

interface MeantSection {
  readonly meant: SectionName | undefined;
  /** What was written behind its name. */
  readonly rest: string;
}

/** "2. Steps (in order)", "Goal 🎯", "Goal: make it fast". */
function sectionMeant(heading: string): MeantSection {
  const [, label = heading, rest = ""] = /^([^:]{1,30}):\s+(\S.*)$/s.exec(heading) ?? [];
  const bare = comparable(label.replace(/\([^)]*\)/g, "").replace(/^[^\p{L}]+|[^\p{L}]+$/gu, ""));
  const exact = sectionNamed(bare) ?? SYNONYMS.get(bare);
  if (exact !== undefined || rest !== "") return { meant: exact, rest };
  const near = nearMiss(
    bare,
    SECTION_NAMES.map((name) => name.toLowerCase()),
  );
  return { meant: near === undefined ? undefined : sectionNamed(near), rest };
}

function sectionLabelled(line: string): MeantSection {
  const [, label, rest = ""] = /^[*_]*([A-Za-z ]+?)[*_]*\s*:[*_]*\s*(.*)$/.exec(line) ?? [];
  const alone = /^([*_]{1,2})([A-Za-z ]+)\1$/.exec(line)?.[2];
  const name = label ?? alone;
  return { meant: name === undefined ? undefined : sectionNamed(name), rest };
}
