// What the "done" of a task rests on, in plain words: checks that Stint ran, the exit code of an act, a person's word.
import type { Task } from "../schema/task.ts";
import { withoutChunks } from "../step/chunks.ts";

export const STANDINGS = [
  "checked",
  "weak",
  "by-exit-code",
  "approved",
  "by-agent",
  "marked",
  "skipped",
  "open",
] as const;

/**
 * `checked`: by checks that Stint ran. `weak`: with a label that says what is missing. `by-exit-code`: an act of the
 * manifest that has no check. `approved`: a person said yes to exactly this output, and no check says more. `by-agent`: so
 * did a second agent. `marked`: a person says so, and Stint verified nothing. `skipped`: a person left it out.
 */
export type Standing = (typeof STANDINGS)[number];

export function standingOf(task: Task): Standing {
  if (task.status === "skipped") return "skipped";
  if (task.status !== "done") return "open";
  if (isMarked(task)) return "marked";
  const { checks = [], labels = [] } = task;
  const isAct = task.run !== undefined || task.webhook !== undefined;
  if (isAct && checks.length === 0) return "by-exit-code";
  if (labels.length > 0) return "weak";
  const hasRun = checks.some(({ kind }) => kind !== "review" && kind !== "agent-review");
  // Its parts say what they rest on.
  const hasParts = task.evidence.some(({ kind }) => kind === "chunks");
  if (hasRun || hasParts || checks.length === 0) return "checked";
  return checks.some(({ kind }) => kind === "review") ? "approved" : "by-agent";
}

/** Nothing but a person's word says that it is done. */
export function isMarked(task: Task): boolean {
  return task.status === "done" && task.evidence.every(({ kind }) => kind === "person");
}

export const NOT_VERIFIED = "not verified by Stint";

/** Of a task whose box a person checked. */
export const MARKED_BY_YOU = `marked by you, ${NOT_VERIFIED}`;

/** What is left where nothing is left to do: every task done, or which was left out and why. */
export function doneWords(tasks: readonly Task[]): string {
  const skipped = withoutChunks(tasks).flatMap((task) =>
    task.status === "skipped" ? [`${task.id} (${task.reason})`] : [],
  );
  return skipped.length === 0
    ? "every task is done"
    : `every task is done except skipped ones: ${skipped.join(", ")}`;
}
