// On which line a key of a task is written: a plan holds what keys mean, and only the document knows where they are.
import type { ManifestDocument, TaskKey } from "./manifest-document.ts";
import { joinedLines, wholeCodeSpan } from "./written-values.ts";

/**
 * `value` tells several lines of one key apart: the command of a check, or a part of what is written. Without the key
 * it is the line of the task.
 */
export function lineOfKey(
  { tasks }: Pick<ManifestDocument, "tasks">,
  taskIndex: number,
  key: TaskKey,
  value?: string,
): number {
  const task = tasks[taskIndex];
  const lines = task?.keys.filter((line) => line.key === key) ?? [];
  const whole = lines.find((line) => value !== undefined && textsOf(line.value).includes(value));
  const part = lines.find((line) => value !== undefined && line.value.includes(value));
  return (whole ?? part ?? lines[0])?.line ?? task?.box.line ?? 1;
}

function textsOf(value: string): readonly (string | undefined)[] {
  return [value, joinedLines(value), wholeCodeSpan(value)];
}
