// Keys of a task that stand where Stint does not read them: in a title, in a quote, in code, below no task. What is written
// right and would keep work from being done unchecked is an error; the rest is a warning, like every near miss.
import { parseDuration } from "../../core/written/times.ts";
import {
  type LooseItem,
  type ManifestDocument,
  type ManifestTask,
  readKey,
  type StrayLine,
  type TaskKey,
  withoutBullet,
} from "../manifest-document.ts";
import { parseCheck } from "../parse-check.ts";
import { errorAt, type Problem, warningAt } from "../problem.ts";
import { keyLineProblem } from "../read-task-keys.ts";
import { readsAsCommand } from "../unquoted-command.ts";
import { joinedLines, wholeCodeSpan } from "../written-values.ts";
import { inItem, keyNearMiss, type MeantKey } from "./keys.ts";

/** Two spaces are right below a dash. */
const USUAL_INDENT = "  ";

/** Without them work would be done unchecked, unasked or not at all. */
const SAFEGUARDS: ReadonlySet<TaskKey> = new Set(["check", "approve", "strict", "run", "webhook"]);

function unreadAt({ key, value }: MeantKey, line: number): typeof errorAt {
  const text = joinedLines(value);
  const isClear =
    keyLineProblem({ key, value: text, line }) === undefined ||
    (key === "check" && readsAsCommand(text));
  return SAFEGUARDS.has(key) && isClear ? errorAt : warningAt;
}

/** A line of a title after its first. */
export function keyInTitle(task: ManifestTask, index: number): Problem | undefined {
  const written = task.wrappedLines[index] ?? "";
  const line = task.line + index + 1;
  const text = withoutBullet(written);
  const isItem = text !== written;
  const key = readKey(text);
  const near = key === undefined && isItem ? nearMiss(text, line) : undefined;
  if (near !== undefined) {
    return { ...near, example: `${task.indent}${near.example}`, found: written };
  }
  if (key === undefined) return undefined;
  const how = isItem
    ? `it is not where an item below this task begins: ${columns(task.indent)}`
    : "make it a separate item below the task";
  return unreadAt(key, line)(line, "key-in-title", {
    message: `${key.key} is read as part of the task's text; ${how}`,
    ...inItem(`${task.indent}- `, key, line),
    found: written,
  });
}

function columns(indent: string): string {
  return `write ${indent.length} spaces before its bullet`;
}

function nearMiss(text: string, line: number): Problem | undefined {
  return keyNearMiss({ text, line, depth: 1 });
}

/** "- [ ] Add the form, check: `npm test`" */
export function keyBehindTitle(task: ManifestTask): Problem | undefined {
  const { title, line, wrappedLines, box } = task;
  if (wrappedLines.length > 0) return undefined;
  const [, before = "", key = "", value = ""] =
    /^(.*?)[\s,;(–—-]*\b(check|run):\s*(`[^`]+`)\)?\.?$/isu.exec(title) ?? [];
  if (before === "") return undefined;
  return warningAt(line, "key-in-title", {
    message: `${key.toLowerCase()} is read as part of the task's text; make it a separate item below the task`,
    example: `- [${box.mark}] ${before}\n  - ${key.toLowerCase()}: ${value}`,
    found: `- [${box.mark}] ${title}`,
  });
}

/** An item of Steps that is in no task. */
export function keyWithoutTask(
  item: LooseItem,
  { tasks }: Pick<ManifestDocument, "tasks">,
): Problem | undefined {
  const { text, line } = item;
  const task = item.task === undefined ? undefined : tasks[item.task];
  const indent = task?.indent ?? USUAL_INDENT;
  const key = readKey(text);
  if (key === undefined) {
    const near = task === undefined ? undefined : nearMiss(text, line);
    return near && { ...near, example: `${indent}${near.example}` };
  }
  const how = task === undefined ? "" : `: ${columns(indent)}`;
  return unreadAt(key, line)(line, "key-without-task", {
    message: `this ${key.key} belongs to no task and is ignored; indent it below its task${how}`,
    ...inItem(`${indent}- `, key, line),
    ...(task === undefined && { sample: true }),
    found: `- ${joinedLines(text)}`,
  });
}

/** A line that Markdown makes part of something else than a task's list. */
export function unreadKey(
  stray: StrayLine,
  { tasks }: Pick<ManifestDocument, "tasks">,
): Problem | undefined {
  const { text, written, line, where } = stray;
  const indent = tasks[stray.task ?? -1]?.indent ?? USUAL_INDENT;
  const gap = where === "html" ? "\n" : "";
  const found = joinedLines(written);
  // A line of code stays code, whatever is put in its place.
  const isOnlyForm =
    where === "code-block" || (where !== "outside-steps" && stray.task === undefined);
  const sample = isOnlyForm ? ({ sample: true } as const) : {};
  const key = readKey(text);
  if (key === undefined) {
    const near = where === "outside-steps" ? undefined : nearMiss(text, line);
    if (near === undefined || (near.sample === true && !stray.isItem)) return undefined;
    return { ...near, example: `${gap}${indent}${near.example}`, ...sample, found };
  }
  if (!isMeant(key, stray)) return undefined;
  const at = OTHERS.has(where) ? warningAt : unreadAt(key, line);
  return at(line, "key-without-task", {
    message: `this ${key.key} ${PLACES[where]}`,
    ...inItem(`${gap}${indent}- `, key, line),
    ...sample,
    found,
  });
}

/** There may be somebody else's words, or an example: of a review log, Stint itself quotes what it takes. */
const OTHERS: ReadonlySet<StrayLine["where"]> = new Set([
  "outside-steps",
  "code-block",
  "block-quote",
]);

const PLACES: Record<StrayLine["where"], string> = {
  paragraph: "is not an item of a task's list, so it is ignored; make it an item below its task",
  "outside-steps":
    "stands outside Steps, so it belongs to no task and is ignored; write it below a task",
  wrapped: "is read as part of the item above it, so it is ignored; make it an item below its task",
  "indented-code":
    "is indented so far that it is code, so it is ignored; make it an item below its task",
  "code-block": "is in a code block, so it is ignored; make it an item below its task",
  "block-quote": "is in a quote, so it is ignored; if you mean it, make it an item below its task",
  html: "is in a block of HTML, so it is ignored; put an empty line above it and make it an item below its task",
  table: "is in a table, so it is ignored; make it an item below its task",
  heading: "is in a heading, so it is ignored; make it an item below its task",
};

/** With a bullet a key is a key; other lines may be sentences that begin with such a word. */
function isMeant({ key, value }: MeantKey, { where, isItem }: StrayLine): boolean {
  if (isItem && where !== "outside-steps" && where !== "code-block") return true;
  const isPlain = PLAINLY[key];
  if (isPlain !== undefined) return isPlain(value);
  if (where === "outside-steps" || ORDINARY.has(key)) return false;
  return keyLineProblem({ key, value, line: 0 }) === undefined;
}

/** Words that begin many lines of prose and of data. */
const ORDINARY: ReadonlySet<TaskKey> = new Set(["id", "dir", "child", "resolves", "delegate"]);

/** How a value reads that can only be meant for the key. */
const PLAINLY: Readonly<Partial<Record<TaskKey, (value: string) => boolean>>> = {
  check: (value) => parseCheck(value) !== "prose" || readsAsCommand(joinedLines(value)),
  run: (value) => wholeCodeSpan(value) !== undefined,
  approve: (value) => /^(?:before|after)$/i.test(value),
  timeout: (value) => parseDuration(value) !== undefined,
  agent: (value) => /^[a-z][\w-]*$/.test(value),
  after: (value) => /^[a-z][\w-]*(?:,\s*[a-z][\w-]*)*$/.test(value),
};
