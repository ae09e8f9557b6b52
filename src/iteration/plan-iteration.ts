// Where a request goes: one iteration with the default stages, or a workflow where it is more than one iteration
// may hold. Both are manifests. The same input gives the same bytes. Pure.
import { slugify, type Slug } from "../core/ids.ts";
import { isAboutDocs } from "../core/written/about-docs.ts";
import type { Limits } from "../core/written/bounds.ts";
import { isReleaseStep } from "../core/written/release-step.ts";
import { nameTasks, splitName } from "../manifest/task-names.ts";
import { isDestructive } from "./destructive.ts";
import { type Excess, excessOf, readRequest, type Request } from "./request.ts";
import type { ReviewItem } from "./review-log.ts";
import { childPath, type IterationSettings, subtaskLogPath } from "./settings.ts";
import { iterationText, type RootStep, rootWorkflowText } from "./workflow.ts";

export interface AskedFor {
  /** Absolute. */
  readonly repository: string;
  readonly settings: IterationSettings;
  readonly limits: Limits;
  /** Commands that judge every step, as a manifest writes them. */
  readonly checks: readonly string[];
  /** What the person typed; "iteration" stands for the open items of the review log. */
  readonly request: string;
  readonly items: readonly ReviewItem[];
  /** What an iteration of the review log is called where nobody named it. Absent: iteration. */
  readonly logIteration?: string;
}

export type PlannedIteration =
  | { readonly kind: "iteration"; readonly id: Slug; readonly steps: number; readonly text: string }
  | {
      readonly kind: "workflow";
      readonly id: Slug;
      readonly steps: number;
      readonly text: string;
      /** Why, in words; never empty. */
      readonly because: readonly string[];
    }
  | { readonly kind: "nothing-open" }
  /** It would be a workflow, and nobody named its task. */
  | { readonly kind: "needs-task-id"; readonly because: readonly string[] };

/** "iteration" alone, or as the beginning of a request: "iteration: fix the parser". */
const ITERATION = /^(?:run (?:an|the|one) )?iteration(?:\s*:\s*|\s*$)/iu;

/** Whether a request stands for the open items of the review log. */
export function isAboutLog(request: string): boolean {
  return request.trim() !== "" && request.trim().replace(ITERATION, "") === "";
}

export function planIteration(asked: AskedFor): PlannedIteration {
  const words = asked.request.trim().replace(ITERATION, "");
  const fromLog = words === "";
  const request = fromLog ? undefined : readRequest(words);
  const pieces = request?.deliverables.map(pieceOf) ?? asked.items.map(pieceOfItem);
  if (pieces.length === 0) return { kind: "nothing-open" };
  const goal = fromLog ? `Resolve the open items of ${asked.settings.review_log.value}.` : words;
  const because = reasonsForWorkflow(pieces, request, asked.limits);
  const named = asked.settings.task_id.value;
  if (because.length > 0 && named === null) return { kind: "needs-task-id", because };
  const id = slugify(
    named ?? (fromLog ? (asked.logIteration ?? "iteration") : words),
    "iteration" as Slug,
  );
  const steps = stepsOf(asked, pieces, because.length > 0 ? id : undefined);
  const whole = { id, repository: asked.repository, request: goal, limits: asked.limits, steps };
  return because.length > 0
    ? {
        kind: "workflow",
        id,
        steps: steps.length,
        because,
        text: rootWorkflowText({ ...whole, because }),
      }
    : { kind: "iteration", id, steps: steps.length, text: iterationText(whole) };
}

interface Piece {
  readonly title: string;
  readonly details: string;
  readonly resolves?: string;
}

function pieceOf(title: string): Piece {
  return { title, details: "" };
}

function pieceOfItem({ id, title, details }: ReviewItem): Piece {
  return { title, details, resolves: id };
}

/** Review items are bounded work each; only their number can be too much for one iteration. */
function reasonsForWorkflow(
  pieces: readonly Piece[],
  request: Request | undefined,
  limits: Limits,
): string[] {
  const planned = request?.planned ?? { steps: pieces.length, files: 0, newFiles: 0, moves: 0 };
  const excess = excessOf(planned, limits).map(excessText);
  return request !== undefined && pieces.length > 1
    ? [`the request spans ${pieces.length} distinct deliverables`, ...excess]
    : excess;
}

function excessText({ bound, planned, limit }: Excess): string {
  return `${bound}: ${planned} planned, the limit is ${limit}`;
}

function stepsOf(
  asked: AskedFor,
  pieces: readonly Piece[],
  workflow: Slug | undefined,
): RootStep[] {
  const { settings } = asked;
  const names = nameTasks(pieces.map(({ title, resolves }) => nameFor(title, resolves)));
  return pieces.map((piece, index) => {
    const name = slugify(names[index] ?? "", `step-${index + 1}` as Slug);
    const log = subtaskLogPath(settings.subtask_log.value, workflow ?? name);
    return {
      id: name,
      title: piece.title,
      inputs: [
        piece.resolves === undefined
          ? "the goal above"
          : `${settings.review_log.value}, ${piece.resolves}`,
      ],
      actions: [piece.title],
      outputs: [
        "a commit that passes the checks of this step",
        ...(workflow === undefined ? [] : [childPath(settings, workflow, name), log]),
        ...(piece.resolves === undefined
          ? []
          : [`an entry for ${piece.resolves} in the Resolution Log`]),
      ],
      status: "planned" as const,
      ...(workflow !== undefined && { child: name }),
      ...(piece.resolves !== undefined && { resolves: piece.resolves }),
      details: piece.details,
      checks: asked.checks,
      isDocs: isDocumentation(piece),
      isDestructive: isDestructive(piece.title),
    };
  });
}

/** Documents may be all that it changes. A release is asked about, whatever it is called. */
function isDocumentation({ title, resolves = "" }: Piece): boolean {
  const isAbout = isAboutDocs(title) || /^docs?-/iu.test(resolves);
  return isAbout && !isReleaseStep({ title });
}

function nameFor(title: string, item: string | undefined): ReturnType<typeof splitName> {
  return item === undefined ? { name: undefined, title } : { name: item.toLowerCase(), title };
}
