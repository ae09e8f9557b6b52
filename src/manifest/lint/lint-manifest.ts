// Everything there is to say about a manifest, in one reading and in the order of its lines: what makes it
// unreadable, and advice on what makes it go well. A rule looks and says; it changes nothing.
import { hasCredentials, shownAddress } from "../../core/written/address.ts";
import { DEFAULT_LIMITS, type Limits } from "../../core/written/bounds.ts";
import { changesOnlyDocs } from "../../core/written/about-docs.ts";
import { filesNamed } from "../../core/written/files-named.ts";
import type { ReadText } from "../../core/written/scripts-called.ts";
import type { ManifestDocument, StrayBox } from "../manifest-document.ts";
import { normaliseManifest, type NormalisedManifest } from "../normalise-manifest.ts";
import { parseManifest } from "../parse-manifest.ts";
import { isRelease, type Plan, type PlannedTask } from "../plan.ts";
import { byLine, errorAt, isError, warningAt, type Problem } from "../problem.ts";
import { STEP_PARTS, STEP_STATUSES } from "../workflow-step.ts";
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
    ...oneTask(plan),
    ...incompleteSteps(plan),
    ...nestedBoxes(document),
    ...strayBoxes(document),
  ];
  return { plan, problems: [...problems, ...found].toSorted(byLine) };
}

function tasksWithUnreadKeys(
  { tasks }: ManifestDocument,
  problems: readonly Problem[],
): ReadonlySet<number> {
  const lines = new Set(problems.filter(isError).map(({ line }) => line));
  const isUnread = ({ keys }: ManifestDocument["tasks"][number]): boolean =>
    keys.some(({ key, line }) => (key === "check" || key === "run") && lines.has(line));
  return new Set(tasks.filter(isUnread).map(({ box }) => box.line));
}

type TaskRule = (task: PlannedTask, limits: Limits) => Problem | readonly Problem[] | undefined;

/** What is done is not advised on. */
function whileOpen(rule: TaskRule): TaskRule {
  return (task, limits) => (task.box.checked ? undefined : rule(task, limits));
}

const TASK_RULES: readonly TaskRule[] = [
  whileOpen(moreThanOneVerb),
  whileOpen(mixedBoundaries),
  passwordInCheck,
  whileOpen(manyFiles),
  whileOpen(manySubsteps),
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
  if (checks.length > 0 || isJudgedOtherwise) return undefined;
  if (!docsOnly && isForDocsOnly(title)) {
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
function passwordInCheck({ box, checks, returns }: PlannedTask): Problem[] {
  const ofChecks = checks.flatMap((check) =>
    check.kind === "http" || check.kind === "browser" ? [["check", check.url] as const] : [],
  );
  const ofReturn = returns?.kind === "url" ? [["returns", returns.url] as const] : [];
  return [...ofChecks, ...ofReturn].flatMap(([key, url]) => {
    if (!hasCredentials(url)) return [];
    const what = key === "check" ? "this check" : "this return condition";
    return warningAt(box.line, "password-in-check", {
      message: `${what} has a password in its address, and whoever reads the manifest can read it; name a variable of the environment instead`,
      example: `${key}: GET https://ada:$API_PASSWORD@example.com/health 200`,
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

const MAX_SUBSTEPS = 12;
const TWO_PARTS = "- [ ] The first part\n- [ ] The second part";

function manySubsteps({ box, text, substeps }: PlannedTask): Problem | undefined {
  if (substeps.length <= MAX_SUBSTEPS) return undefined;
  return warningAt(box.line, "many-substeps", {
    message: `this task has ${substeps.length} sub-steps; more than ${MAX_SUBSTEPS} seldom fit one session: split it`,
    example: TWO_PARTS,
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

const STRAY: Record<StrayBox["where"], string> = {
  "outside-steps": "this box is outside Steps, so it is not a task",
  "block-quote": "this box is in a quote, so it is not a task",
  "indented-code": "this box is indented so far that it is code, so it is not a task",
};

/** Success criteria are often written as a checklist; nobody takes those for tasks. */
function strayBoxes(document: ManifestDocument): Problem[] {
  return document.strayBoxes
    .filter(({ where, section }) => where !== "outside-steps" || section !== "Success criteria")
    .map(({ line, text, where }) =>
      warningAt(line, "stray-box", {
        message: STRAY[where],
        example: `## Steps\n\n- ${text.replace(/^(?:[-*+]|\d+[.)])\s+/, "")}`,
        found: text,
      }),
    );
}
