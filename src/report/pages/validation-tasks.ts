// The part of validation.md about tasks: a row for each of them, as it stands, with what is to be known of how it was
// verified. The checks that were run stand below it, one by one.
import type { Label, Task } from "../../core/schema/task.ts";
import { LABEL_WORDS } from "../../core/words/labels.ts";
import { tableCell } from "../../core/words/plain-line.ts";
import { NOT_VERIFIED, type Standing, standingOf } from "../../core/words/task-standing.ts";

const HEADER = `## Tasks

| task | what | status | labels |
|---|---|---|---|
`;

export function tasksSection(tasks: readonly Task[]): string {
  // What was taken out of the manifest is no task any more.
  const rows = tasks.filter(({ status }) => status !== "superseded").map(rowOf);
  return `${HEADER}${rows.join("")}`;
}

function rowOf(task: Task): string {
  const labels = (task.labels ?? []).map((label) => labelText(label, task.label_reasons?.[label]));
  const cells = [task.id, task.title, statusText(task), labels.join("; ")].map(tableCell);
  return `| ${cells.join(" | ")} |\n`;
}

function labelText(label: Label, reason: string | undefined): string {
  const { word } = LABEL_WORDS[label];
  return reason === undefined ? word : `${word}: ${reason}`;
}

function statusText(task: Task): string {
  switch (task.status) {
    case "done":
      return doneText(task);
    case "blocked":
    case "skipped":
      return `${task.status}: ${task.reason}`;
    case "awaiting_approval":
      return `waits for ${task.approval_id}`;
    case "awaiting_result":
      return `waits for ${task.dispatch_id}`;
    case "in_progress":
    case "validating":
      return `${task.status.replace("_", " ")}, attempt ${task.attempt.number}`;
    case "pending":
    case "superseded":
      return task.last_failure === undefined
        ? task.status
        : `${task.status}, failed before: ${task.last_failure.check}`;
    default:
      return task satisfies never;
  }
}

function doneText(task: Extract<Task, { status: "done" }>): string {
  return DONE[standingOf(task)] ?? "done";
}

const DONE: Readonly<Partial<Record<Standing, string>>> = {
  marked: `done, marked by a person, ${NOT_VERIFIED}`,
  "by-exit-code": "done, by exit code",
  approved: "done, by a person's yes",
  "by-agent": "done, by the review of an agent",
};
