// Front matter that YAML cannot read, in plain words, at the line that is at fault, and written right where that is clear.
// The parser tells what it expected, often one line early or late.
import type { FrontMatter } from "../front-matter.ts";
import { sourceLines } from "./front-matter-source.ts";
import { errorAt, type Problem } from "../problem.ts";
import { inQuotes } from "./yaml-text.ts";

interface Told {
  /** Index of the line that is at fault. */
  readonly at: number;
  readonly message: string;
  /** Absent: what is meant is not clear. */
  readonly example?: string;
}

type Explain = (lines: readonly string[], at: number, reason: string) => Told | undefined;

export function yamlProblem(
  frontMatter: FrontMatter,
  { line, reason }: { readonly line: number; readonly reason: string },
): Problem {
  const lines = sourceLines(frontMatter);
  const reported = line - frontMatter.line - 1;
  const { at, message, example = "" } = explained(lines, reported, reason);
  const written = lines[at]?.trimEnd() || "---";
  const isIndentRight = example !== "" && indentOf(example) === indentOf(written);
  return errorAt(frontMatter.line + 1 + at, "bad-front-matter", {
    message,
    // Where the indentation is not at fault, it is not shown.
    example: isIndentRight ? example.trim() : example,
    found: isIndentRight ? written.trim() : written,
  });
}

function explained(lines: readonly string[], at: number, reason: string): Told {
  const explain = EXPLAINED.find(([part]) => reason.includes(part))?.[1];
  const fallback = { at, message: `the front matter is not valid YAML: ${reason}` };
  return (
    beginsWithBacktick(lines, at) ??
    otherFence(lines, at) ??
    explain?.(lines, at, reason) ??
    fallback
  );
}

/** Parts of the parser's messages, each with what it means here. */
const EXPLAINED: readonly (readonly [part: string, explain: Explain])[] = [
  ["Nested mappings are not allowed", (lines, at) => colonInValue(lines, at) ?? tooFar(lines, at)],
  ["Map keys must be unique", keyTwice],
  ["Tabs are not allowed as indentation", tabAsIndent],
  ["must start at the same column", otherColumn],
  ["Implicit keys need to be on a single line", noColon],
  ["Implicit map keys need to be followed by map values", noColon],
  ["must be sufficiently indented and end with a", notClosed],
  ["Missing closing", quoteNotClosed],
  ["Plain value cannot start with", signAtStart],
  ["Unexpected scalar at node end", quoteTooEarly],
  ["Unresolved alias", signWithMeaning("*")],
  ["Unresolved tag", signWithMeaning("!")],
  ["not a list of keys with values", noSpace],
];

/** `key: value` or `- value`, with what stands before the value. */
const WITH_VALUE = /^(\s*(?:-\s+)?(?:[^\s:#"'-][^:#"']*:|-)\s+)(\S.*)$/;

function valueOf(line = ""): readonly [before: string, value: string] | undefined {
  const [, before, value] = WITH_VALUE.exec(line) ?? [];
  return before === undefined || value === undefined ? undefined : [before, value.trimEnd()];
}

function quoted(line = ""): string | undefined {
  const parts = valueOf(line);
  // What follows a hash is a comment, and not a part of the value.
  if (parts === undefined || /\s#/.test(parts[1])) return undefined;
  return `${parts[0]}${inQuotes(parts[1])}`;
}

function beginsWithBacktick(lines: readonly string[], at: number): Told | undefined {
  if (valueOf(lines[at])?.[1].startsWith("`") !== true) return undefined;
  const message = "in the front matter a value that starts with a backtick needs quotes";
  return told(at, message, quoted(lines[at]));
}

function colonInValue(lines: readonly string[], at: number): Told | undefined {
  if (!/:(?:\s|$)/.test(valueOf(lines[at])?.[1] ?? "")) return undefined;
  const message = "in the front matter a value with a colon and a space in it needs quotes";
  return told(at, message, quoted(lines[at]));
}

/** The parser reports the line above, whose value it takes this line for. */
function tooFar(lines: readonly string[], above: number): Told | undefined {
  const at = lines.findIndex((line, index) => index > above && line.trim() !== "");
  if (at === -1 || indentOf(lines[at]).length <= indentOf(lines[above]).length) return undefined;
  const message =
    "this line is indented further than the key above it, which has a value already; keys of one level begin in the same column";
  return told(at, message, `${indentOf(lines[above])}${lines[at]?.trim()}`);
}

function keyTwice(lines: readonly string[], at: number): Told | undefined {
  const key = /^\s*["']?([^"':]+)["']?\s*:/.exec(lines[at] ?? "")?.[1]?.trim();
  if (key === undefined) return undefined;
  const indent = indentOf(lines[at]);
  const first = lines.findLastIndex(
    (line, index) =>
      index < at &&
      indentOf(line) === indent &&
      /^["']?([^"':]+)/.exec(line.trim())?.[1]?.trim() === key,
  );
  // The opening fence is the first line of the manifest.
  const where = first === -1 ? "" : `; the first is on line ${first + 2}`;
  return { at, message: `the key ${key} is written twice${where}: keep one of them` };
}

function tabAsIndent(lines: readonly string[], at: number): Told {
  const isBelowKey = /:\s*$/.test(lines[at - 1] ?? "");
  const indent = `${indentOf(lines[at - 1]).replaceAll("\t", "  ")}${isBelowKey ? "  " : ""}`;
  return told(at, "YAML takes no tab as indentation: use spaces", `${indent}${lines[at]?.trim()}`);
}

function otherColumn(_: readonly string[], at: number): Told {
  return { at, message: "keys of one level begin in the same column, and this one does not" };
}

/** `----` */
function otherFence(lines: readonly string[], at: number): Told | undefined {
  if (!/^(?:--|-{4,}|[–—]-?)\s*$/.test(lines[at] ?? "")) return undefined;
  return told(at, "the front matter ends with a line of three dashes, and this is not one", "---");
}

/** `agent:codex` */
function noSpace(lines: readonly string[]): Told | undefined {
  const at = lines.findIndex((line) => /^\s*[A-Za-z_]+:[^\s:/]/.test(line));
  if (at === -1) return undefined;
  const message = "in the front matter a space is needed between the colon of a key and its value";
  return told(at, message, lines[at]?.trimEnd().replace(":", ": "));
}

function noColon(lines: readonly string[], at: number): Told | undefined {
  const line = lines[at] ?? "";
  if (line.includes(":")) return noSpace(lines);
  const [, key, value] = /^(\s*[A-Za-z]\w*)\s+(\S+)$/.exec(line.trimEnd()) ?? [];
  const example = key === undefined ? undefined : `${key}: ${value}`;
  return told(
    at,
    "each line of the front matter is a key, a colon and a value; this one has no colon",
    example,
  );
}

/** The parser reports the line where the end should have been. */
function notClosed(lines: readonly string[], reported: number, reason: string): Told | undefined {
  const end = reason.endsWith("}") ? "}" : "]";
  const begin = end === "}" ? "{" : "[";
  const at = lines.findLastIndex(
    (line, index) => index <= reported && line.split(begin).length > line.split(end).length,
  );
  if (at === -1) return undefined;
  const line = lines[at]?.trimEnd() ?? "";
  const isWhole = at + 1 >= reported && !/[[{,]$/.test(line);
  const message = `what begins with ${begin} on this line needs a ${end} at its end`;
  return told(at, message, isWhole ? `${line}${end === "}" ? " }" : "]"}` : undefined);
}

/** The parser reads to the end of the front matter for it. */
function quoteNotClosed(lines: readonly string[], _: number, reason: string): Told | undefined {
  const quote = reason.includes("'") ? "'" : '"';
  const at = lines.findIndex((line) => line.split(quote).length % 2 === 0);
  if (at === -1) return undefined;
  const line = lines[at]?.trimEnd() ?? "";
  const example = valueOf(line)?.[1].startsWith(quote) === true ? `${line}${quote}` : undefined;
  return told(
    at,
    `the text that begins with ${quote} on this line has no ${quote} at its end`,
    example,
  );
}

/** `'it's'`: the second quote ends the text. */
function quoteTooEarly(lines: readonly string[], at: number): Told | undefined {
  const [before = "", value = ""] = valueOf(lines[at]) ?? [];
  const quote = value.slice(0, 1);
  if (quote !== "'" && quote !== '"') return undefined;
  const text = value.endsWith(quote) ? value.slice(1, -1) : value;
  const message = `the text in quotes ends at its second ${quote}, and more follows`;
  return told(at, message, `${before}${inQuotes(text)}`);
}

function signAtStart(lines: readonly string[], at: number): Told {
  const sign = valueOf(lines[at])?.[1].slice(0, 1);
  const what = sign === undefined ? "such a sign" : sign;
  return told(
    at,
    `in the front matter a value that starts with ${what} needs quotes`,
    quoted(lines[at]),
  );
}

/** YAML reads `*.csv` as the name of another value, and `!a` as a kind of value. */
function signWithMeaning(sign: "*" | "!"): Explain {
  const value = new RegExp(`(?:[:,[-]\\s*)\\${sign}\\S`);
  return (lines, reported) => {
    const isThere = value.test(lines[reported] ?? "");
    const at = isThere ? reported : lines.findIndex((line) => value.test(line));
    if (at === -1) return undefined;
    const example = lines[at]?.replace(
      /((?::|^\s*-)\s+|[,[]\s*)([*!][^\s,\]]+)/g,
      (_, before: string, text: string) => `${before}${inQuotes(text)}`,
    );
    return told(at, `in the front matter a value that starts with ${sign} needs quotes`, example);
  };
}

function told(at: number, message: string, example: string | undefined): Told {
  return { at, message, ...(example !== undefined && { example }) };
}

function indentOf(line = ""): string {
  return /^\s*/.exec(line)?.[0] ?? "";
}
