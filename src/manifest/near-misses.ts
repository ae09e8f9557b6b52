// Things a person almost wrote: a key, a box or a heading that Stint does not see as one.
// Each would be passed over in silence, so each is said.
import { nearMiss } from "../core/words/edit-distance.ts";
import { settingBelowTask } from "./misplaced-settings.ts";
import { joinedLines } from "./written-values.ts";
import {
  type ManifestDocument,
  type ManifestItem,
  comparable,
  isOneWord,
  SECTION_NAMES,
  sectionNamed,
  type SectionName,
  readKey,
  TASK_KEYS,
  type TaskKey,
} from "./manifest-document.ts";
import { warningAt, type Problem } from "./problem.ts";

const KEY_EXAMPLES: Record<TaskKey, string> = {
  check: "- check: `npm test`",
  approve: "- approve: before",
  run: "- run: `gh pr create --fill`",
  webhook: "- webhook: https://example.com/hook",
  after: "- after: database-migration",
  agent: "- agent: codex",
  timeout: "- timeout: 30m",
  delegate: "- delegate: codex",
  returns: "- returns: file dist/report.html",
  look: "- look: 10m",
  deadline: "- deadline: 3d",
  id: "- id: database-migration",
  "docs-only": "- docs-only",
  exclusive: "- exclusive",
  ignored: "- ignored: ok",
  strict: "- strict: true",
  limit: "- limit: files 12, new 5, moves 2",
  dir: "- dir: packages/web",
  in: "- in: checkout",
  protect: "- protect: off",
  child: "- child: database-migration",
  resolves: "- resolves: DOC-002",
};

export function nearMisses(document: ManifestDocument): Problem[] {
  const problems: Problem[] = [];
  for (const task of document.tasks) {
    for (const item of task.substeps)
      push(problems, boxNearMiss(item) ?? keyNearMiss(item) ?? settingBelowTask(item));
    for (const line of task.wrappedLines) push(problems, keyInTitle(line, task.line));
  }
  for (const item of document.looseItems) {
    push(problems, boxNearMiss(item) ?? keyWithoutTask(item) ?? itemWithoutBox(item));
  }
  for (const paragraph of document.paragraphs) {
    if (paragraph.section === "Steps") push(problems, boxWithoutBullet(paragraph));
  }
  return [...problems, ...headingNearMisses(document)];
}

function push(problems: Problem[], problem: Problem | undefined): void {
  if (problem !== undefined) problems.push(problem);
}

const NEAR_BOX = /^\[(?:\s*|\s*[xX]\s*|[-–_*~.✓✔√✅])\](?![([:])/u;

function boxNearMiss(item: ManifestItem): Problem | undefined {
  const box = NEAR_BOX.exec(item.text)?.[0];
  if (box === undefined) return undefined;
  const isChecked = /[xX✓✔√✅]/u.test(box);
  return warningAt(item.line, "near-miss-box", {
    message: "this is not a box, so the item is not a task; a box is [ ] or [x] and a space",
    example: `- [${isChecked ? "x" : " "}] ${item.text.slice(box.length).trim()}`,
    found: `- ${item.text}`,
  });
}

function boxWithoutBullet(paragraph: { text: string; line: number }): Problem | undefined {
  const lines = paragraph.text.split("\n");
  const index = lines.findIndex((line) => /^\s*[-*+]?\[[ xX]\](?:\s|$)/.test(line));
  const found = lines[index]?.trim();
  if (found === undefined) return undefined;
  return warningAt(paragraph.line + index, "box-without-bullet", {
    message:
      "this box is not in a list item, so it is not a task; put a bullet and a space before it",
    example: `- ${found.replace(/^[-*+]/, "")}`,
    found,
  });
}

const KEY_LIKE = /^[*_`]*([A-Za-z][A-Za-z-]{1,11})[*_`]*\s*:/;

function keyNearMiss(item: ManifestItem): Problem | undefined {
  const word = KEY_LIKE.exec(item.text)?.[1]?.toLowerCase();
  if (word === undefined) return undefined;
  // Too many words are like `look`, and two or three letters are too few to tell a typing error from one.
  const meant = nearMiss(
    word,
    TASK_KEYS.filter((key) => !["id", "in", "dir", "look"].includes(key) || word === key),
  );
  if (meant === undefined) return undefined;
  const isEmphasised = word === meant;
  return warningAt(item.line, "near-miss-key", {
    message: isEmphasised
      ? `${meant} is not seen as a key here; write it plain, without emphasis`
      : `"${word}:" is not a key; did you mean ${isOneWord(meant) ? meant : `${meant}:`}?`,
    example: KEY_EXAMPLES[meant],
    found: `- ${item.text}`,
  });
}

function keyInTitle(line: string, taskLine: number): Problem | undefined {
  const key = readKey(line);
  if (key === undefined) return undefined;
  return warningAt(taskLine, "key-in-title", {
    message: `${key.key} is read as part of the task's text; make it a separate item below the task`,
    example: KEY_EXAMPLES[key.key],
    found: line,
  });
}

function keyWithoutTask(item: ManifestItem): Problem | undefined {
  const key = readKey(item.text);
  if (key === undefined) return undefined;
  return warningAt(item.line, "key-without-task", {
    message: `this ${key.key} belongs to no task and is ignored; indent it below its task`,
    example: `- [ ] Add the login form\n  ${KEY_EXAMPLES[key.key]}`,
    found: `- ${item.text}`,
  });
}

function itemWithoutBox(item: ManifestItem): Problem | undefined {
  if (item.depth > 1) return undefined;
  return warningAt(item.line, "item-without-box", {
    message: "this item has no box, so it is never worked on; add a box, or indent it below a task",
    example: `- [ ] ${joinedLines(item.text)}`,
    found: `- ${joinedLines(item.text)}`,
  });
}

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

function headingNearMisses(document: ManifestDocument): Problem[] {
  const present = new Set(document.sections.map((section) => section.name));
  const problems: Problem[] = [];
  for (const heading of document.headings) {
    if (heading.text.length > MAX_LABEL || sectionNamed(heading.text) !== undefined) continue;
    const meant = sectionMeant(heading.text);
    if (meant === undefined || present.has(meant)) continue;
    problems.push(
      warningAt(heading.line, "near-miss-heading", {
        message: `"${heading.text}" does not open a section; did you mean ${meant}?`,
        example: `${"#".repeat(heading.level)} ${meant}`,
        found: `${"#".repeat(heading.level)} ${heading.text}`,
      }),
    );
  }
  for (const paragraph of document.paragraphs) {
    const firstLine = (paragraph.text.split("\n", 1)[0] ?? "").slice(0, MAX_LABEL);
    const meant = sectionLabelled(firstLine);
    if (meant === undefined || present.has(meant)) continue;
    problems.push(
      warningAt(paragraph.line, "near-miss-heading", {
        message: `this line is not a heading, so it does not open the section ${meant}`,
        example: `## ${meant}`,
        found: firstLine,
      }),
    );
  }
  return problems;
}

function sectionMeant(heading: string): SectionName | undefined {
  const bare = comparable(heading.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, ""));
  const exact = sectionNamed(bare) ?? SYNONYMS.get(bare);
  if (exact !== undefined) return exact;
  const near = nearMiss(
    bare,
    SECTION_NAMES.map((name) => name.toLowerCase()),
  );
  return near === undefined ? undefined : sectionNamed(near);
}

function sectionLabelled(line: string): SectionName | undefined {
  const label =
    /^[*_]*([A-Za-z ]+?)[*_]*\s*:/.exec(line)?.[1] ?? /^([*_]{1,2})([A-Za-z ]+)\1$/.exec(line)?.[2];
  return label === undefined ? undefined : sectionNamed(label);
}
