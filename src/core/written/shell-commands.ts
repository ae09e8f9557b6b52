// A text of commands as a shell reads it, taken apart without a shell: its simple commands in their order, with the
// folder each is started in. Quotes, comments, here-documents, subshells and substitutions count; nothing is expanded.
import { splitWords } from "./commands.ts";

export interface SimpleCommand {
  readonly words: readonly string[];
  /** Below the root; "" is the root, null a folder that the text does not tell. */
  readonly dir: string | null;
  /** What it is given on stdin by a here-document. */
  readonly input?: string;
  /** Its output goes to another command. */
  readonly isPiped: boolean;
  /** Its output is a word of another command. */
  readonly isSubstituted: boolean;
}

/** Substitutions in substitutions; nobody writes more. */
const DEPTH = 20;

export function simpleCommands(
  text: string,
  dir: string | null = "",
  depth = DEPTH,
): readonly SimpleCommand[] {
  if (depth === 0) return [];
  const { pieces, functions } = new Reading(text).read();
  const found: SimpleCommand[] = [];
  const outer: (string | null)[] = [];
  let at = dir;
  for (const piece of pieces) {
    if (piece.kind === "open") outer.push(at);
    else if (piece.kind === "close") at = outer.pop() ?? at;
    else {
      for (const inner of piece.substituted) {
        const commands = simpleCommands(inner, at, depth - 1);
        found.push(...commands.map((each) => ({ ...each, isSubstituted: true })));
      }
      const words = withoutKeywords(withoutRedirections(wordsOf(piece.text)));
      const [first = ""] = words;
      if (first === "" || functions.has(first)) continue;
      if (first === "cd" || first === "pushd") at = folderFrom(at, words[1]);
      else {
        const { input, isPiped } = piece;
        const given = input === "" ? {} : { input };
        found.push({ words, dir: at, ...given, isPiped, isSubstituted: false });
      }
    }
  }
  return found;
}

/** A path as a command that starts in a folder means it; null where it leads out of the work tree. */
export function folderFrom(dir: string | null, path: string | undefined): string | null {
  if (dir === null || path === undefined || /^[/~-]|[$`*?]/.test(path)) return null;
  const parts: string[] = [];
  for (const part of `${dir}/${path}`.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") parts.push(part);
    else if (parts.pop() === undefined) return null;
  }
  return parts.join("/");
}

type Piece =
  | {
      readonly kind: "command";
      readonly text: string;
      readonly substituted: readonly string[];
      readonly isPiped: boolean;
      input: string;
    }
  | { readonly kind: "open" }
  | { readonly kind: "close" };

const PLAIN = /[^\\'"`$#<&|;\n()]+/y;
const QUOTED = /[^\\"`$]+/y;

/** One pass over the characters. */
class Reading {
  readonly #text: string;
  readonly #pieces: Piece[] = [];
  readonly #functions = new Set<string>();
  #at = 0;
  #depth = 0;
  #piece = "";
  /** The character before this one, in the same command. */
  #last = " ";
  #substituted: string[] = [];
  /** Here-documents that begin on the next line. */
  #awaited: { readonly end: string; readonly of: number }[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  read(): { readonly pieces: readonly Piece[]; readonly functions: ReadonlySet<string> } {
    while (this.#at < this.#text.length) this.#step(this.#text.charAt(this.#at));
    this.#close();
    return { pieces: this.#pieces, functions: this.#functions };
  }

  #step(char: string): void {
    const before = this.#last;
    switch (char) {
      case "\\":
        return this.#take(2);
      case "'":
        return this.#take(this.#through("'", this.#at + 1) - this.#at);
      case '"':
        return this.#quoted();
      case "`":
        return this.#substitute(this.#at + 1, this.#through("`", this.#at + 1));
      case "$":
        return this.#text.startsWith("$(", this.#at) && !this.#text.startsWith("$((", this.#at)
          ? this.#substitute(this.#at + 2, this.#closing(this.#at + 2))
          : this.#take(1);
      case "#":
        if (!/\s/.test(before)) return this.#take(1);
        this.#at = this.#lineEnd();
        return;
      case "<":
        return this.#hereDocument();
      case "&":
        return before === ">" || before === "<" || this.#text.charAt(this.#at + 1) === ">"
          ? this.#take(1)
          : this.#end();
      case "|":
        return before === ">" ? this.#take(1) : this.#end(!this.#isOr());
      case ";":
        return this.#end();
      case "\n":
        this.#end();
        return this.#readHereDocuments();
      case "(":
        return this.#open();
      case ")":
        return this.#closeParenthesis();
      default:
        return this.#take(this.#plainLength());
    }
  }

  /** How many characters from here on stand for themselves. */
  #plainLength(): number {
    PLAIN.lastIndex = this.#at;
    return PLAIN.exec(this.#text)?.[0].length ?? 1;
  }

  #take(length: number): void {
    this.#piece += this.#text.slice(this.#at, this.#at + length);
    this.#at += length;
    this.#last = this.#text.charAt(this.#at - 1);
  }

  #isOr(): boolean {
    return this.#text.startsWith("||", this.#at);
  }

  #end(isPiped = false): void {
    this.#close(isPiped);
    this.#at += 1;
  }

  #close(isPiped = false): void {
    const text = this.#piece.trim();
    const substituted = this.#substituted;
    if (text !== "" || substituted.length > 0) {
      this.#pieces.push({ kind: "command", text, substituted, isPiped, input: "" });
    }
    this.#piece = "";
    this.#last = " ";
    this.#substituted = [];
  }

  /** Single quotes stand for themselves in double ones; substitutions are carried out in them. */
  #quoted(): void {
    this.#take(1);
    while (this.#at < this.#text.length) {
      const char = this.#text.charAt(this.#at);
      if (char === '"') return this.#take(1);
      if (char === "\\") this.#take(2);
      else if (char === "`" || this.#text.startsWith("$(", this.#at)) this.#step(char);
      else this.#take(char === "$" ? 1 : this.#quotedLength());
    }
  }

  #quotedLength(): number {
    QUOTED.lastIndex = this.#at;
    return QUOTED.exec(this.#text)?.[0].length ?? 1;
  }

  #substitute(from: number, end: number): void {
    this.#substituted.push(this.#text.slice(from, end - 1));
    this.#piece += "$";
    this.#last = "$";
    this.#at = end;
  }

  /** @returns the place after the next such character */
  #through(char: string, from: number): number {
    const found = this.#text.indexOf(char, from);
    return found === -1 ? this.#text.length : found + 1;
  }

  /** @returns the place after the parenthesis that closes one opened before `from` */
  #closing(from: number): number {
    let depth = 1;
    for (let at = from; at < this.#text.length; at += 1) {
      const char = this.#text.charAt(at);
      if (char === "'") at = this.#through("'", at + 1) - 1;
      else if (char === "\\") at += 1;
      else if (char === "(") depth += 1;
      else if (char === ")" && --depth === 0) return at + 1;
    }
    return this.#text.length;
  }

  #lineEnd(): number {
    const end = this.#text.indexOf("\n", this.#at);
    return end === -1 ? this.#text.length : end;
  }

  #open(): void {
    const isDefinition = /^(?:function\s+)?([\w:.-]+)$/.exec(this.#piece.trim());
    const empty = /^\(\s*\)/.exec(this.#text.slice(this.#at, this.#at + 20));
    if (isDefinition !== null && empty !== null) {
      this.#functions.add(isDefinition[1] ?? "");
      this.#piece = "";
      this.#at += empty[0].length;
      return;
    }
    this.#end();
    this.#depth += 1;
    this.#pieces.push({ kind: "open" });
  }

  #closeParenthesis(): void {
    if (this.#depth === 0) {
      // It ends a pattern of `case`.
      this.#piece = "";
      this.#at += 1;
      return;
    }
    this.#end();
    this.#depth -= 1;
    this.#pieces.push({ kind: "close" });
  }

  #hereDocument(): void {
    const rest = this.#text.slice(this.#at, this.#at + 200);
    const begun = /^<<-?\s*(?:'([^'\n]+)'|"([^"\n]+)"|([\w.]+))/.exec(rest);
    if (begun === null) return this.#take(rest.startsWith("<<<") ? 3 : 1);
    const end = begun[1] ?? begun[2] ?? begun[3] ?? "";
    this.#awaited.push({ end, of: this.#pieces.length });
    this.#at += begun[0].length;
  }

  #readHereDocuments(): void {
    for (const { end, of } of this.#awaited) {
      const lines: string[] = [];
      while (this.#at < this.#text.length) {
        const line = this.#text.slice(this.#at, this.#lineEnd());
        this.#at = Math.min(this.#text.length, this.#lineEnd() + 1);
        if (line.trim() === end) break;
        lines.push(line);
      }
      const piece = this.#pieces[of];
      if (piece?.kind === "command") piece.input += `${lines.join("\n")}\n`;
    }
    this.#awaited = [];
  }
}

function wordsOf(text: string): readonly string[] {
  const split = splitWords(text);
  return split.ok ? split.words : text.replaceAll(/['"]/g, " ").trim().split(/\s+/);
}

const REDIRECTION = /^(?:\d*|&)(?:>>?|<{1,3}|>&|<&|>\|)/;

function withoutRedirections(words: readonly string[]): readonly string[] {
  const kept: string[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? "";
    const begun = REDIRECTION.exec(word);
    if (begun === null) kept.push(word);
    // What it leads to is the rest of the word, or the next one.
    else if (begun[0] === word) at += 1;
  }
  return kept;
}

/** Words of the shell itself that a command follows. */
const BEFORE_COMMAND = new Set(["if", "then", "else", "elif", "do", "while", "until", "!", "{"]);
/** Words of the shell itself that none follows. */
const NO_COMMAND = new Set("for case select function esac done fi } in ;;".split(" "));
const ASSIGNMENT = /^[A-Za-z_]\w*\+?=/;

function withoutKeywords(words: readonly string[]): readonly string[] {
  const first = words.findIndex((word) => !BEFORE_COMMAND.has(word) && !ASSIGNMENT.test(word));
  if (first === -1 || NO_COMMAND.has(words[first] ?? "")) return [];
  return words.slice(first);
}

/** The words that are no options. `valued` are the options whose value is the next word. */
export function plainWords(words: readonly string[], valued: ReadonlySet<string>): string[] {
  const plain: string[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? "";
    if (word === "--") continue;
    if (!word.startsWith("-") || word === "-") plain.push(word);
    else if (valued.has(word)) at += 1;
  }
  return plain;
}

export function wordSet(words = ""): ReadonlySet<string> {
  return new Set(words.split(" "));
}
