// What one output has said so far: nobody reads the same words twice. A text that was said, whole or as a part of a
// longer one, is left out; of a text of several sentences, those that were said.

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
    return facts.flatMap((fact) => {
      const [name, text, ...rest] = fact;
      const left = this.#left(text);
      this.#texts.push(plain(text));
      return left === "" ? [] : [[name, left, ...rest] as unknown as T];
    });
  }

  #left(text: string): string {
    if (this.has(text)) return wordsOf(text) < LEAST_WORDS ? text : "";
    const sentences = text.split(/(?<=[.!?]) +/);
    const left = sentences.filter(
      (sentence) => wordsOf(sentence) < LEAST_WORDS || !this.has(sentence),
    );
    return left.join(" ");
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
