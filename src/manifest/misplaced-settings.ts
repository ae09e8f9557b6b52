// Settings that a person wrote below the front matter: below a task, in Steps, in Goal. There only sessions read them.
// Each is said, with where it belongs. What can only be meant as a setting is an error: a run would begin without it.
import { nearMiss } from "../core/words/edit-distance.ts";
import { budgetAmount } from "../core/written/bounds.ts";
import {
  type ManifestDocument,
  type ManifestItem,
  readKey,
  type StrayLine,
  withoutBullet,
} from "./manifest-document.ts";
import { errorAt, type Problem, warningAt } from "./problem.ts";
import {
  CALLED,
  FILE_SETTINGS,
  ORDINARY_SETTINGS,
  SETTING_NAMES,
  settingExample,
  settingMeant,
} from "./settings.ts";
import { keyLineProblem } from "./read-task-keys.ts";
import { budgetNamed } from "./settings/unknown-settings.ts";
import { unreadFrontMatter } from "./unread-front-matter.ts";
import { readsAsCommand } from "./unquoted-command.ts";
import { wholeCodeSpan } from "./written-values.ts";

const KEY_LIKE = /^[*_`]*([A-Za-z][\w-]{1,24}?)[*_`]*\s*:\s*(\S.*)$/su;

const NAMES = [...SETTING_NAMES, ...Object.keys(FILE_SETTINGS), ...Object.keys(CALLED)].filter(
  (name) => !ORDINARY_SETTINGS.has(name),
);

/** Longer names only: a short word is near to many others. */
const LONG = NAMES.filter((name) => name.length >= 6);

export function settingBelowTask(item: ManifestItem): Problem | undefined {
  const [, word = "", value = ""] = KEY_LIKE.exec(item.text) ?? [];
  const budget = budgetBelowTask(item, word, value);
  if (budget !== undefined) return budget;
  const written = word.toLowerCase().replaceAll("-", "_");
  const named = NAMES.find((name) => name.toLowerCase() === written) ?? nearMiss(written, LONG);
  if (named === undefined || (isProse(value) && !isSafeguard(item.text))) return undefined;
  const name = CALLED[named] ?? named;
  const inFile = FILE_SETTINGS[name];
  const place = inFile === undefined ? "the front matter of the manifest" : "stint.config.yaml";
  const at = isSafeguard(item.text) ? errorAt : warningAt;
  const own = inYaml(value);
  const meant = inFile === undefined ? settingMeant(name, own) : own;
  return at(item.line, "setting-below-task", {
    message: `"${word}:" is not a key of a task and changes nothing here; for all tasks, write ${name}: in ${place}`,
    ...(OTHER_VALUE.has(named) || meant === undefined
      ? { example: inFile ?? settingExample(name), sample: true }
      : { example: `${name}: ${meant}` }),
    found: `- ${item.text}`,
  });
}

/** `max_cost: 5`: a person who wrote it counts on it. */
function budgetBelowTask(item: ManifestItem, word: string, value: string): Problem | undefined {
  const kind = budgetNamed(word);
  const amount = kind === undefined ? undefined : budgetAmount(kind, value.trim());
  if (amount === undefined) return undefined;
  // `cost: 5` alone may be what the task is about.
  const at = word.toLowerCase() === kind ? warningAt : errorAt;
  return at(item.line, "setting-below-task", {
    message: `"${word}:" is not a key of a task and changes nothing here; for all tasks, write budgets: in the front matter of the manifest`,
    example: `budgets: { ${kind}: ${amount} }`,
    found: `- ${item.text}`,
  });
}

/** Without them more would be done than the person allowed, or without being asked. */
const SAFEGUARDS: readonly string[] = [
  "plan",
  "push",
  "deliver",
  "release",
  "strict",
  "approvals",
  "limits",
  "budgets",
  "isolation",
  "protect",
  "network",
];

function isSafeguard(text: string): boolean {
  const name = settingAlone(text);
  return name !== undefined && SAFEGUARDS.includes(name);
}

interface WrittenLine {
  readonly text: string;
  readonly line: number;
  /** It has a bullet, or begins a thought; a line in the middle of a sentence may only look like a setting. */
  readonly begins: boolean;
}

/** A line outside of tasks. In Notes and the like it may describe something else, unless a safeguard would be lost. */
function settingElsewhere(
  { text, line, begins }: WrittenLine,
  document: ManifestDocument,
): Problem | undefined {
  const alone = settingAlone(text);
  const likely = alone === undefined ? safeguardMeant(text) : undefined;
  const name = alone ?? likely?.name;
  if (name === undefined) return undefined;
  const setting = likely?.example ?? text;
  const { frontMatter } = document;
  const isMeant = SAFEGUARDS.includes(name) || !isBelowOthers(line, document);
  const at = alone !== undefined && begins && isMeant ? errorAt : warningAt;
  return at(line, "setting-elsewhere", {
    message: `${name}: is a setting and is not read here; write it in the front matter, between two lines --- that begin the file`,
    example: frontMatter === undefined ? `---\n${setting}\n---` : setting,
    found: text,
  });
}

/** Tools, references and notes say how other things are set, too. */
function isBelowOthers(line: number, { sections }: ManifestDocument): boolean {
  const name = sections.findLast((section) => section.line <= line)?.name;
  return name !== undefined && name !== "Goal" && name !== "Steps";
}

/** All of them that are in no task's list. */
export function settingsElsewhere(document: ManifestDocument): Problem[] {
  const { paragraphs, looseItems, strayLines, tasks } = document;
  const blocks = [
    ...paragraphs.map((each) => ({ ...each, areKeys: each.section === "Steps" })),
    ...looseItems.map((each) => ({ ...each, areKeys: true })),
    ...strayLines
      .filter(({ where }) => READ_AS_TEXT.has(where))
      // A bullet outside Steps is only a key where it is said so.
      .map((each) => ({
        ...each,
        areKeys: each.where !== "outside-steps" || !isSafeguard(each.text),
      })),
    ...tasks.map(({ wrappedLines, line }) => ({
      text: wrappedLines.join("\n"),
      line: line + 1,
      areKeys: true,
    })),
  ];
  const told = unreadFrontMatter(document).map(({ line, found }) => ({
    from: line,
    to: line + found.split("\n").length,
  }));
  const isTold = (line: number): boolean => told.some(({ from, to }) => line >= from && line < to);
  // A quote may be somebody else's words.
  const quoted = new Set(
    strayLines.filter(({ where }) => where === "block-quote").map(({ line }) => line),
  );
  const lines = blocks.flatMap(({ text, line, areKeys }) =>
    linesOf(text, line).filter(
      (each) => each.text !== "" && !isTold(each.line) && !(areKeys && isKey(each)),
    ),
  );
  const byPlace = new Map(lines.map((each) => [each.line, each]));
  return [...byPlace.values()].flatMap((each) => {
    const begins = each.begins && !quoted.has(each.line);
    return settingElsewhere({ ...each, begins }, document) ?? [];
  });
}

/** A task may have `agent:` and `timeout:` too; which is said as of a key. */
function isKey({ text, line }: WrittenLine): boolean {
  const key = readKey(text);
  return key !== undefined && keyLineProblem({ ...key, line }) === undefined;
}

/** Code shows something, and a paragraph is read above. */
const READ_AS_TEXT: ReadonlySet<StrayLine["where"]> = new Set([
  "outside-steps",
  "wrapped",
  "html",
  "heading",
  "block-quote",
]);

function linesOf(text: string, line: number): WrittenLine[] {
  const lines = text.split("\n");
  return lines.map((each, index) => {
    const above = lines[index - 1]?.trim() ?? "";
    const begins = above === "" || /[.:!?;…)]$/.test(above) || settingAlone(above) !== undefined;
    // `budgets:` has its amounts below it.
    const rest = /^[a-z]+:$/i.test(each) ? lines.slice(index + 1) : [];
    const end = rest.findIndex((below) => !/^\s/.test(below));
    const value = end < 0 ? rest : rest.slice(0, end);
    const written = [withoutBullet(each.trim()), ...value].join("\n");
    return { text: written, line: line + index, begins };
  });
}

/** The setting that a line is, with a value that it takes. */
function settingAlone(text: string): string | undefined {
  const [, name = "", value = ""] = /^([A-Za-z]+):(?: +|\n\s+)(\S[^]*)$/.exec(text) ?? [];
  if (!SETTING_NAMES.includes(name) || !isValueOf(name, value)) return undefined;
  const written = text.slice(name.length + 1);
  return settingMeant(name, written) === written ? name : undefined;
}

/** Settings that take any text: only a value that has the form of one is meant. */
const ANY_TEXT: readonly string[] = ["setup", "serve", "bring", "dir", "show", "writable"];

function isValueOf(name: string, value: string): boolean {
  if (name !== "plan" && ORDINARY_SETTINGS.has(name)) return false;
  return !ANY_TEXT.includes(name) || /^[[{~.]|^\S*\/\S*$/.test(value) || readsAsCommand(value);
}

/** With emphasis, a capital letter, an equals sign, a reason behind it, or a word that only nearly is right. */
function safeguardMeant(text: string): { name: string; example: string } | undefined {
  const bare = text.replaceAll(/[*`]|\b_|_\b/g, "").trim();
  const [, word = "", value = ""] =
    /^([A-Za-z][\w-]*)\s*[:：=]\s*(\[.*\]|\{.*\}|\S+?)[.,;!]?(?:\s+[(#–—-].*)?$/u.exec(bare) ?? [];
  const written = word.toLowerCase();
  const named = SAFEGUARDS.includes(written) ? written : nearMiss(written, SAFEGUARDS);
  if (named === undefined) return undefined;
  const meant = settingMeant(named, value) ?? settingMeant(named, value.toLowerCase());
  return meant === undefined ? undefined : { name: named, example: `${named}: ${meant}` };
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
