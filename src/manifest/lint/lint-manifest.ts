// Everything there is to say about a manifest, in one reading and in the order of its lines: what makes it
// unreadable, and advice on what makes it go well. A rule looks and says; it changes nothing.
import { hasCredentials, shownAddress } from "../../core/written/address.ts";
import { DEFAULT_LIMITS, type Limits } from "../../core/written/bounds.ts";
import { changesOnlyDocs } from "../../core/written/about-docs.ts";
import { filesNamed } from "../../core/written/files-named.ts";
import type { ReadText } from "../../core/written/scripts-called.ts";
import { type ManifestDocument, readKey, type StrayBox } from "../manifest-document.ts";
import { asWritten } from "../as-written.ts";
import { fewOf } from "../../core/words/amounts.ts";
import { nearHeadings } from "../near-misses/headings.ts";
import { unreadFrontMatter } from "../unread-front-matter.ts";
import { normaliseManifest, type NormalisedManifest } from "../normalise-manifest.ts";
import { parseManifest } from "../parse-manifest.ts";
import { isRelease, type Plan, type PlannedTask } from "../plan.ts";
import { byLine, errorAt, isError, warningAt, type Problem } from "../problem.ts";
import { STEP_PARTS, STEP_STATUSES } from "../workflow-step.ts";
import { lineOfKey } from "../key-lines.ts";
import { literalPaths } from "./literal-paths.ts";
import { secretProblems } from "./secrets-in-manifest.ts";
import { templateText } from "./template-text.ts";
import { unreadText } from "./unread-text.ts";
import { areasOf, boundaryBetween, splitAtVerb, splitAtVerbs } from "./split-title.ts";

/** Reads a manifest: what it means, and every problem in the order of its lines. */
export function lintManifest(
  text: string,
  limits: Limits = DEFAULT_LIMITS,
  read?: ReadText,
): NormalisedManifest {
  const document = parseManifest(text);
  const { plan, problems } = normaliseManifest(document);
  const unread = tasksWithUnreadKeys(document, problems);
  const found = [
    ...plan.tasks.flatMap((task) => TASK_RULES.flatMap((rule) => rule(task, limits) ?? [])),
    // Of a task whose check or run cannot be read that is said, and nothing more.
    ...plan.tasks.flatMap((task) =>
      task.box.checked || unread.has(task.box.line) ? [] : (noCheck(task) ?? []),
    ),
    ...plan.tasks.flatMap((task) => agentReviewOfRelease(task, read) ?? []),
    ...plan.tasks.flatMap((task, index) => passwordInCheck(task, index, document)),
    ...oneTask(plan),
    ...incompleteSteps(plan),
    ...nestedBoxes(document),
    ...strayBoxes(document),
    ...unreadSections(document),
    ...literalPaths(document),
    ...secretProblems(document),
    ...templateText(plan, document),
  ];
  found.push(...unreadText(document, [...problems, ...found]));
  return { plan, problems: [...problems, ...asWritten(found, document)].toSorted(byLine) };
}

/** Rules that name a check or a command of a task which is not read. */
const UNREAD = new Set(["prose-command", "near-miss-key", "key-in-title", "key-without-task"]);

function tasksWithUnreadKeys(
  { tasks }: ManifestDocument,
  problems: readonly Problem[],
): ReadonlySet<number> {
  const errors = new Set(problems.filter(isError).map(({ line }) => line));
  const isErroneous = ({ keys }: ManifestDocument["tasks"][number]): boolean =>
    keys.some(({ key, line }) => (key === "check" || key === "run") && errors.has(line));
  const unread = new Set(tasks.filter(isErroneous).map(({ box }) => box.line));
  // Both are in the order of their lines: a problem belongs to the last task above it.
  let index = 0;
  for (const { rule, example, line } of problems) {
    if (!UNREAD.has(rule) || !/\b(?:check|run):/.test(example)) continue;
    while ((tasks[index + 1]?.line ?? Number.POSITIVE_INFINITY) <= line) index++;
    const task = tasks[index];
    if (task !== undefined && task.line <= line) unread.add(task.box.line);
  }
  return unread;
}

type TaskRule = (task: PlannedTask, limits: Limits) => Problem | readonly Problem[] | undefined;

/** What is done is not advised on. */
function whileOpen(rule: TaskRule): TaskRule {
  return (task, limits) => (task.box.checked ? undefined : rule(task, limits));
}

const TASK_RULES: readonly TaskRule[] = [
  whileOpen(moreThanOneVerb),
  whileOpen(mixedBoundaries),
  whileOpen(manyFiles),
  whileOpen(manySubsteps),
  whileOpen(struckOut),
];

/** S3 splits a task that has more than one verb, and one that crosses a boundary. */
function moreThanOneVerb({ title, text, box, name }: PlannedTask): Problem | undefined {
  const parts = splitAtVerb(title);
  if (parts === undefined) return undefined;
  const boundary = boundaryBetween(...parts);
  const crossing = boundary === undefined ? "" : ` (it crosses ${boundary})`;
  return warningAt(box.line, "more-than-one-verb", {
    message: `this task has more than one verb; one task, one objective: split it${crossing}; in a project: stint edit --split ${name}`,
    example: parts.map((part) => `- [ ] ${part}`).join("\n"),
    sample: true,
    found: `- [ ] ${text}`,
  });
}

function mixedBoundaries({ title, text, box }: PlannedTask): Problem | undefined {
  // A title with two verbs is already advised to split, at the same place.
  const areas = splitAtVerb(title) === undefined ? areasOf(title) : [];
  if (areas.length < 2) return undefined;
  return warningAt(box.line, "mixed-boundaries", {
    message: `this task crosses from ${areas.join(" to ")}; split it where the boundary changes`,
    example: areas.map((area) => `- [ ] ${title} (${area})`).join("\n"),
    sample: true,
    found: `- [ ] ${text}`,
  });
}

const STEP_STATUS = new RegExp(`^status:\\s*(?:${STEP_STATUSES.join("|")})$`, "iu");

/** A step of a workflow is bounded by what it takes and what it gives. */
function incompleteSteps({ tasks, settings }: Plan): Problem[] {
  if (settings["workflow"] === undefined) return [];
  return tasks.flatMap(({ box, text, substeps }) => {
    const says = (part: string) =>
      substeps.some((each) => new RegExp(`^${part}:\\s*\\S`, "iu").test(each.text));
    const missing = STEP_PARTS.filter((part) => !says(part));
    const isKnown = substeps.some((each) => STEP_STATUS.test(each.text));
    const wrong = missing.length > 0 ? missing : isKnown ? [] : ["status"];
    if (wrong.length === 0) return [];
    return errorAt(box.line, "workflow-step", {
      message: `a step of a workflow needs inputs, actions, outputs and status; here ${wrong.join(" and ")} ${wrong.length === 1 ? "is" : "are"} missing or not understood`,
      example: `- [ ] ${text}\n  - inputs: src/config.ts\n  - actions: ${text}\n  - outputs: a commit that passes its checks\n  - status: planned`,
      found: `- [ ] ${text}`,
    });
  });
}

/** A task is only as verified as its checks, and documents are no work unless they are the task. */
function noCheck(task: PlannedTask): Problem | undefined {
  const { box, text, title, checks, run, webhook, approve, docsOnly } = task;
  const isJudgedOtherwise = run !== undefined || webhook !== undefined || approve === "after";
  // Of documents no program can say that they are good.
  if (checks.length > 0 || isJudgedOtherwise || docsOnly) return undefined;
  // A key with a box is told of as such, and so is a box without a text.
  if (text === "" || readKey(text) !== undefined) return undefined;
  if (isForDocsOnly(title)) {
    return warningAt(box.line, "docs-only", {
      message:
        "this task has no check and seems to change documents only; without docs-only that does not count as work, and the task would be blocked",
      example: `- [ ] ${text}\n  - docs-only`,
      found: `- [ ] ${text}`,
    });
  }
  return warningAt(box.line, "no-check", {
    message: "this task has no check, so it can only be weakly verified: any change would count",
    example: `- [ ] ${text}\n  - check: \`npm test\``,
    sample: true,
    found: `- [ ] ${text}`,
  });
}

function isForDocsOnly(title: string): boolean {
  const isElsewhere = areasOf(title).some((area) => area !== "docs");
  return !isElsewhere && splitAtVerbs(title).every(changesOnlyDocs);
}

function agentReviewOfRelease(task: PlannedTask, read?: ReadText): Problem | undefined {
  const { box, text, checks } = task;
  const areAllAgents = checks.length > 0 && checks.every((check) => check.kind === "agent-review");
  if (!isRelease(task, read) || task.approve !== undefined || !areAllAgents) return undefined;
  return errorAt(box.line, "agent-review-of-release", {
    message:
      "an agent's review is never the only check of a release; add one that a person or a program makes",
    example: `- [ ] ${text}\n  - check: review`,
    found: `- [${box.mark}] ${text}, checked by agents only`,
  });
}

/** Everybody who reads the manifest, or the state that repeats it, reads the password. */
function passwordInCheck(
  { checks, returns }: PlannedTask,
  index: number,
  document: ManifestDocument,
): Problem[] {
  const ofChecks = checks.flatMap((check) =>
    check.kind === "http" || check.kind === "browser" ? [["check", check.url] as const] : [],
  );
  const ofReturn = returns?.kind === "url" ? [["returns", returns.url] as const] : [];
  return [...ofChecks, ...ofReturn].flatMap(([key, url]) => {
    if (!hasCredentials(url)) return [];
    const what = key === "check" ? "this check" : "this return condition";
    return warningAt(lineOfKey(document, index, key, url), "password-in-check", {
      message: `${what} has a password in its address, and whoever reads the manifest can read it; name a variable of the environment instead`,
      example: `- ${key}: GET https://ada:$API_PASSWORD@example.com/health 200`,
      sample: true,
      found: `${key}: … ${shownAddress(url)}`,
    });
  });
}

function manyFiles(task: PlannedTask, limits: Limits): Problem | undefined {
  // A dot is the cheapest sign that there is anything to look for.
  if (!task.source.includes(".")) return undefined;
  const texts = [task.text, ...task.substeps.map((substep) => substep.text)];
  const files = new Set(texts.flatMap(filesNamed));
  const limit = task.limit?.files_per_task ?? limits.files_per_task;
  if (files.size <= limit) return undefined;
  return warningAt(task.box.line, "many-files", {
    message: `this task names ${files.size} files, and the limit is ${limit} per task; split it or raise its limit`,
    example: `- limit: files ${files.size}`,
    found: [...files].join(", "),
  });
}

/** Strike-out is for people; only a checked box says that nothing is to be done. */
function struckOut({ title, text, box }: PlannedTask): Problem | undefined {
  if (!/^~~.+~~$/s.test(title)) return undefined;
  return warningAt(box.line, "struck-out", {
    message:
      "this task is struck out, and Stint works on it all the same; delete it or check its box",
    example: `- [x] ${text}`,
    found: `- [ ] ${text}`,
  });
}

const MAX_SUBSTEPS = 12;
const TWO_PARTS = "- [ ] The first part\n- [ ] The second part";

function manySubsteps({ box, text, substeps }: PlannedTask): Problem | undefined {
  if (substeps.length <= MAX_SUBSTEPS) return undefined;
  return warningAt(box.line, "many-substeps", {
    message: `this task has ${substeps.length} sub-steps; more than ${MAX_SUBSTEPS} seldom fit one session: split it`,
    example: TWO_PARTS,
    sample: true,
    found: `- [ ] ${text}`,
  });
}

function oneTask({ tasks, settings }: Plan): Problem[] {
  const [only, ...others] = tasks;
  // Stint wrote it, for whoever wants the contract of an iteration.
  if (settings["iteration"] !== undefined) return [];
  if (only === undefined || others.length > 0) return [];
  return [
    warningAt(only.box.line, "one-task", {
      message:
        "a manifest with one task gains nothing from Stint; ask an agent directly, or split the task",
      example: TWO_PARTS,
      sample: true,
      found: `- [${only.box.mark}] ${only.text}`,
    }),
  ];
}

function nestedBoxes({ tasks }: ManifestDocument): Problem[] {
  return tasks
    .filter(({ parent }) => parent !== undefined)
    .map(({ line, title, box }) =>
      warningAt(line, "nested-box", {
        message: "a nested box is a separate task, after the one above it; a sub-step has no box",
        example: `- ${title}`,
        found: `- [${box.mark}] ${title}`,
      }),
    );
}

/** The title of a manifest, and what introduces it, are for people. */
function unreadSections(document: ManifestDocument): Problem[] {
  const { headings, sections, text } = document;
  if (sections.length === 0) return [];
  const lines = text.split(/\r\n|\n|\r/);
  const told = [...nearHeadings(document), ...unreadFrontMatter(document)];
  const isTold = (line: number): boolean =>
    told.some((each) => line >= each.line && line <= each.line + each.found.split("\n").length);
  const unread = headings.filter(({ line, level, section }, index) => {
    const isTitle = index === 0 && level === 1;
    if (section !== undefined || isTitle || isTold(line)) return false;
    const below = lines.slice(line, (headings[index + 1]?.line ?? lines.length + 1) - 1);
    return below.some((each) => /[\p{L}\p{N}]/u.test(each));
  });
  const [first] = unread;
  if (first === undefined) return [];
  const names = fewOf(unread.map(({ text: name }) => `"${name}"`));
  const notes = sections.find(({ name }) => name === "Notes");
  const place = notes === undefined ? "Notes" : `Notes (line ${notes.line})`;
  return [
    warningAt(first.line, "unread-section", {
      message: `sessions are not told what is below ${names}: they get ${TOLD}; what they should know goes below ${place}`,
      example: `## Notes\n\n### ${first.text}`,
      sample: true,
      found: lines[first.line - 1] ?? first.text,
    }),
  ];
}

const TOLD = "Goal, Success criteria, References, Tools, Notes and their task";

const STRAY: Record<StrayBox["where"], string> = {
  "outside-steps": "this box is outside Steps, so it is not a task",
  "block-quote": "this box is in a quote, so it is not a task",
  "indented-code": "this box is indented so far that it is code, so it is not a task",
  html: "this box is in a block of HTML, so it is not a task; put an empty line above it",
  table: "this box is in a table, so it is not a task; make it an item of a list",
  heading:
    "this box is in a heading, so it is not a task; a line of - or = right below it makes one of it",
};

/**
 * Success criteria are often written as a checklist; nobody takes those for tasks. Where there is no Steps section at
 * all, that is the error, and its boxes follow from it.
 */
function strayBoxes(document: ManifestDocument): Problem[] {
  const steps = document.sections.find(({ name }) => name === "Steps");
  if (steps === undefined) return [];
  return document.strayBoxes
    .filter(({ where, section }) => where !== "outside-steps" || section !== "Success criteria")
    .map(({ line, text, where }) => {
      const isElsewhere = where === "outside-steps";
      return warningAt(line, "stray-box", {
        message: isElsewhere
          ? `${STRAY[where]}; move it below Steps (line ${steps.line})`
          : STRAY[where],
        example: `${where === "html" ? "\n" : ""}- ${itemIn(text)}${where === "heading" ? "\n" : ""}`,
        found: text,
      });
    });
}

/** Without its bullet, and of a row of a table the text alone. */
function itemIn(text: string): string {
  const cells =
    /^\|(.*)$/
      .exec(text)?.[1]
      ?.split("|")
      .map((cell) => cell.trim()) ?? [];
  if (cells.length === 0) return text.replace(/^(?:[-*+]|\d+[.)])\s+/, "");
  const box = cells.find((cell) => /^\[[ xX]\]/.test(cell)) ?? "[ ]";
  const others = cells.filter((cell) => cell !== "" && cell !== box);
  return `${box} ${others.join(" ")}`.trim();
}
