// JSON as people write it for their agents, with comments and trailing commas: read with the place of every value, so
// that one member can be put in or taken out and every other byte stays. Pure.

export interface JsonNode {
  readonly value: unknown;
  readonly start: number;
  /** After its last character. */
  readonly end: number;
  /** Of an object, in the order in which they stand. */
  readonly members?: readonly JsonMember[];
}

export interface JsonMember {
  readonly key: string;
  /** Where its key begins. */
  readonly start: number;
  readonly node: JsonNode;
}

/** @returns the root, or why the text cannot be read */
export function readJson(text: string): JsonNode | string {
  try {
    return new Reader(text).read();
  } catch (error) {
    if (error instanceof Unreadable) return error.message;
    throw error;
  }
}

class Unreadable extends Error {}

/** Deeper than any settings file, and far from the end of the stack. */
const DEEPEST = 200;

class Reader {
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  read(): JsonNode {
    if (this.#text.startsWith("\uFEFF")) this.#at = 1;
    this.#skip();
    const node = this.#value();
    this.#skip();
    if (this.#at < this.#text.length) throw this.#wrong("something follows after its end");
    return node;
  }

  #value(): JsonNode {
    this.#depth += 1;
    if (this.#depth > DEEPEST) throw this.#wrong("it is nested too deeply");
    const next = this.#text[this.#at];
    const node = next === "{" ? this.#object() : next === "[" ? this.#array() : this.#scalar();
    this.#depth -= 1;
    return node;
  }

  #object(): JsonNode {
    const start = this.#at;
    const members: JsonMember[] = [];
    this.#each("}", () => {
      const at = this.#at;
      const { value: key } = this.#scalar();
      if (typeof key !== "string") throw this.#wrong("a name is missing");
      this.#skip();
      if (this.#text[this.#at] !== ":") throw this.#wrong("a colon is missing");
      this.#at += 1;
      this.#skip();
      members.push({ key, start: at, node: this.#value() });
    });
    const value = Object.fromEntries(members.map(({ key, node }) => [key, node.value]));
    return { value, start, end: this.#at, members };
  }

  #array(): JsonNode {
    const start = this.#at;
    const value: unknown[] = [];
    this.#each("]", () => void value.push(this.#value().value));
    return { value, start, end: this.#at };
  }

  /** What stands between brackets, parted by commas; one may follow the last. */
  #each(closing: string, take: () => void): void {
    this.#at += 1;
    for (;;) {
      this.#skip();
      if (this.#text[this.#at] === closing) break;
      take();
      this.#skip();
      if (this.#text[this.#at] === closing) break;
      if (this.#text[this.#at] !== ",") throw this.#wrong("a comma is missing");
      this.#at += 1;
    }
    this.#at += 1;
  }

  #scalar(): JsonNode {
    const pattern = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null/y;
    pattern.lastIndex = this.#at;
    const written = pattern.exec(this.#text)?.[0];
    if (written === undefined) throw this.#wrong("this is not a value");
    const start = this.#at;
    this.#at += written.length;
    try {
      return { value: JSON.parse(written) as unknown, start, end: this.#at };
    } catch {
      throw this.#wrong("this is not a value");
    }
  }

  #skip(): void {
    const pattern = /(?:\s|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/y;
    pattern.lastIndex = this.#at;
    this.#at += pattern.exec(this.#text)?.[0].length ?? 0;
  }

  #wrong(why: string): Unreadable {
    return new Unreadable(`line ${this.#text.slice(0, this.#at).split("\n").length}: ${why}`);
  }
}
