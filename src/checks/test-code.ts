// What a file of tests holds, told from its text: tests with their names and assertions, what is skipped, what runs
// alone. By language family and by words, without a parser; comments and the insides of strings do not count.
import { codeAlone } from "./code-alone.ts";
import { type Family, familyOf } from "./test-families.ts";

export interface TestCode {
  readonly tests: readonly FoundTest[];
  /** Functions that assert for the tests that call them. */
  readonly helpers: readonly Asserting[];
  /** All functions that it declares. */
  readonly functions: readonly string[];
  readonly skips: number;
  readonly alone: number;
  /** Texts of inline snapshots, blanks aside. */
  readonly inlineSnapshots: readonly string[];
}

/** What asserts something: how often, and the lines that do so, blanks aside. */
export interface Asserting {
  /** "" where it has none that can be read. */
  readonly name: string;
  readonly assertions: number;
  readonly lines: readonly string[];
}

export interface FoundTest extends Asserting {
  /** How often it runs, once for each row of a table; null where the table is not written there. */
  readonly rows: number | null;
  /** Marks in it that skip it or a part of it. */
  readonly skips: number;
  /** All of it, a line each, as lines are compared. */
  readonly all: readonly string[];
}

/**
 * @param helpers functions of this and other files that assert for the tests that call them
 * @returns undefined for a file whose language is not known, and for one that is no person's
 */
export function readTestCode(path: string, text: string, helpers: Helpers): TestCode | undefined {
  const family = familyOf(path);
  if (family === undefined || text.length > MOST_CHARACTERS) return undefined;
  const code = read(family, text);
  if (matches(code.plain, family.tests) > MOST_TESTS) return undefined;
  const starts = testStarts(code);
  const bodies = helperBodies(code);
  const counted = without(bodies, code.plain);
  return {
    tests: starts.map(({ name, rows, at }, index): FoundTest => {
      const to = starts[index + 1]?.at ?? text.length;
      return {
        name,
        rows,
        assertions: assertionsOf(family, counted.slice(at, to), helpers),
        skips: matches(code.plain.slice(at, to), family.skips),
        lines: linesOf(
          code,
          at,
          to,
          (_, line) => countAssertions(family, counted.slice(...line)) > 0,
        ),
        all: linesOf(code, at, to, (line) => line.trim() !== ""),
      };
    }),
    helpers: bodies.map(({ name, asserts, from, to }) => ({
      name,
      assertions: asserts,
      lines: linesOf(code, from, to, (line) => countAssertions(family, line) > 0),
    })),
    functions: [...code.plain.matchAll(family.functions)].map(nameIn),
    skips: matches(code.plain, family.skips),
    alone: family.alone === undefined ? 0 : matches(code.plain, family.alone),
    inlineSnapshots: inlineSnapshots(code),
  };
}

/** The lines of a file that are not comments alone, as lines are compared. */
export function codeLines(path: string, text: string): readonly string[] {
  const family = familyOf(path);
  if (family === undefined || text.length > MOST_CHARACTERS) return text.split("\n").map(plainLine);
  return linesOf(read(family, text), 0, text.length, (line) => line.trim() !== "");
}

/** A text, and the same without comments and what strings hold: what is at a place in one is there in the other. */
interface Code {
  readonly family: Family;
  readonly text: string;
  readonly plain: string;
  /** For each opening bracket the place after the one that closes it; 0 where none does. */
  readonly closings: Int32Array;
}

function read(family: Family, text: string): Code {
  const plain = codeAlone(text, family);
  return { family, text, plain, closings: closingsOf(plain) };
}

function closingsOf(plain: string): Int32Array {
  const closings = new Int32Array(plain.length);
  const open: number[] = [];
  for (let at = 0; at < plain.length; at += 1) {
    const char = plain.charAt(at);
    if ("([{".includes(char)) open.push(at);
    else if (")]}".includes(char)) {
      const from = open.pop();
      if (from !== undefined) closings[from] = at + 1;
    }
  }
  return closings;
}

/** The lines between two places for which the plain line, or its range, is as wanted. */
function linesOf(
  { text, plain }: Code,
  from: number,
  to: number,
  isWanted: (line: string, range: readonly [number, number]) => boolean,
): readonly string[] {
  const found: string[] = [];
  let at = from;
  while (at < to) {
    const newline = text.indexOf("\n", at);
    const end = newline === -1 || newline > to ? to : newline;
    if (isWanted(plain.slice(at, end), [at, end])) found.push(plainLine(text.slice(at, end)));
    at = end + 1;
  }
  return found;
}

/** More than anybody writes: what is longer was made by a program. */
const MOST_TESTS = 5000;
const MOST_CHARACTERS = 256 * 1024;

interface Start {
  readonly at: number;
  readonly name: string;
  readonly rows: number | null;
}

function testStarts(code: Code): readonly Start[] {
  return [...code.plain.matchAll(code.family.tests)].map((match): Start => {
    const at = withDecorators(code.plain, match.index);
    const name = nameIn(match);
    if (name !== "") return { at, name, rows: rowsAbove(code, match.index, match[0]) };
    return { at, ...titled(match[0], code, match.index + match[0].length) };
  });
}

/** Decorators right above a test are part of it. */
function withDecorators(plain: string, at: number): number {
  const before = plain.slice(Math.max(0, at - MOST_DECORATED), at);
  const [decorators = ""] = /(?:\n[ \t]*@[^\n]*)+\n[ \t]*$/.exec(before) ?? [];
  return at - decorators.length;
}

const MOST_DECORATED = 400;

/** The title of a test that is a call, and how many rows the table has that it is called with. */
function titled(call: string, code: Code, after: number): Omit<Start, "at"> {
  const { plain, text } = code;
  let at = after;
  let rows: number | null = 1;
  if (/\.(?:each|for)\s*$/.test(call)) {
    const isTemplate = plain.charAt(at) === "`";
    const end = isTemplate ? plain.indexOf("`", at + 1) + 1 : (code.closings[at] ?? 0);
    if (end === 0) return { name: "", rows: null };
    rows = isTemplate ? templateRows(text.slice(at + 1, end - 1)) : elements(code, at + 1);
    at = end;
  } else if (/\.(?:skipIf|runIf)\s*$/.test(call)) at = code.closings[at] || at;
  at += /^[\s(]*/.exec(plain.slice(at, at + 200))?.[0].length ?? 0;
  const quote = plain.charAt(at);
  const end = quote === "" || !"'\"`".includes(quote) ? -1 : plain.indexOf(quote, at + 1);
  if (end === -1) return { name: "", rows: null };
  const name = text.slice(at + 1, end);
  // A title that is put together stands in a loop.
  return { name, rows: rows === 1 && name.includes("${") ? null : rows };
}

/** Rows that decorators above a test, or attributes of it, give it. */
function rowsAbove(code: Code, at: number, match: string): number | null {
  if (!code.family.files.test("x.py")) {
    return Math.max(1, matches(match, /\[(?:InlineData|TestCase|DataRow)\b/g));
  }
  const from = Math.max(0, at - MOST_ABOVE, code.plain.lastIndexOf("def ", at - 1));
  let rows: number | null = 1;
  for (const { index, 0: call } of code.plain
    .slice(from, at)
    .matchAll(/parametrize\([^,)]*,\s*/g)) {
    const counted = elements(code, from + index + call.length);
    rows = rows === null || counted === null ? null : rows * counted;
  }
  return rows;
}

const MOST_ABOVE = 20_000;

/** The elements of one list that is written out from a place on; null for anything else. */
function elements({ plain, closings }: Code, from: number): number | null {
  const blanks = /^\s*/.exec(plain.slice(from, from + 200))?.[0].length ?? 0;
  const open = from + blanks;
  const end = closings[open] ?? 0;
  if (plain.charAt(open) !== "[" || end === 0) return null;
  let count = 0;
  let isOpen = false;
  for (let at = open + 1; at < end - 1; at += 1) {
    const char = plain.charAt(at);
    if (char === ",") isOpen = false;
    else if (!isOpen && char.trim() !== "") {
      isOpen = true;
      count += 1;
    }
    // What is inside of an element is no element.
    if (closings[at] !== 0) at = (closings[at] ?? 0) - 1;
  }
  return count;
}

function templateRows(table: string): number {
  return Math.max(0, table.split("\n").filter((line) => line.trim() !== "").length - 1);
}

/** Functions that assert for the tests that call them, with how much each of them does. */
export type Helpers = ReadonlyMap<string, number>;

/** Those that a file declares. */
export function helpersIn(path: string, text: string): Helpers {
  const family = familyOf(path);
  if (family === undefined || text.length > MOST_CHARACTERS) return new Map();
  const bodies = helperBodies(read(family, text));
  // One whose own name asserts counts by its calls already.
  const others = bodies.filter(({ name }) => matches(` ${name}(`, family.asserts) === 0);
  return new Map(others.map(({ name, asserts }) => [name, asserts]));
}

interface HelperBody {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  readonly asserts: number;
}

function helperBodies(code: Code): readonly HelperBody[] {
  const { family, plain } = code;
  const declared = [...plain.matchAll(family.functions)];
  if (declared.length > MOST_TESTS) return [];
  const tests = [...plain.matchAll(family.tests)];
  // A test itself, or what only holds tests.
  const isOfTests = (from: number, to: number): boolean =>
    tests.some(({ index, 0: { length } }) => from < index + length && index < to);
  return declared.flatMap((match): readonly HelperBody[] => {
    const { index: from } = match;
    const after = from + match[0].length;
    const to = bodyEnd(code, from, after);
    const asserts = isOfTests(from, to) ? 0 : countAssertions(family, plain.slice(after, to));
    return asserts === 0 ? [] : [{ name: nameIn(match), from, to, asserts }];
  });
}

/** The group of a match that holds a name; "" where none does. */
function nameIn(match: RegExpExecArray): string {
  return match.slice(1).find((each) => each !== undefined) ?? "";
}

/** Where a function ends that is declared at `from`: by its indentation, or by its brackets. */
function bodyEnd({ family, plain, closings }: Code, from: number, after: number): number {
  if (family.comments === "hash") {
    const [indent = ""] = /^[ \t]*/.exec(plain.slice(from, after)) ?? [];
    const below = new RegExp(`\\n(?!${indent}[ \\t]|[ \\t]*(?:\\n|$))`, "g");
    below.lastIndex = after;
    return below.exec(plain)?.index ?? plain.length;
  }
  let at = after;
  // The parameters come first, unless it is an arrow whose body begins here.
  if (!/=>\s*$/.test(plain.slice(after - 4, after))) {
    const open = plain.indexOf("(", plain.charAt(after - 1) === "(" ? after - 1 : after);
    at = open === -1 ? after : closings[open] || after;
  }
  const rest = /^[^{(\n;]*/.exec(plain.slice(at, at + 500))?.[0].length ?? 0;
  return closings[at + rest] || at + rest;
}

/** The code with blanks in place of the helpers: they count where they are called. */
function without(bodies: readonly HelperBody[], plain: string): string {
  let rest = plain;
  for (const { from, to } of bodies) {
    rest = rest.slice(0, from) + rest.slice(from, to).replaceAll(/[^\n]/g, " ") + rest.slice(to);
  }
  return rest;
}

/** A line as it is compared: without blanks, and without what a formatter adds. */
export function plainLine(line: string): string {
  return line.replaceAll(/[\s;,]/g, "").replaceAll(/["`]/g, "'");
}

function assertionsOf(family: Family, code: string, helpers: Helpers): number {
  let called = 0;
  for (const [, name = ""] of code.matchAll(/(?<![\w$])([A-Za-z_$][\w$]*)!?\s*(?=\()/g)) {
    called += helpers.get(name) ?? 0;
  }
  return countAssertions(family, code) + called;
}

/** What holds always asserts nothing. */
function countAssertions({ asserts }: Family, code: string): number {
  return Math.max(0, matches(code, asserts) - matches(code, ALWAYS_TRUE));
}

const ALWAYS_TRUE =
  /\bexpect\(\s*(?:true|1)\s*\)\.to(?:Be|Equal|BeTruthy|BeDefined)\(\s*(?:true|1)?\s*\)|\bassert(?:\.ok|True|_true)?\(\s*(?:true|True|1)\s*\)|\bassert\s+(?:True|1)\b|\bassert!\(\s*true\s*\)/g;

function matches(code: string, pattern: RegExp): number {
  return code.match(pattern)?.length ?? 0;
}

function inlineSnapshots({ plain, text }: Code): readonly string[] {
  const calls = plain.matchAll(
    /\.(?:toMatchInlineSnapshot|toThrowErrorMatchingInlineSnapshot)\(\s*[`'"]/g,
  );
  return [...calls].map((match) => {
    const from = match.index + match[0].length;
    const end = plain.indexOf(match[0].at(-1) ?? "`", from);
    return text
      .slice(from, end === -1 ? undefined : end)
      .replaceAll(/\s+/g, " ")
      .trim();
  });
}
