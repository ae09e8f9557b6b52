// Code without its comments and without what its strings hold, so that a word in it is a word of the code. By the
// characters alone: a language has comments of one kind, and characters that begin a string.

export interface Writing {
  readonly comments: "slashes" | "hash";
  /** Characters that begin a string; three of them in a row begin a long one. */
  readonly quotes: string;
}

/** The same text, as long and with the same lines, with blanks in place of comments and of what strings hold. */
export function codeAlone(text: string, writing: Writing): string {
  const pieces: string[] = [];
  let at = 0;
  const blank = (from: number, to: number): void => {
    pieces.push(text.slice(from, to).replaceAll(/[^\n]/g, " "));
    at = to;
  };
  const keep = (to: number): void => {
    pieces.push(text.slice(at, to));
    at = to;
  };
  const plain = writing.comments === "slashes" ? /[^'"`/]+/y : /[^'"`#]+/y;
  while (at < text.length) {
    plain.lastIndex = at;
    const run = plain.exec(text)?.[0].length ?? 0;
    if (run > 0) {
      keep(at + run);
      continue;
    }
    const comment = commentEnd(text, at, writing);
    if (comment !== undefined) blank(at, comment);
    else {
      const inside = stringInside(text, at, writing);
      if (inside === undefined) keep(at + 1);
      else {
        keep(inside.from);
        blank(inside.from, inside.to);
        keep(inside.end);
      }
    }
  }
  return pieces.join("");
}

function commentEnd(text: string, at: number, { comments }: Writing): number | undefined {
  if (comments === "hash") return text.charAt(at) === "#" ? lineEnd(text, at) : undefined;
  if (text.startsWith("//", at)) return lineEnd(text, at);
  if (!text.startsWith("/*", at)) return undefined;
  const end = text.indexOf("*/", at + 2);
  return end === -1 ? text.length : end + 2;
}

interface Inside {
  readonly from: number;
  readonly to: number;
  readonly end: number;
}

function stringInside(text: string, at: number, writing: Writing): Inside | undefined {
  const char = text.charAt(at);
  if (char === "/") return regexInside(text, at);
  if (!writing.quotes.includes(char) || char === "") return undefined;
  const long = char.repeat(3);
  if (char !== "`" && text.startsWith(long, at)) {
    const close = text.indexOf(long, at + 3);
    const to = close === -1 ? text.length : close;
    return { from: at + 3, to, end: Math.min(text.length, to + 3) };
  }
  const isOneLine = char !== "`";
  for (let to = at + 1; to <= text.length; to += 1) {
    const next = text.charAt(to);
    if (next === "\\") to += 1;
    else if (next === char) return { from: at + 1, to, end: to + 1 };
    else if (next === "" || (isOneLine && next === "\n"))
      return { from: at + 1, to: Math.min(to, text.length), end: Math.min(to, text.length) };
  }
  return undefined;
}

/** A regular expression where one may stand; anywhere else it is a division. */
function regexInside(text: string, at: number): Inside | undefined {
  const before = /[\w)\]}.]\s*$/.test(text.slice(Math.max(0, at - 20), at));
  const found = before
    ? null
    : /^\/(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\//.exec(text.slice(at, at + 500));
  if (found === null) return undefined;
  const end = at + found[0].length;
  return { from: at + 1, to: end - 1, end };
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end === -1 ? text.length : end;
}
