// What one output has said so far: nobody reads the same words twice. A text that was said, whole or as a part of a
// longer one, is left out. Of a text that is not said yet nothing is cut: it may quote what a program printed.

/** Fewer words are a name, a number or a command, and may be needed again. */
const LEAST_WORDS = 4;

export class Said {
  readonly #texts: string[];

  constructor(texts: readonly string[] = []) {
    this.#texts = texts.map(plain);
  }

  has(text: string): boolean {
    const words = plain(text);
    if (words === "") return false;
    // A few words are in many texts by chance: those count where they stand for themselves.
    const isIn =
      wordsOf(words) >= LEAST_WORDS
        ? (each: string) => each.includes(words)
        : (each: string) => each.split(BETWEEN_CLAUSES).includes(words);
    return this.#texts.some((each) => each === words || isIn(each));
  }

  /** The facts that are new, each said from now on. */
  unsaid<T extends readonly [name: string, text: string, ...rest: unknown[]]>(
    facts: readonly T[],
  ): T[] {
    return facts.filter(([, text]) => {
      const isSaid = this.has(text) && wordsOf(text) >= LEAST_WORDS;
      this.#texts.push(plain(text));
      return text !== "" && !isSaid;
    });
  }
}

/** What ends one thing that is said and begins another. */
const BETWEEN_CLAUSES = /[.:;,()]+(?:\s+|$)|\s+\(/;

function wordsOf(text: string): number {
  return text.split(" ").length;
}

/** Neither case nor the signs around it make another text of it. */
function plain(text: string): string {
  return text
    .toLowerCase()
    .replace(/\s+/g, " ")
    .replace(/^[\s.:;,()]+|[\s.:;,()]+$/g, "");
}
