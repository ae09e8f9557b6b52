// Keys of the front matter that Stint does not know, and what a person most likely meant: another spelling or name of a
// setting, a key of stint.config.yaml, a key of a task, one of the budgets.
import {
  BUDGET_KINDS,
  BUDGET_LIMITS,
  type BudgetKind,
  budgetAmount,
} from "../../core/written/bounds.ts";
import { type DottedEntry, mapOfDotted, yamlValue } from "../../core/written/dotted-key.ts";
import { nearMiss } from "../../core/words/edit-distance.ts";
import type { FrontMatter } from "../front-matter.ts";
import { blockOf, lineOfSetting, renamedBlock } from "./front-matter-source.ts";
import { isOneWord, TASK_KEYS, type TaskKey } from "../manifest-document.ts";
import { errorAt, type Problem, type ProblemText, warningAt } from "../problem.ts";
import { scalarText, type Setting } from "./setting-values.ts";
import { inBackticks, readsAsCommand } from "../unquoted-command.ts";

export interface KnownNames {
  readonly settings: Readonly<Record<string, Setting>>;
  /** Keys of stint.config.yaml, each with an example. */
  readonly inFile: Readonly<Record<string, string>>;
  /** Other names, each with the right one. */
  readonly called: Readonly<Record<string, string>>;
}

interface Told extends Omit<ProblemText, "found"> {
  /** It says what holds for the work: without it a safeguard that a person wrote, such as `push: never`, is lost. */
  readonly isRefused?: true;
}

interface Written {
  readonly frontMatter: FrontMatter;
  readonly key: string;
  readonly value: unknown;
  readonly known: KnownNames;
  /** All that is not known, in the order of the text. */
  readonly entries: Entries;
}

type Entries = readonly DottedEntry[];

/** All known keys are listed once, where the first one stands of which nothing is known. */
export function unknownSettings(
  frontMatter: FrontMatter,
  entries: Entries,
  known: KnownNames,
): Problem[] {
  let list = `; known are ${Object.keys(known.settings).join(", ")}`;
  return entries.map(([key, value]) => {
    let told = recognised({ frontMatter, key, value, known, entries });
    if (told === undefined) {
      told = { message: `${unknownText(key)}${list}`, example: "" };
      list = "";
    }
    const { isRefused, ...text } = told;
    const at = isRefused === true ? errorAt : warningAt;
    const found = blockOf(frontMatter, key);
    return at(lineOfSetting(frontMatter, key), "unknown-setting", { ...text, found });
  });
}

function unknownText(key: string): string {
  return `the front matter key "${key}" is unknown and ignored`;
}

function recognised(written: Written): Told | undefined {
  const { key, known } = written;
  if (Object.hasOwn(known.inFile, key)) return keyOfFile(written);
  const ofTask = TASK_KEYS.find((each) => each === key.toLowerCase());
  // Some are both: then it is the case of the letters.
  if (ofTask !== undefined && !Object.hasOwn(known.settings, ofTask)) {
    const message = `${ofTask} is a key of a task and says nothing in the front matter; write it below a task`;
    return { message, example: itemOf(ofTask, written.value), isRefused: true };
  }
  return partOfMap(written) ?? budgetAlone(written) ?? optionAlone(written) ?? otherName(written);
}

/** Here they are a word; their maps are in stint.config.yaml. */
const MAPS_OF_FILE: readonly string[] = ["limits", "workspace"];

/** `budgets.cost`, as documents name it. All parts of one map are written together. */
function partOfMap({ frontMatter, key, known, entries }: Written): Told | undefined {
  const [name = ""] = key.split(".", 1);
  const inFile = Object.hasOwn(known.inFile, name);
  if (name === key || (!inFile && !Object.hasOwn(known.settings, name))) return undefined;
  const parts = entries.filter(([each]) => each.startsWith(`${name}.`));
  const [[first] = [key]] = parts;
  const message = `"${key}" is one key inside another`;
  // A key of the file says nothing here, in whatever form.
  const refused = inFile ? {} : ({ isRefused: true } as const);
  if (first !== key) {
    const line = lineOfSetting(frontMatter, first);
    return {
      message: `${message}: write it together with line ${line}`,
      example: "",
      ...refused,
    };
  }
  const map = mapOfDotted(parts);
  const text = yamlValue(map);
  const setting = known.settings[name];
  const isHere = setting !== undefined && setting.problem(map) === undefined;
  const place = inFile || MAPS_OF_FILE.includes(name) ? ", in stint.config.yaml" : "";
  const isTaken = blockOf(frontMatter, name) !== "";
  return {
    message: `${message}: write ${name}: as a map${isHere ? "" : place}`,
    ...refused,
    ...(text === undefined || isTaken || (!isHere && place === "")
      ? { example: setting?.example ?? known.inFile[name] ?? "", sample: true }
      : { example: `${name}: ${text}` }),
  };
}

function keyOfFile({ frontMatter, key }: Written): Told {
  return {
    message: `${key} is a key of stint.config.yaml; in the front matter it is ignored: write it in that file`,
    example: blockOf(frontMatter, key),
  };
}

/** `cost`, and the same as an option names it (`max-cost`), or as a record of a project does (`cost_usd`). */
const BUDGET_NAME = new RegExp(
  `^(?:max(?:imum)?)?(${BUDGET_KINDS.join("|")})(?:time|clock|usd|ms|limit|budget)?$`,
);

/** The budget that a key of the front matter, or a line below a task, names by itself. */
export function budgetNamed(key: string): BudgetKind | undefined {
  const name = BUDGET_NAME.exec(plain(key))?.[1];
  return BUDGET_KINDS.find((each) => each === name);
}

/** `cost: 20`, which is one of several under one key. */
function budgetAlone({ key, value }: Written): Told | undefined {
  const kind = budgetNamed(key);
  if (kind === undefined) return undefined;
  const amount = budgetAmount(kind, scalarText(value) ?? "");
  return {
    message: `there is no setting "${key}"; ${kind} is one of the budgets`,
    isRefused: true,
    example: `budgets: { ${kind}: ${amount ?? BUDGET_LIMITS[kind].example} }`,
    ...(amount === undefined && { sample: true }),
  };
}

/** Options of a run that have no value, as the settings that they stand for. */
const OPTIONS: Readonly<Record<string, string>> = {
  nopush: "push: never",
  inplace: "workspace: in-place",
};

/** `no-push: true`; with another value only its place is clear. */
function optionAlone({ key, value }: Written): Told | undefined {
  const example = OPTIONS[plain(key)];
  if (example === undefined) return undefined;
  const isOn = value === true || /^(?:yes|on)$/i.test(scalarText(value) ?? "");
  return {
    message: `there is no setting "${key}"; as a setting it is ${example}`,
    isRefused: true,
    example,
    ...(!isOn && { sample: true }),
  };
}

/** Two or three letters are too few to tell a typing error from another word. */
const EXACT_ONLY: readonly string[] = ["id", "in", "dir", "look", "env"];

function otherName(written: Written): Told | undefined {
  const { key, known } = written;
  const names = [
    ...Object.keys(known.settings),
    ...Object.keys(known.inFile),
    ...Object.keys(known.called),
    ...TASK_KEYS,
  ];
  const same = names.find((name) => plain(name) === plain(key));
  const near =
    same ??
    nearMiss(
      key,
      names.filter((name) => !EXACT_ONLY.includes(name)),
    );
  if (near === undefined) return undefined;
  const name = known.called[near] ?? near;
  if (Object.hasOwn(known.settings, name)) return asSetting(written, name);
  if (Object.hasOwn(known.inFile, name)) return asKeyOfFile(written, name, near);
  const ofTask = TASK_KEYS.find((each) => each === name);
  if (ofTask === undefined) return undefined;
  return {
    message: `there is no setting "${key}"; did you mean ${ofTask}? It is a key of a task: write it below a task`,
    example: itemOf(ofTask, written.value),
    isRefused: true,
  };
}

/** `track_state` and `track-state` are `trackState`. */
function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[_ -]/g, "");
}

function asSetting({ frontMatter, key, value, known }: Written, name: string): Told {
  const message = `there is no setting "${key}"; did you mean ${name}?`;
  const told = { message, isRefused: true } as const;
  const setting = known.settings[name];
  if (setting?.problem(value) === undefined) {
    return { ...told, example: renamedBlock(frontMatter, key, name) };
  }
  const meant = setting.meant?.(value);
  return meant === undefined
    ? { ...told, example: setting.example, sample: true }
    : { ...told, example: `${name}: ${meant}` };
}

/** Under another name its value has another form; only a number of attempts is a number of attempts. */
function asKeyOfFile(
  { frontMatter, key, value, known }: Written,
  name: string,
  called: string,
): Told {
  const message = `${unknownText(key)}; write ${name}: in stint.config.yaml`;
  const keepsValue = called === name || (called.endsWith("attempts") && Number.isInteger(value));
  return keepsValue
    ? { message, example: renamedBlock(frontMatter, key, name) }
    : { message, example: known.inFile[name] ?? "", sample: true };
}

/** The key as an item below a task, with the person's value; nothing where the value has no such form. */
function itemOf(key: TaskKey, value: unknown): string {
  if (isOneWord(key)) return value === false ? "" : `- ${key}`;
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  const texts = values.flatMap((each) => scalarText(each) ?? []);
  if (texts.length < values.length || texts.some((text) => /^\s*$|\n/.test(text))) return "";
  if (key === "after") return `- after: ${texts.join(", ")}`;
  if (key !== "check" && texts.length > 1) return "";
  return texts.map((text) => `- ${key}: ${itemText(key, text)}`).join("\n");
}

/** YAML needs no backticks around a command, and a task does. */
function itemText(key: TaskKey, text: string): string {
  const isCommand = key === "run" || (key === "check" && readsAsCommand(text));
  return (isCommand ? inBackticks(text) : undefined) ?? text;
}
