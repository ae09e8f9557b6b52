// A workflow as text: a manifest that Stint writes, with explicit inputs, actions, outputs and a status for each
// step. The same input gives the same bytes. Pure.
import type { Slug } from "../core/ids.ts";
import { oneLine } from "../core/words/plain-line.ts";
import type { Limits } from "../core/written/bounds.ts";
import type { StepStatus, WorkflowStep } from "../manifest/workflow-step.ts";

export interface RootWorkflow {
  /** `iteration.task_id`: the name of its folder. */
  readonly id: Slug;
  /** Absolute. */
  readonly repository: string;
  readonly request: string;
  readonly limits: Limits;
  /** Why this is a workflow and not one iteration, in words. */
  readonly because: readonly string[];
  readonly steps: readonly RootStep[];
}

export interface RootStep extends WorkflowStep {
  /** The name of its child workflow's folder. */
  readonly child?: Slug;
  /** The item of the review log that it resolves. */
  readonly resolves?: string;
  /** What the reviewer wrote below the item, as written. */
  readonly details: string;
  readonly checks: readonly string[];
  /** Only documents are to change. */
  readonly isDocs: boolean;
  /** Its words would take something away: a person says yes to it before it starts. */
  readonly isDestructive: boolean;
}

/** One iteration: what may be done at once. */
export function iterationText(
  iteration: Pick<RootWorkflow, "id" | "repository" | "request" | "limits" | "steps">,
): string {
  const { id, repository, request, limits, steps } = iteration;
  return manifestText({
    settings: [`iteration: ${id}`, `repository: ${JSON.stringify(repository)}`],
    title: `Iteration ${id}`,
    facts: [boundsText(limits)],
    goal: request,
    steps: steps.flatMap(rootStepLines),
  });
}

export function rootWorkflowText(workflow: RootWorkflow): string {
  const { id, repository, request, limits, because, steps } = workflow;
  return manifestText({
    settings: [`workflow: ${id}`, `repository: ${JSON.stringify(repository)}`, "plan: review"],
    title: `Workflow ${id}`,
    facts: [...because, boundsText(limits)],
    goal: request,
    steps: steps.flatMap(rootStepLines),
  });
}

function rootStepLines(step: RootStep): string[] {
  return [
    `- [ ] ${step.id} - ${oneLine(step.title)}`,
    ...(step.child === undefined ? [] : [`  - child: ${step.child}`]),
    ...(step.resolves === undefined ? [] : [`  - resolves: ${step.resolves}`]),
    ...stepLines(step),
    ...detailLines(step.details),
    ...step.checks.map((check) => `  - check: ${check}`),
    ...(step.isDocs ? ["  - docs-only"] : []),
    ...(step.isDestructive ? ["  - approve: before"] : []),
  ];
}

export interface ChildWorkflow {
  readonly id: Slug;
  /** The path of the workflow that it belongs to, and the task there that it completes. */
  readonly parent: { readonly path: string; readonly task: string; readonly title: string };
  readonly repository: string;
  readonly limits: Limits;
  readonly because: string;
  readonly steps: readonly WorkflowStep[];
}

/** What a child is like now; nobody edits it, so it is written anew whenever a step of it changes. */
export function childWorkflowText(workflow: ChildWorkflow): string {
  const { id, parent, repository, limits, because, steps } = workflow;
  return manifestText({
    settings: [
      `workflow: ${id}`,
      `repository: ${JSON.stringify(repository)}`,
      `parent: ${JSON.stringify(parent.path)}`,
    ],
    title: `Child workflow ${id}`,
    facts: [`Completes ${parent.task} of ${parent.path}`, because, boundsText(limits)],
    goal: parent.title,
    steps: steps.flatMap((step) => [
      `- [${step.status === "done" ? "x" : " "}] ${step.id} - ${oneLine(step.title)}`,
      ...stepLines(step),
    ]),
  });
}

/** What every generated manifest has, in its order; each list holds lines. */
interface Parts {
  readonly settings: readonly string[];
  readonly title: string;
  readonly facts: readonly string[];
  readonly goal: string;
  readonly steps: readonly string[];
}

function manifestText({ settings, title, facts, goal, steps }: Parts): string {
  return [
    "---",
    ...settings,
    "---",
    "",
    `# ${title}`,
    "",
    ...facts.map((fact) => `- ${fact}`),
    "",
    "## Goal",
    "",
    ...quotedHeadings(goal),
    "",
    "## Steps",
    "",
    ...steps,
    "",
  ].join("\n");
}

/** As text of the step, so that nothing in it is taken for a key or a task of the manifest. */
function detailLines(details: string): string[] {
  if (details === "") return [];
  return [
    "",
    ...details.split("\n").map((line) => (line.trim() === "" ? "  >" : `  > ${line}`)),
    "",
  ];
}

function stepLines({ inputs, actions, outputs, status }: WorkflowStep): string[] {
  return [
    ...inputs.map((input) => `  - inputs: ${oneLine(input)}`),
    ...actions.map((action) => `  - actions: ${oneLine(action)}`),
    ...outputs.map((output) => `  - outputs: ${oneLine(output)}`),
    `  - status: ${status}`,
  ];
}

function boundsText(limits: Limits): string {
  return `Bounds: ${limits.tasks_per_session} steps an iteration, ${limits.files_per_task} files a step, ${limits.new_files_per_session} new files an iteration, ${limits.moves_per_task} moves a step; anything beyond becomes a child workflow`;
}

/** A heading in a request would begin another section of the manifest. */
function quotedHeadings(text: string): string[] {
  return text
    .split("\n")
    .map((line) => (/^ {0,3}(?:#|-{3,}|={3,}|[-*+] \[)/u.test(line) ? `> ${line}` : line));
}

/** S2's word for the status of a task. */
export function stepStatus(status: string): StepStatus {
  switch (status) {
    case "done":
    case "skipped":
    case "superseded":
      return "done";
    case "pending":
      return "planned";
    case "blocked":
      return "blocked";
    default:
      return "in_progress";
  }
}
