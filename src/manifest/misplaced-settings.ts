// Settings that a person wrote below a task. They hold for all tasks and have their own place; below a task they would be
// sub-steps, which only the session reads. Each is said, with where it belongs.
import { nearMiss } from "../core/words/edit-distance.ts";
import type { ManifestItem } from "./manifest-document.ts";
import { type Problem, warningAt } from "./problem.ts";
import { CALLED, FILE_SETTINGS, SETTING_NAMES, settingExample } from "./settings.ts";
import { wholeCodeSpan } from "./written-values.ts";

const KEY_LIKE = /^[*_`]*([A-Za-z][\w-]{1,24}?)[*_`]*\s*:\s*(\S.*)$/su;

/** What says what a manifest is about is an ordinary word elsewhere. */
const ORDINARY = new Set([
  "title",
  "plan",
  "show",
  "root",
  "repository",
  "workflow",
  "iteration",
  "parent",
]);

const NAMES = [...SETTING_NAMES, ...Object.keys(FILE_SETTINGS), ...Object.keys(CALLED)].filter(
  (name) => !ORDINARY.has(name),
);

/** Longer names only: a short word is near to many others. */
const LONG = NAMES.filter((name) => name.length >= 6);

export function settingBelowTask(item: ManifestItem): Problem | undefined {
  const [, word = "", value = ""] = KEY_LIKE.exec(item.text) ?? [];
  const written = word.toLowerCase().replaceAll("-", "_");
  const named = NAMES.find((name) => name.toLowerCase() === written) ?? nearMiss(written, LONG);
  if (named === undefined || isProse(value)) return undefined;
  const name = CALLED[named] ?? named;
  const inFile = FILE_SETTINGS[name];
  const place = inFile === undefined ? "the front matter of the manifest" : "stint.config.yaml";
  return warningAt(item.line, "setting-below-task", {
    message: `"${word}:" is not a key of a task and changes nothing here; for all tasks, write ${name}: in ${place}`,
    ...(OTHER_VALUE.has(named)
      ? { example: inFile ?? settingExample(name), sample: true }
      : { example: `${name}: ${inYaml(value)}` }),
    found: `- ${item.text}`,
  });
}

/** Under the right name these have another value: by agent, by kind, or one more. */
const OTHER_VALUE: ReadonlySet<string> = new Set([
  "model",
  "models",
  "budget",
  "budgets",
  "retries",
]);

/** The same value there: without the backticks of a command, and in quotes where YAML would read more into it. */
function inYaml(value: string): string {
  const command = wholeCodeSpan(value);
  if (command === undefined) return value;
  return /: | #|^[^\w./~-]/.test(command) ? JSON.stringify(command) : command;
}

/** A sub-step that begins with such a word. */
function isProse(value: string): boolean {
  return wholeCodeSpan(value) === undefined && value.trim().split(/\s+/).length > 2;
}
