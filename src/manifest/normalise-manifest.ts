// A ManifestDocument to a Plan, with every problem found on the way, not just the first.
// The plan is complete as far as it could be read; with an error among the problems it must not run.
import { asWritten } from "./as-written.ts";
import {
  contentOf,
  sectionsNamed,
  SECTION_NAMES,
  type ManifestDocument,
  type SectionName,
} from "./manifest-document.ts";
import { counted } from "../core/words/amounts.ts";
import { unreadFrontMatter } from "./unread-front-matter.ts";
import { resolveAfter, nameTasks, splitName } from "./task-names.ts";
import { detailsOf } from "./written-values.ts";
import { nearHeadings } from "./near-misses/headings.ts";
import { nearMisses } from "./near-misses/near-misses.ts";
import type { Plan, PlannedTask } from "./plan.ts";
import { byLine, errorAt, warningAt, type Problem } from "./problem.ts";
import { readTaskKeys } from "./read-task-keys.ts";
import { readSettings } from "./settings.ts";

/** A manifest as it is understood; with an error among its problems it must not run. */
export interface NormalisedManifest {
  readonly plan: Plan;
  readonly problems: readonly Problem[];
}

export function normaliseManifest(document: ManifestDocument): NormalisedManifest {
  const problems: Problem[] = [...unreadFrontMatter(document), ...unclosedProblems(document)];
  const settings = readSettings(document.frontMatter, problems);
  problems.push(...sectionProblems(document));
  const tasks = planTasks(document, problems);
  problems.push(
    ...titleProblems(tasks),
    ...nameProblems(document),
    ...idProblems(document, tasks),
    ...idsThatAreNames(document, tasks),
    ...nearMisses(document),
  );
  const plan: Plan = {
    goal: sectionText(document, "Goal"),
    successCriteria: listEntries(sectionText(document, "Success criteria")),
    references: sectionText(document, "References"),
    tools: sectionText(document, "Tools"),
    notes: sectionText(document, "Notes"),
    tasks,
    settings,
  };
  return { plan, problems: asWritten(problems, document).toSorted(byLine) };
}

function planTasks(document: ManifestDocument, problems: Problem[]): PlannedTask[] {
  const titles = document.tasks.map((task) => splitName(task.title));
  const names = nameTasks(titles);
  const values = document.tasks.map((task) => readTaskKeys(task, problems));
  const afters = resolveAfter(
    document.tasks.map((task, index) => ({
      name: names[index] ?? "",
      explicitId: values[index]?.explicitId,
      after: task.keys.find((line) => line.key === "after"),
    })),
    problems,
  );
  return document.tasks.map((task, index) => {
    const after = afters[index];
    const planned = {
      name: names[index] ?? "",
      title: titles[index]?.title ?? "",
      text: task.title,
      box: task.box,
      substeps: task.substeps,
      source: task.source,
      details: detailsOf(task),
      ...(values[index] ?? { checks: [], docsOnly: false }),
    };
    return after === undefined ? planned : { ...planned, after };
  });
}

function unclosedProblems({ unclosed }: ManifestDocument): Problem[] {
  return unclosed.map(({ what, line, boxes }) => {
    const lost = boxes === 0 ? "what follows" : counted(boxes, "task");
    return errorAt(line, "not-closed", {
      message: `this ${what} is never closed, so everything below it is part of it; ${lost} in it ${boxes > 1 ? "are" : "is"} not read`,
      example: what === "comment" ? "-->" : "```",
      sample: true,
      found: what === "comment" ? "<!--" : "```",
    });
  });
}

/** Once per section: the text of the first of that name, trimmed. */
function sectionText(document: ManifestDocument, name: SectionName): string {
  const section = document.sections.find((candidate) => candidate.name === name);
  return section === undefined ? "" : contentOf(document, section).trim();
}

function sectionProblems(document: ManifestDocument): Problem[] {
  const problems: Problem[] = [];
  for (const name of ["Goal", "Steps"] as const) {
    const [first, ...others] = sectionsNamed(document, name);
    if (first === undefined) problems.push(missingSection(document, name));
    for (const other of others) {
      problems.push(
        errorAt(other.line, `two-${name.toLowerCase()}-sections`, {
          message: `a manifest has one ${name} section; the first is on line ${first?.line}: put everything below that one`,
          example: "",
          found: lineText(document, other.line),
        }),
      );
    }
  }
  problems.push(...repeatedSections(document));
  const goal = sectionsNamed(document, "Goal")[0];
  if (goal !== undefined && withoutComments(contentOf(document, goal)).trim() === "") {
    problems.push(
      errorAt(goal.line, "empty-goal", {
        message: "the Goal section is empty; say why the work is done and what is true at its end",
        example: GOAL_EXAMPLE,
        sample: true,
        found: lineText(document, goal.line),
      }),
    );
  }
  const steps = sectionsNamed(document, "Steps")[0];
  if (steps !== undefined && document.tasks.length === 0) {
    problems.push(
      errorAt(steps.line, "no-tasks", {
        message: "Steps needs a finite list of steps, each a list item with a box; none has one",
        example: STEPS_EXAMPLE,
        sample: true,
        found: firstContentLine(contentOf(document, steps)),
      }),
    );
  }
  if (document.tooDeepAt !== undefined) {
    problems.push(
      errorAt(document.tooDeepAt, "too-deep", {
        message: "lists or quotes are nested too deeply; nothing after this line can be read",
        example: "- [ ] a task\n  - a sub-step",
        sample: true,
        found: lineText(document, document.tooDeepAt).slice(0, 80),
      }),
    );
  }
  return problems;
}

/** Sessions are told the first of each. */
function repeatedSections(document: ManifestDocument): Problem[] {
  const optional = SECTION_NAMES.filter((name) => name !== "Goal" && name !== "Steps");
  return optional.flatMap((name) => {
    const [first, ...others] = sectionsNamed(document, name);
    return others.map(({ line }) =>
      warningAt(line, "repeated-section", {
        message: `sessions are told the first ${name} section (line ${first?.line}), and not this one; put everything below that one`,
        example: "",
        found: lineText(document, line),
      }),
    );
  });
}

const GOAL_EXAMPLE = "## Goal\n\nThe API answers in 100 ms, because mobile users leave after that.";
const STEPS_EXAMPLE = "## Steps\n\n- [ ] Add the login form\n  - check: `npm test`";

function missingSection(document: ManifestDocument, name: "Goal" | "Steps"): Problem {
  const near = nearHeadings(document).find(({ meant }) => meant === name);
  if (near !== undefined) {
    const { line, message, example, found } = near;
    return errorAt(line, `no-${name.toLowerCase()}`, { message, example, found });
  }
  const headings = document.headings.slice(0, 8).map((heading) => `"${heading.text}"`);
  return errorAt(1, `no-${name.toLowerCase()}`, {
    message: `the manifest has no ${name} section`,
    example: name === "Goal" ? GOAL_EXAMPLE : STEPS_EXAMPLE,
    sample: true,
    found: headings.length === 0 ? "no headings" : `headings ${headings.join(", ")}`,
  });
}

function titleProblems(tasks: readonly PlannedTask[]): Problem[] {
  const problems: Problem[] = [];
  const firstLines = new Map<string, number>();
  for (const { text, box } of tasks) {
    if (text === "") {
      problems.push(
        errorAt(box.line, "empty-task", {
          message: "this task has no text",
          example: "- [ ] Add the login form",
          sample: true,
          found: `- [${box.mark}]`,
        }),
      );
      continue;
    }
    const firstLine = firstLines.get(text);
    if (firstLine === undefined) {
      firstLines.set(text, box.line);
      continue;
    }
    problems.push(
      warningAt(box.line, "same-title", {
        message: `this task reads the same as the one on line ${firstLine}; say how they differ`,
        example: `- [ ] ${text} (second part)`,
        sample: true,
        found: `- [${box.mark}] ${text}`,
      }),
    );
  }
  return problems;
}

/** A written name is how a person and `after:` call a task; it can mean one only. */
function nameProblems({ tasks }: ManifestDocument): Problem[] {
  const firstLines = new Map<string, number>();
  return tasks.flatMap(({ title: text, box }) => {
    const { name, title } = splitName(text);
    const firstLine = name === undefined ? undefined : firstLines.get(name);
    if (name === undefined) return [];
    if (firstLine === undefined) {
      firstLines.set(name, box.line);
      return [];
    }
    return [
      errorAt(box.line, "same-name", {
        message: `two tasks are named "${name}"; the first is on line ${firstLine}`,
        example: `- [${box.mark}] ${name}-2 - ${title}`,
        found: `- [${box.mark}] ${text}`,
      }),
    ];
  });
}

function idProblems(document: ManifestDocument, tasks: readonly PlannedTask[]): Problem[] {
  const problems: Problem[] = [];
  const firstLines = new Map<string, number>();
  for (const [index, task] of tasks.entries()) {
    if (task.explicitId === undefined) continue;
    const line = document.tasks[index]?.keys.find((key) => key.key === "id")?.line ?? task.box.line;
    const firstLine = firstLines.get(task.explicitId);
    if (firstLine === undefined) {
      firstLines.set(task.explicitId, line);
      continue;
    }
    problems.push(
      errorAt(line, "same-id", {
        message: `two tasks have the id "${task.explicitId}"; the first is on line ${firstLine}`,
        example: `id: ${task.explicitId}-2`,
        found: `id: ${task.explicitId}`,
      }),
    );
  }
  return problems;
}

/** `after:` would take the one for the other; a name that nobody wrote is only derived, and `after:` seldom means it. */
function idsThatAreNames(document: ManifestDocument, tasks: readonly PlannedTask[]): Problem[] {
  const byName = new Map(tasks.map((task, index) => [task.name, index]));
  return tasks.flatMap((task, index) => {
    const id = task.explicitId;
    const named = id === undefined ? undefined : byName.get(id);
    const other = named === undefined || named === index ? undefined : tasks[named];
    if (other === undefined) return [];
    const line = document.tasks[index]?.keys.find((key) => key.key === "id")?.line ?? task.box.line;
    const at = splitName(other.text).name === id ? errorAt : warningAt;
    return at(line, "id-is-a-name", {
      message: `the id "${id}" is the name of another task, on line ${other.box.line}: after: could mean either`,
      example: `- id: ${id}-2`,
      found: `- id: ${id}`,
    });
  });
}

/** The entries of a list, or the paragraphs of plain text; boxes and bullets are dropped. */
function listEntries(text: string): string[] {
  const entries: string[] = [];
  let isOpen = false;
  for (const line of withoutComments(text).split(/\r\n|\n|\r/)) {
    const item = /^\s*(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?(.*)$/.exec(line)?.[1];
    const written = (item ?? line).trim();
    if (written === "") isOpen = false;
    else if (item !== undefined || !isOpen) {
      entries.push(written);
      isOpen = true;
    } else {
      entries.push(`${entries.pop() ?? ""} ${written}`);
    }
  }
  return entries;
}

function withoutComments(text: string): string {
  return text.replace(/<!--[^]*?(?:-->|$)/g, "");
}

function firstContentLine(content: string): string {
  return (
    content
      .split(/\r\n|\n|\r/)
      .find((line) => line.trim() !== "")
      ?.trim() ?? "nothing below the heading"
  );
}

function lineText(document: ManifestDocument, line: number): string {
  return document.text.replace("\uFEFF", "").split(/\r\n|\n|\r/)[line - 1] ?? "";
}
