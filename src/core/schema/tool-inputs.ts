// What the tools of the MCP server take: every argument with its limits, and no others. A wrong one is said in words that
// name the argument and what is right; what was given is never repeated, as it may be of any length.
import * as z from "zod/mini";
import { LONGEST_WORD, whyUnsayable } from "../session-words.ts";

/** A whole manifest that is proposed travels in one message of the inbox. */
const LONGEST_PROPOSAL = 60_000;
/** A manifest that is created is a file, and far below what is read of one. */
const LONGEST_MANIFEST = 1_000_000;
const MOST_LINES = 200;

/** Words without characters that a terminal would obey. */
function words(longest: number, meaning: string) {
  return z.string().check(
    z.minLength(1),
    z.maxLength(longest),
    z.refine((text) => whyUnsayable(text, Infinity) === null),
    z.describe(meaning),
  );
}

const project = z.optional(
  words(200, "Id, slug or manifest of the project. Default: the only one of this work tree."),
);

const task = z.optional(words(100, "Which task, for example t1. Default: the open one."));

export const briefInput = z.strictObject({ project });
export const reportInput = z.strictObject({
  kind: z
    .enum(["note", "done"])
    .check(
      z.describe(
        "note: something the next session should know. done: the task is finished; the checks decide whether it is.",
      ),
    ),
  text: z.optional(words(LONGEST_WORD, "The note; with done, what the next session should know.")),
  task,
  project,
});
export const askInput = z.strictObject({
  question: words(LONGEST_WORD, "What only a person can decide, with the choices."),
  project,
});
export const blockInput = z.strictObject({
  reason: words(LONGEST_WORD, "What was tried, and what is missing."),
  project,
});
export const proposeInput = z.strictObject({
  step: z.optional(
    words(LONGEST_WORD, "One more step, written as in a manifest: french - Write salut.txt"),
  ),
  manifest: z.optional(words(LONGEST_PROPOSAL, "The whole manifest as it should be.")),
  project,
});
export const dispatchInput = z.strictObject({
  owner: words(200, "Who does the work instead."),
  returns: words(
    1000,
    "How Stint knows that it is back: message, file <path>, a command in backticks, or GET <address> <status>.",
  ),
  look: z.optional(words(20, "How often Stint looks, for example 30m.")),
  deadline: z.optional(words(20, "When Stint gives up, for example 3d.")),
  project,
});
export const createInput = z.strictObject({
  manifest: words(1000, "The Markdown file of the manifest, below the current folder."),
  text: z.optional(
    words(LONGEST_MANIFEST, "What to write into that file if it does not exist yet."),
  ),
});
export const ofProjectInput = z.strictObject({ project });
export const logInput = z.strictObject({
  project,
  lines: z.optional(
    z
      .int()
      .check(z.minimum(1), z.maximum(MOST_LINES), z.describe("How many of the last. Default: 20.")),
  ),
});

export type ToolSchema<T> = z.ZodMiniType<T>;

/** As it is told to clients. */
export function jsonSchemaOf(schema: z.ZodMiniType): Record<string, unknown> {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: "input" });
  return rest;
}

/** @returns the input, or what is wrong with each argument */
export function readInput<T>(
  schema: ToolSchema<T>,
  given: unknown,
):
  | { readonly ok: true; readonly input: T }
  | { readonly ok: false; readonly wrong: readonly string[] } {
  const read = schema.safeParse(given);
  if (read.success) return { ok: true, input: read.data };
  return { ok: false, wrong: [...new Set(read.error.issues.map(inWords))] };
}

function inWords(issue: z.core.$ZodIssue): string {
  const name = issue.path.join(".");
  if (issue.code === "unrecognized_keys") {
    return `there is no argument ${issue.keys.slice(0, 5).map(short).join(", ")}`;
  }
  if (issue.code === "invalid_value") {
    return `${name} is missing or wrong: use one of ${issue.values.join(", ")}`;
  }
  if (issue.code === "too_big") {
    const isText = issue.origin === "string";
    return `${name} is ${isText ? "longer" : "more"} than ${issue.maximum}${isText ? " characters" : ""}`;
  }
  if (issue.code === "too_small") {
    return issue.origin === "string" ? `${name} is empty` : `${name} is less than ${issue.minimum}`;
  }
  if (issue.code !== "invalid_type") return `${name} is blank, or contains control characters`;
  const what = name === "" ? "the arguments are" : `${name} is missing or`;
  return `${what} of the wrong type: use ${article(issue.expected)}`;
}

function article(type: string): string {
  return `${/^[aeiou]/.test(type) ? "an" : "a"} ${type}`;
}

/** Names of arguments are a stranger's words, too. */
function short(name: string): string {
  return JSON.stringify(name.length > 40 ? `${name.slice(0, 40)}…` : name);
}
