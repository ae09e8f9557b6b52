// Edits that change only what they must. Each re-reads its own result and refuses when that is
// not exactly what was meant, so a surprising document is left alone rather than damaged.
import type { ManifestDocument, ManifestTask } from "../manifest-document.ts";
import { parseManifest } from "../parse-manifest.ts";
import { STEP_STATUSES, type StepStatus } from "../workflow-step.ts";

export type Edited =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly reason: string };

/** Sets the boxes of these tasks, one character each; all of them or none. */
export function setMarks(text: string, tasks: readonly ManifestTask[], checked: boolean): Edited {
  const before = parseManifest(text);
  const indexAt = new Map(before.tasks.map(({ box }, index) => [box.offset, index]));
  const expected = signatures(before);
  const characters: string[] = [];
  let end = 0;
  for (const task of tasks.toSorted((a, b) => a.box.offset - b.box.offset)) {
    const at = task.box.offset;
    const index = indexAt.get(at) ?? -1;
    const found = before.tasks[index];
    if (found === undefined || found.title !== task.title) {
      return refuse(`the box of "${task.title}" is no longer on line ${task.line}`);
    }
    if (found.box.checked === checked) continue;
    expected[index] = signature({ ...found, box: { ...found.box, checked } });
    characters.push(text.slice(end, at + 1), checked ? "x" : " ");
    end = at + 2;
  }
  if (end === 0) return { ok: true, text };
  const lines = tasks.map(({ line }) => line).join(", ");
  const otherwise = `changing the box on line ${lines} would change other tasks`;
  return accept([...characters, text.slice(end)].join(""), expected, otherwise);
}

const STATUS = new RegExp(
  String.raw`^([ \t]*[-*+][ \t]+status:[ \t]*)(?:${STEP_STATUSES.join("|")})(?=[ \t]*$)`,
  "imu",
);

/** In a workflow: what each of these steps says of its own status. */
export function setStepStatus(
  text: string,
  tasks: readonly ManifestTask[],
  status: StepStatus,
): string {
  let result = text;
  for (const { start, end } of tasks.toSorted((a, b) => b.start - a.start)) {
    const step = result.slice(start, end).replace(STATUS, `$1${status}`);
    result = `${result.slice(0, start)}${step}${result.slice(end)}`;
  }
  return result;
}

function accept(text: string, expected: readonly string[], otherwise: string): Edited {
  const found = signatures(parseManifest(text));
  const isAsMeant =
    found.length === expected.length && found.every((one, i) => one === expected[i]);
  return isAsMeant ? { ok: true, text } : refuse(otherwise);
}

function signatures(document: ManifestDocument): string[] {
  return document.tasks.map(signature);
}

/** What of a task must survive an edit elsewhere: everything but its place. */
function signature(task: ManifestTask): string {
  const keys = task.keys.map(({ key, value }) => [key, value]);
  return JSON.stringify([
    task.title,
    task.box.checked,
    keys,
    task.substeps.map((substep) => substep.text),
  ]);
}

function refuse(reason: string): Edited {
  return { ok: false, reason };
}
