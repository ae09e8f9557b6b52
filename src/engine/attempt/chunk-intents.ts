// Into which chunks a task is split: by the actions of its step in a workflow, or, where a session showed that it
// is too large, by what is left of it. The same task in the same manifest gives the same chunks. Pure.
import { describeCheck } from "../../checks/check-text.ts";
import { isDocs } from "../../core/files.ts";
import { isNonEmpty, type NonEmpty, numberedTaskId } from "../../core/ids.ts";
import type { Check, Task, TaskIntent } from "../../core/schema/task.ts";
import { isReleaseStep } from "../../core/written/release-step.ts";
import { oneLine } from "../../core/words/plain-line.ts";
import { namedIn } from "../../iteration/request.ts";
import { splitAtVerbs } from "../../manifest/lint/split-title.ts";
import type { PlannedTask } from "../../manifest/plan.ts";

/** What of a task stands in the manifest; a chunk that is split once more has none of it. */
export type Written = Pick<PlannedTask, "substeps"> | undefined;

interface Piece {
  readonly title: string;
  readonly details?: string;
  readonly checks?: readonly Check[];
}

/** A step of a workflow: one chunk for each of its actions. */
export function chunksOfStep(task: Task, written: Written, next: number): NonEmpty<TaskIntent> {
  const says = (part: string): string[] => partOf(written, part);
  const actions = says("actions");
  const titles = actions.length === 0 ? [task.title] : actions;
  return intents(
    task,
    titles.map((title) => ({
      title,
      details: [
        ...says("inputs").map((input) => `- inputs: ${input}`),
        `- actions: ${title}`,
        ...says("outputs").map((output) => `- outputs: ${output}`),
      ].join("\n"),
    })),
    next,
  );
}

/** What is left of a task that is more than one session can do; `failing` are its checks that fail. */
export function chunksOfRest(
  task: Task,
  written: Written,
  failing: readonly Check[],
  next: number,
): NonEmpty<TaskIntent> {
  const steps = directSteps(written);
  if (steps.length > 1) return intents(task, steps.map(titled), next);
  const verbs = splitAtVerbs(task.title);
  if (verbs.length > 1) return intents(task, verbs.map(titled), next);
  const open = failing.filter(canBeOfChunk);
  const own = (check: Check): Piece => ({
    title: `${task.title}: make ${oneLine(describeCheck(check))} pass`,
    checks: [check],
  });
  const rest: Piece = { title: `Finish: ${task.title}`, checks: open };
  return intents(task, open.length > 1 ? open.map(own) : [rest], next);
}

/** Nothing smaller can be told from its words or its checks. */
export function isOnePiece(task: Pick<Task, "title" | "checks">, written: Written): boolean {
  return (
    directSteps(written).length < 2 &&
    splitAtVerbs(task.title).length < 2 &&
    (task.checks ?? []).filter(canBeOfChunk).length < 2
  );
}

/** Lines that say what kind of step it is, and how far, are no work. */
const NO_WORK = /^(?:inputs|outputs|status):/iu;
const ACTION = /^actions:\s*/iu;

export function directSteps(written: Written): string[] {
  return (written?.substeps ?? [])
    .filter(({ depth, text }) => depth === 1 && !NO_WORK.test(text))
    .map(({ text }) => oneLine(text.replace(ACTION, "")))
    .filter((text) => text !== "");
}

function partOf(written: Written, part: string): string[] {
  const pattern = new RegExp(`^${part}:\\s*(?=\\S)`, "iu");
  return (written?.substeps ?? [])
    .filter(({ text }) => pattern.test(text))
    .map(({ text }) => oneLine(text.replace(pattern, "")));
}

function titled(title: string): Piece {
  return { title };
}

/** Where no piece has checks of its own, the last one has those of the task: they look at the whole. */
function intents(task: Task, pieces: readonly Piece[], next: number): NonEmpty<TaskIntent> {
  const { docs_only, limit, agent, dir, timeout_ms } = task;
  const inherited = {
    ...(docs_only !== undefined && { docs_only }),
    ...(limit !== undefined && { limit }),
    ...(agent !== undefined && { agent }),
    ...(dir !== undefined && { dir }),
    ...(timeout_ms !== undefined && { timeout_ms }),
  };
  const all = pieces.map(({ title, details, checks }, index): TaskIntent => {
    const isLast = index === pieces.length - 1;
    const own = (checks ?? (isLast ? task.checks : undefined) ?? []).filter(canBeOfChunk);
    return {
      id: numberedTaskId(next + index),
      name: `${task.name}-${index + 1}`,
      title,
      ...(details !== undefined && { details }),
      ...(own.length > 0 && { checks: own }),
      ...inherited,
      ...(isDocumentation(title) && { docs_only: true as const }),
    };
  });
  if (!isNonEmpty(all)) throw new Error(`${task.id} was split into nothing`);
  return all;
}

/** A part of any task may be to document it: one that names files, and documents alone. */
function isDocumentation(title: string): boolean {
  const { files } = namedIn(title);
  // A release is asked about, whatever it names.
  return files.length > 0 && files.every(isDocs) && !isReleaseStep({ title });
}

/** Whether a file changed at all, and what a person thinks of the output, is asked of the whole task alone. */
function canBeOfChunk(check: Check): boolean {
  return check.kind !== "review" && !(check.kind === "file" && check.expect.is === "changed");
}
