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
    return words !== "" && this.#texts.some((each) => each.includes(words));
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
