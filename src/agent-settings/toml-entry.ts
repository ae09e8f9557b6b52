// One table in the TOML settings of an agent: put at the end, taken out again, every other byte as before. Of the rest
// only as much is understood as tells whether the table is there, in any of the ways in which TOML can write it. Pure.
import type { Look } from "./entry.ts";

export interface TomlEntry {
  /** The table, by its names. */
  readonly table: readonly [string, string];
  /** Its lines, without the header. */
  readonly lines: readonly string[];
}

export function lookInToml(text: string, entry: TomlEntry): Look {
  const [outer, inner] = entry.table;
  const read = namedIn(text);
  if (typeof read === "string") return { state: "unreadable", why: read };
  const isInline = read.some(({ path, isKey }) => isKey && path.length === 1 && path[0] === outer);
  // A value of that name leaves no room for a table in it.
  if (isInline) return { state: "unreadable", why: `${outer} is written as one value` };
  const own = read.filter(({ path }) => path[0] === outer && path[1] === inner);
  if (own.length === 0) return { state: "absent" };
  const isOurs = own.length === 1 + entry.lines.length && placeOf(text, entry) !== undefined;
  return { state: isOurs ? "current" : "edited" };
}

/** Of a text that lookInToml finds absent; undefined: there is no file. */
export function putIntoToml(text: string | undefined, entry: TomlEntry): string {
  if (text === undefined) return blockOf(entry, "\n");
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  return text + eol + blockOf(entry, eol);
}

/** Of a text that lookInToml finds current. Undefined: it was made for the entry, and the file goes with it. */
export function takeFromToml(text: string, entry: TomlEntry): string | undefined {
  if (text === blockOf(entry, "\n")) return undefined;
  const place = placeOf(text, entry);
  if (place === undefined) throw new Error("there is no such table");
  const before = text.slice(0, place.start).replace(/\r?\n$/, "");
  return before + text.slice(place.end);
}

function blockOf({ table, lines }: TomlEntry, eol: string): string {
  return [`[${table.join(".")}]`, ...lines, ""].join(eol);
}

/** Where the table stands as Stint writes it: its lines, and nothing more of it below them. */
function placeOf(text: string, entry: TomlEntry) {
  for (const eol of ["\n", "\r\n"]) {
    const block = blockOf(entry, eol);
    const start = text.startsWith(block) ? 0 : text.indexOf(`\n${block}`) + 1;
    if (start > 0 || text.startsWith(block)) return { start, end: start + block.length };
  }
  return undefined;
}

const NAME = String.raw`(?:[A-Za-z0-9_-]+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*')`;
const DOTTED = String.raw`${NAME}(?:[ \t]*\.[ \t]*${NAME})*`;
const HEADER = new RegExp(String.raw`^[ \t]*\[\[?[ \t]*(${DOTTED})[ \t]*\]\]?[ \t]*(?:#.*)?$`);
const KEY = new RegExp(String.raw`^[ \t]*(${DOTTED})[ \t]*=`);

interface Named {
  /** The names that lead to it. */
  readonly path: readonly string[];
  readonly isKey: boolean;
}

/** Every table and every key, or why they cannot be told. */
function namedIn(text: string): readonly Named[] | string {
  const named: Named[] = [];
  let table: readonly string[] = [];
  let open: OpenValue = CLOSED;
  for (const [index, raw] of text
    .replace(/^\uFEFF/, "")
    .split("\n")
    .entries()) {
    const line = raw.replace(/\r$/, "");
    if (open.quote !== null || open.depth > 0) {
      open = followed(line, open);
      continue;
    }
    if (/^[ \t]*(?:#.*)?$/.test(line)) continue;
    const header = HEADER.exec(line)?.[1];
    const key = KEY.exec(line);
    if (header !== undefined) {
      table = namesIn(header);
      named.push({ path: table, isKey: false });
    } else if (key?.[1] !== undefined) {
      named.push({ path: [...table, ...namesIn(key[1])], isKey: true });
      open = followed(line.slice(key[0].length), CLOSED);
    } else {
      return `line ${index + 1} is neither a table nor a key`;
    }
  }
  return open.quote === null && open.depth <= 0 ? named : "it ends in the middle of a value";
}

function namesIn(dotted: string): string[] {
  return [...dotted.matchAll(new RegExp(NAME, "g"))].map(([name]) =>
    name.startsWith('"') || name.startsWith("'") ? name.slice(1, -1) : name,
  );
}

/** A value that goes on in the next line: in a string of many lines, or in brackets. */
interface OpenValue {
  readonly quote: '"""' | "'''" | null;
  readonly depth: number;
}

const CLOSED: OpenValue = { quote: null, depth: 0 };

function followed(line: string, { quote, depth }: OpenValue): OpenValue {
  let rest = line;
  let inside = quote;
  let brackets = depth;
  while (rest !== "") {
    if (inside !== null) {
      const end = inside === '"""' ? /(?:[^\\]|\\.)*?"""/.exec(rest) : /.*?'''/.exec(rest);
      if (end === null || end.index !== 0) return { quote: inside, depth: brackets };
      rest = rest.slice(end[0].length);
      inside = null;
      continue;
    }
    const token =
      /^(?:"""|'''|"(?:[^"\\]|\\.)*"|'[^']*'|#.*|[[{]|[\]}]|[^"'#[\]{}]+|.)/.exec(rest)?.[0] ?? "";
    rest = rest.slice(token.length);
    if (token === '"""' || token === "'''") inside = token;
    else if (token === "[" || token === "{") brackets += 1;
    else if (token === "]" || token === "}") brackets -= 1;
  }
  return { quote: inside, depth: brackets };
}
