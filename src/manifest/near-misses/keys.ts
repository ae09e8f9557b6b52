// Keys of a task that a person almost wrote.
import { nearMiss } from "../../core/words/edit-distance.ts";
import { isOneWord, type ManifestItem, TASK_KEYS, type TaskKey } from "../manifest-document.ts";
import { type Problem, warningAt } from "../problem.ts";
import { keyLineProblem } from "../read-task-keys.ts";
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
  const text = unwrapped(item.text);
  const bare = withoutColon(text);
  if (bare !== undefined) {
    const right = writtenRight(bare, item.line);
    const meant = right.sample === true ? keyLine(bare.key, bare.value) : right.text;
    return keyProblem(item, bare, `this is a sub-step; as a key it is ${meant}`);
  }
  const [, word = "", value = ""] = KEY_LIKE.exec(text) ?? [];
  const written = word.toLowerCase();
  const called = Object.hasOwn(CALLED, written) ? CALLED[written] : undefined;
  // Too many words are like `look`, and two or three letters are too few to tell a typing error from one.
  const known = TASK_KEYS.filter(
    (key) => !["id", "in", "dir", "look"].includes(key) || written === key,
  );
  const key = called ?? nearMiss(written, known);
  if (key === undefined || (called !== undefined && !isValueOf(called, value))) return undefined;
  if (written !== key) {
    const meant = isOneWord(key) ? key : `${key}:`;
    return keyProblem(item, { key, value }, `"${word}:" is not a key; did you mean ${meant}?`);
  }
  const plain =
    wholeCodeSpan(item.text) === undefined
      ? "write it plain, without emphasis and with a plain colon"
      : "write it without the backticks around it; only a command has them";
  return keyProblem(item, { key, value }, `${key} is not seen as a key here; ${plain}`);
}

/** Without a code span or an emphasis that holds all of it. */
function unwrapped(text: string): string {
  const [, mark = "", inEmphasis] = /^(\*\*|__|\*|_)(.+)\1$/s.exec(text) ?? [];
  const isWhole = inEmphasis?.includes(mark) === false;
  // A span in a span: Markdown pairs these backticks otherwise, but nobody means that.
  const [, inSpans] = /^`([^`]+`[^`]+`)`$/.exec(text) ?? [];
  const inner = isWhole ? inEmphasis : (wholeCodeSpan(text) ?? inSpans);
  return inner === undefined ? text : unwrapped(inner.trim());
}

export interface MeantKey {
  readonly key: TaskKey;
  readonly value: string;
}

function keyProblem(item: ManifestItem, meant: MeantKey, message: string): Problem {
  return warningAt(item.line, "near-miss-key", {
    message,
    ...inItem("- ", meant, item.line),
    found: `- ${joinedLines(item.text)}`,
  });
}

/** As an item of a task: a suggestion that is a problem itself helps nobody. */
export function inItem(
  bullet: string,
  meant: MeantKey,
  line: number,
): Pick<Problem, "example" | "sample"> {
  const { text, sample } = writtenRight(meant, line);
  return { example: `${bullet}${text}`, ...(sample === true && { sample }) };
}

function writtenRight(
  { key, value }: MeantKey,
  line: number,
): { readonly text: string; readonly sample?: true | undefined } {
  const problem = keyLineProblem({ key, value: joinedLines(value), line });
  if (problem === undefined || problem.example === "") {
    return { text: keyLine(key, joinedLines(value)) };
  }
  return { text: problem.example.replace(/^- /, ""), sample: problem.sample };
}

function keyLine(key: TaskKey, value: string): string {
  const saysAll = isOneWord(key) && !/^(?:false|no|off)$/i.test(value);
  return saysAll || value === "" ? key : `${key}: ${value}`;
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
  const isRun = word.toLowerCase() === "run" && value.startsWith("`");
  return { key: isRun ? "run" : "check", value };
}

/** Whether such a value can be meant for the key, and is no sentence that begins with an ordinary word. */
function isValueOf(key: TaskKey, value: string): boolean {
  if (key === "check" || key === "run") return wholeCodeSpan(value) !== undefined;
  if (key === "docs-only") return true;
  return value !== "" && value.split(/[\s,]+/).length <= 3;
}
