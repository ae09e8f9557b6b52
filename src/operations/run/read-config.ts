// The settings of a repository: stint.config.yaml or stint.config.json at its root, or none.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type * as z from "zod/mini";
import { DIRTY_IS_GONE } from "../../core/written/workspace-settings.ts";
import { objectIn } from "../../core/json-line.ts";
import { mapOfDotted, yamlValue } from "../../core/written/dotted-key.ts";
import { nearMiss } from "../../core/words/edit-distance.ts";
import type { Config } from "../../core/schema/config.ts";
import { StintError } from "../../core/stint-error.ts";
import { ofFile } from "../../core/words/system-error.ts";
import { type SettingsFile, settingsNow } from "../../engine/people/own-settings.ts";

export async function readConfig(root: string): Promise<Config> {
  return await parseSettings(
    settingsNow({ textNow: (name) => readIfThere(join(root, name)) }),
    root,
  );
}

/** `root` is where they are, or were. */
export async function parseSettings(files: readonly SettingsFile[], root: string): Promise<Config> {
  const [first, second] = files;
  if (first === undefined) return {};
  if (second !== undefined) {
    throw new StintError(
      "bad-input",
      `${root} has two config files: ${first.name} and ${second.name}`,
      `Keep one: mv ${second.name} ${second.name}.old`,
    );
  }
  return await parseConfig(first.name, first.text);
}

async function parseConfig(name: string, text: string): Promise<Config> {
  // Only who has such a file pays for what reads it.
  const [{ parse }, { config: schema, keysAt }] = await Promise.all([
    import("yaml"),
    import("../../core/schema/config.ts"),
  ]);
  let value: unknown;
  try {
    value = parse(text) ?? {};
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.split("\n")[0] : String(cause);
    throw new StintError("bad-input", `${name} is not YAML: ${reason}`, `Edit ${name}`, { cause });
  }
  const judged = schema.safeParse(value);
  if (judged.success) return judged.data;
  const problems = judged.error.issues.map((issue) => {
    if (issue.code === "unrecognized_keys") {
      return unknownKeys(issue, keysAt(issue.path), objectAt(value, issue.path));
    }
    const expected = expectedBy(issue);
    return issue.path.length === 0 ? expected : `${issue.path.join(".")}: ${expected}`;
  });
  throw new StintError(
    "bad-input",
    `${name}: ${problems.join("; ")}`,
    `For example:\n  root: agents\n  limits:\n    files_per_task: 12`,
  );
}

/** Rules of our own bring their words; the rest of the schema says no more than that it is wrong. */
function expectedBy(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_value":
      return `expected ${issue.values.join(" or ")}`;
    case "invalid_type":
      return issue.message === NO_WORDS
        ? `expected ${TYPES[issue.expected] ?? issue.expected}`
        : `expected ${issue.message}`;
    case "too_small":
      if (issue.origin === "string") return "expected a text that is not empty";
      return `expected ${issue.origin === "array" ? "a list of at least" : "at least"} ${issue.minimum}`;
    case "too_big":
      return `expected ${issue.origin === "array" ? "a list of at most" : "at most"} ${issue.maximum}`;
    case "invalid_union":
      return `expected ${issue.message === NO_WORDS ? "a text or a number" : issue.message}`;
    case "invalid_format":
      return `expected ${issue.message === NO_WORDS ? "a name such as night-shift" : issue.message}`;
    case "custom":
      if (issue.params?.["isReason"] === true || issue.path.length === 0) return issue.message;
      return `expected ${issue.message}`;
    case "invalid_element":
    case "invalid_key":
    case "not_multiple_of":
    case "unrecognized_keys":
      return issue.path.length === 0 ? issue.message : `expected ${issue.message}`;
    default:
      return issue satisfies never;
  }
}

const NO_WORDS = "Invalid input";
const TYPES: Readonly<Record<string, string>> = {
  object: "keys with their values",
  record: "keys with their values",
  string: "a text",
  number: "a number",
  int: "a whole number",
  array: "a list",
  boolean: "true or false",
};

/** What is known is listed once. */
function unknownKeys(
  { path, keys }: Pick<z.core.$ZodIssueUnrecognizedKeys, "path" | "keys">,
  known: readonly string[],
  values: Readonly<Record<string, unknown>>,
): string {
  let list = ` (known are ${known.join(", ")})`;
  const told = keys.map((key) => {
    if (path.length === 0 && key === "dirty") return DIRTY_IS_GONE;
    const meant = keyMeant(key, known, values[key]);
    const hint = meant === undefined ? list : ` (${meant})`;
    if (meant === undefined) list = "";
    return `unknown key ${[...path, key].join(".")}${hint}`;
  });
  return told.join("; ");
}

function keyMeant(key: string, known: readonly string[], value: unknown): string | undefined {
  const [name = ""] = key.split(".", 1);
  const map =
    name !== key && known.includes(name) ? yamlValue(mapOfDotted([[key, value]])) : undefined;
  if (map !== undefined) return `write ${name}: ${map}`;
  const near = nearMiss(key, known);
  return near === undefined ? undefined : `did you mean ${near}?`;
}

function objectAt(value: unknown, path: readonly PropertyKey[]): Readonly<Record<string, unknown>> {
  const inside = path.reduce<unknown>((all, key) => objectIn(all)?.[String(key)], value);
  return objectIn(inside) ?? {};
}

function readIfThere(path: string): string | undefined {
  try {
    return ofFile(path, () => readFileSync(path, "utf8"));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    if (code !== "EISDIR" && code !== "EACCES") throw error;
    throw new StintError("bad-input", `${path} cannot be read (${code})`, `ls -l ${path}`, {
      cause: error,
    });
  }
}
