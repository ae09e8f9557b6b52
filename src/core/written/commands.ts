// Words of commands: quoted for a person, split without a shell.

/**
 * A name as one word of a command that a person copies: quoted where a shell would split or read it,
 * and never taken for a flag.
 */
export function shellWord(name: string): string {
  const safe = name.startsWith("-") ? `./${name}` : name;
  if (/^[\p{L}\p{N}_./@%+=:,-]+$/u.test(safe)) return safe;
  return `'${safe.replaceAll("'", "'\\''")}'`;
}

// A command line split into words as a shell would, without a shell: quotes and escapes count,
// nothing is expanded, and every other character stands for itself.

export type SplitWords =
  | { readonly ok: true; readonly words: readonly string[] }
  | { readonly ok: false; readonly reason: string };

const BLANK = /[ \t\r\n]/;
/** Inside double quotes a backslash escapes these alone, as POSIX says. */
const ESCAPABLE = new Set(["$", "`", '"', "\\"]);

export function splitWords(text: string): SplitWords {
  if (text.includes("\0")) return { ok: false, reason: "it contains a NUL character" };
  const words: string[] = [];
  let word: string | undefined;
  let at = 0;
  while (at < text.length) {
    const char = text.charAt(at);
    if (BLANK.test(char)) {
      if (word !== undefined) words.push(word);
      word = undefined;
      at++;
      continue;
    }
    const piece = readPiece(text, at);
    if (typeof piece === "string") return { ok: false, reason: piece };
    // A continued line adds nothing, not even an empty word.
    if (!piece.isNothing) word = (word ?? "") + piece.value;
    at = piece.end;
  }
  if (word !== undefined) words.push(word);
  return { ok: true, words };
}

interface WordPart {
  readonly value: string;
  readonly end: number;
  readonly isNothing?: boolean;
}

function readPiece(text: string, at: number): WordPart | string {
  switch (text.charAt(at)) {
    case "'":
      return readSingleQuoted(text, at);
    case '"':
      return readDoubleQuoted(text, at);
    case "\\":
      if (at + 1 === text.length) return "it ends in a backslash that escapes nothing";
      if (text.charAt(at + 1) === "\n") return { value: "", end: at + 2, isNothing: true };
      return { value: text.charAt(at + 1), end: at + 2 };
    default:
      return { value: text.charAt(at), end: at + 1 };
  }
}

function readSingleQuoted(text: string, at: number): WordPart | string {
  const close = text.indexOf("'", at + 1);
  if (close === -1) return unbalanced("'", at);
  return { value: text.slice(at + 1, close), end: close + 1 };
}

function readDoubleQuoted(text: string, at: number): WordPart | string {
  let value = "";
  for (let i = at + 1; i < text.length; i++) {
    const char = text.charAt(i);
    if (char === '"') return { value, end: i + 1 };
    const next = text.charAt(i + 1);
    if (char === "\\" && next === "\n") i++;
    else if (char === "\\" && ESCAPABLE.has(next)) value += text.charAt(++i);
    else value += char;
  }
  return unbalanced('"', at);
}

function unbalanced(quote: string, at: number): string {
  return `the quote ${quote} at character ${at + 1} is never closed`;
}
