// Keys of a task that a person almost wrote, or wrote where they belong to none.
import { nearMiss } from "../../core/words/edit-distance.ts";
import { parseDuration } from "../../core/written/times.ts";
import {
  isOneWord,
  type ManifestDocument,
  type ManifestItem,
  readKey,
  type StrayKey,
  TASK_KEYS,
  type TaskKey,
} from "../manifest-document.ts";
import { parseCheck } from "../parse-check.ts";
import { type Problem, warningAt } from "../problem.ts";
import { joinedLines, wholeCodeSpan } from "../written-values.ts";

/** One or two words and a colon, perhaps a full-width one. */
const KEY_LIKE =
  /^[*_`\u200B-\u200D\u2060]*([A-Za-z][A-Za-z_-]{1,11}(?: [A-Za-z]{2,6})?)[*_`\u200B-\u200D\u2060]*\s*[:：=]\s*[*_]*\s*([^]*)$/u;

/** What people call a key that has another name. */
const CALLED: Readonly<Record<string, TaskKey>> = {
  "depends on": "after",
  depends: "after",
  depends_on: "after",
  "depends-on": "after",
  requires: "after",
  needs: "after",
  "blocked by": "after",
  test: "check",
  verify: "check",
  verification: "check",
  command: "run",
  cmd: "run",
  exec: "run",
  execute: "run",
  cwd: "dir",
  folder: "dir",
  directory: "dir",
  "max time": "timeout",
  "time limit": "timeout",
  approval: "approve",
  docs_only: "docs-only",
  "docs only": "docs-only",
};

export function keyNearMiss(item: ManifestItem): Problem | undefined {
  const bare = withoutColon(item.text);
  if (bare !== undefined) {
    const key = keyLine(bare.key, bare.value);
    return keyProblem(item, bare, `this is a sub-step; as a key it is ${key}`);
  }
  const [, word = "", value = ""] = KEY_LIKE.exec(item.text) ?? [];
  const written = word.toLowerCase();
  const called = Object.hasOwn(CALLED, written) ? CALLED[written] : undefined;
  // Too many words are like `look`, and two or three letters are too few to tell a typing error from one.
  const known = TASK_KEYS.filter(
    (key) => !["id", "in", "dir", "look"].includes(key) || written === key,
  );
  const key = called ?? nearMiss(written, known);
  if (key === undefined || (called !== undefined && !isValueOf(called, value))) return undefined;
  const isItself = written === key;
  return keyProblem(
    item,
    { key, value },
    isItself
      ? `${key} is not seen as a key here; write it plain, without emphasis and with a plain colon`
      : `"${word}:" is not a key; did you mean ${isOneWord(key) ? key : `${key}:`}?`,
  );
}

interface MeantKey {
  readonly key: TaskKey;
  readonly value: string;
}

function keyProblem(item: ManifestItem, { key, value }: MeantKey, message: string): Problem {
  return warningAt(item.line, "near-miss-key", {
    message,
    example: `- ${keyLine(key, joinedLines(value))}`,
    found: `- ${joinedLines(item.text)}`,
  });
}

function keyLine(key: TaskKey, value: string): string {
  return isOneWord(key) || value === "" ? key : `${key}: ${value}`;
}

/** "check `npm test`", "check file a.txt" and "review" say what is meant, but for the colon. */
function withoutColon(text: string): MeantKey | undefined {
  if (/^review(?:ed)?$/i.test(text)) return { key: "check", value: "review" };
  if (/^docs[ _]only$/i.test(text)) return { key: "docs-only", value: "" };
  const [, word = "", value = ""] =
    /^(check|run|test|verify) (`[^`]+`|file \S*[./]\S*(?: \w+.*)?|(?:GET|browser) https?:.*|review)$/i.exec(
      text,
    ) ?? [];
  if (word === "") return undefined;
  return { key: word.toLowerCase() === "run" ? "run" : "check", value };
}

/** Whether such a value can be meant for the key, and is no sentence that begins with an ordinary word. */
function isValueOf(key: TaskKey, value: string): boolean {
  if (key === "check" || key === "run") return wholeCodeSpan(value) !== undefined;
  if (key === "docs-only") return true;
  return value !== "" && value.split(/[\s,]+/).length <= 3;
}

export function keyInTitle(text: string, line: number): Problem | undefined {
  const key = readKey(text);
  if (key === undefined) return undefined;
  return warningAt(line, "key-in-title", {
    message: `${key.key} is read as part of the task's text; make it a separate item below the task`,
    example: `  - ${keyLine(key.key, key.value)}`,
    found: text,
  });
}

/** "- [ ] Add the form, check: `npm test`" */
export function keyBehindTitle(task: ManifestDocument["tasks"][number]): Problem | undefined {
  const { title, line, wrappedLines } = task;
  if (wrappedLines.length > 0) return undefined;
  const [, before = "", key = "", value = ""] =
    /^(.*?)[\s,;(–—-]*\b(check|run):\s*(`[^`]+`)\)?\.?$/isu.exec(title) ?? [];
  if (before === "") return undefined;
  return warningAt(line, "key-in-title", {
    message: `${key.toLowerCase()} is read as part of the task's text; make it a separate item below the task`,
    example: `- [ ] ${before}\n  - ${key.toLowerCase()}: ${value}`,
    found: `- [ ] ${title}`,
  });
}

export function keyWithoutTask(item: ManifestItem): Problem | undefined {
  const key = readKey(item.text);
  if (key === undefined) return undefined;
  return warningAt(item.line, "key-without-task", {
    message: `this ${key.key} belongs to no task and is ignored; indent it below its task`,
    example: `  - ${keyLine(key.key, joinedLines(key.value))}`,
    found: `- ${joinedLines(item.text)}`,
  });
}

/** Elsewhere such a word may begin a sentence, so only what can be meant as a key is. */
export function strayKey({ key, value, text, line, where }: StrayKey): Problem | undefined {
  if (PLAINLY[key]?.(value) !== true) return undefined;
  const place =
    where === "paragraph"
      ? "is not an item of a task's list, so it is ignored; make it an item below its task"
      : "stands outside Steps, so it belongs to no task and is ignored; write it below a task";
  return warningAt(line, "key-without-task", {
    message: `this ${key} ${place}`,
    example: `  - ${keyLine(key, joinedLines(value))}`,
    found: joinedLines(text),
  });
}

/** How a value reads that can only be meant for the key; the other keys are too much like ordinary words. */
const PLAINLY: Readonly<Partial<Record<TaskKey, (value: string) => boolean>>> = {
  check: (value) => parseCheck(value) !== "prose",
  run: (value) => wholeCodeSpan(value) !== undefined,
  approve: (value) => /^(?:before|after)$/i.test(value),
  timeout: (value) => parseDuration(value) !== undefined,
  agent: (value) => /^[a-z][\w-]*$/.test(value),
  after: (value) => /^[a-z][\w-]*$/.test(value),
};
