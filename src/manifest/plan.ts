// What a manifest means: the person's intent, checked and typed, before any task has its id.
import type { TaskId } from "../core/ids.ts";
import { isReleaseStep } from "../core/written/release-step.ts";
import type { ReadText } from "../core/written/scripts-called.ts";
import type { Check, TaskIntent } from "../core/schema/task.ts";
import type { Box, ManifestItem } from "./manifest-document.ts";

/** What a manifest asks for: goal, criteria, tasks and settings. */
export interface Plan {
  readonly goal: string;
  readonly successCriteria: readonly string[];
  readonly references: string;
  readonly tools: string;
  readonly notes: string;
  readonly tasks: readonly PlannedTask[];
  /** The front matter's known keys. */
  readonly settings: Readonly<Record<string, unknown>>;
}

/** What the keys of a task say, as far as it needs no other task. */
export interface KeyValues extends Pick<
  TaskIntent,
  | "approve"
  | "run"
  | "webhook"
  | "agent"
  | "delegate"
  | "returns"
  | "exclusive"
  | "ignored"
  | "strict"
  | "limit"
  | "dir"
  | "in"
  | "protect"
  | "child"
  | "resolves"
> {
  readonly checks: Check[];
  explicitId?: TaskId;
  timeoutMs?: number;
  lookMs?: number;
  deadlineMs?: number;
  docsOnly: boolean;
}

/** One task of a manifest: its title, checks, gates and whatever else its keys say. */
export interface PlannedTask extends Readonly<KeyValues> {
  readonly name: string;
  readonly title: string;
  /** The whole text after the box, a written name included. */
  readonly text: string;
  readonly box: Box;
  /** Positions in `Plan.tasks`. Absent: after every task above. Empty: independent. */
  readonly after?: readonly number[];
  readonly substeps: readonly ManifestItem[];
  /** The task's own lines as written, for the brief. */
  readonly source: string;
  /** What of them stands below its title. */
  readonly details: string;
}

/** Whether work beyond the limits waits for a person. */
export function areLimitsStrict({ settings }: Pick<Plan, "settings">): boolean {
  return settings["limits"] === "strict";
}

/** Where a copy of the project's state page lies; undefined: nowhere. */
export function statePageOf({ settings }: Pick<Plan, "settings">): string | undefined {
  const page = settings["statePage"];
  return typeof page === "string" ? page : undefined;
}

/** The intents that state holds, once every planned task has its id. */
export function toIntents(tasks: readonly PlannedTask[], ids: readonly TaskId[]): TaskIntent[] {
  return tasks.map((task, index) => toIntent(task, idAt(ids, index), ids));
}

function toIntent(task: PlannedTask, id: TaskId, ids: readonly TaskId[]): TaskIntent {
  return {
    id,
    name: task.name,
    title: task.title,
    ...(task.after !== undefined && { after: task.after.map((index) => idAt(ids, index)) }),
    ...(task.checks.length > 0 && { checks: [...task.checks] }),
    ...(task.approve !== undefined && { approve: task.approve }),
    ...(task.run !== undefined && { run: task.run }),
    ...(task.webhook !== undefined && { webhook: task.webhook }),
    ...(task.agent !== undefined && { agent: task.agent }),
    ...(task.timeoutMs !== undefined && { timeout_ms: task.timeoutMs }),
    ...(task.delegate !== undefined && { delegate: task.delegate }),
    ...(task.returns !== undefined && { returns: task.returns }),
    ...(task.lookMs !== undefined && { look_ms: task.lookMs }),
    ...(task.deadlineMs !== undefined && { deadline_ms: task.deadlineMs }),
    ...(task.exclusive !== undefined && { exclusive: task.exclusive }),
    ...(task.docsOnly && { docs_only: true as const }),
    ...(task.ignored !== undefined && { ignored: task.ignored }),
    ...(task.strict !== undefined && { strict: task.strict }),
    ...(task.limit !== undefined && { limit: task.limit }),
    ...(task.dir !== undefined && { dir: task.dir }),
    ...(task.in !== undefined && { in: task.in }),
    ...(task.protect !== undefined && { protect: task.protect }),
    ...(task.child !== undefined && { child: task.child }),
    ...(task.resolves !== undefined && { resolves: task.resolves }),
    ...(asksBeforeItStarts(task) && task.details !== "" && { details: task.details }),
  };
}

/** Whoever is asked is shown all of it; of the other tasks the manifest alone holds the text. */
function asksBeforeItStarts(task: PlannedTask): boolean {
  return task.approve === "before" || isRelease(task);
}

export function isRelease({ docsOnly, ...task }: PlannedTask, read?: ReadText): boolean {
  return isReleaseStep({ ...task, docs_only: docsOnly || undefined }, read);
}

function idAt(ids: readonly TaskId[], index: number): TaskId {
  const id = ids[index];
  if (id === undefined) throw new Error(`task ${index} has no id`);
  return id;
}
