// Pairs of texts that read alike, best first. Only texts that share an uncommon word are compared,
// so that ten thousand against ten thousand stays cheap.

export interface SimilarPair {
  readonly left: number;
  readonly right: number;
  readonly score: number;
}

const LEAST_SCORE = 0.6;

/** A word in more texts than this finds no partners; it still counts in the comparison. */
const COMMON_WORD = 50;

/** Scripts written without spaces are compared by character. */
const WORD =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{L}\p{M}\p{N}_]+/gu;

export function similarPairs(lefts: readonly string[], rights: readonly string[]): SimilarPair[] {
  if (lefts.length === 0 || rights.length === 0) return [];
  const leftWords = lefts.map(wordsOf);
  const textsWith = new Map<string, number[]>();
  for (const [left, words] of leftWords.entries()) {
    for (const word of words) {
      const texts = textsWith.get(word);
      if (texts === undefined) textsWith.set(word, [left]);
      else texts.push(left);
    }
  }
  const pairs: SimilarPair[] = [];
  for (const [right, text] of rights.entries()) {
    const words = wordsOf(text);
    const candidates = new Set<number>();
    for (const word of words) {
      const texts = textsWith.get(word) ?? [];
      if (texts.length <= COMMON_WORD) for (const left of texts) candidates.add(left);
    }
    for (const left of candidates) {
      const score = similarity(leftWords[left] ?? new Set(), words);
      if (score >= LEAST_SCORE) pairs.push({ left, right, score });
    }
  }
  return pairs.toSorted(
    (a, b) =>
      b.score - a.score ||
      Math.abs(a.left - a.right) - Math.abs(b.left - b.right) ||
      a.left - b.left ||
      a.right - b.right,
  );
}

/** Dice's coefficient over words; texts that differ in their numbers ("table 12") are different. */
function similarity(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let shared = 0;
  for (const word of a) if (b.has(word)) shared++;
  const numbersOfA = numbersIn(a);
  const numbersOfB = numbersIn(b);
  const isOtherNumber =
    numbersOfA.length > 0 && numbersOfB.length > 0 && !numbersOfA.some((word) => b.has(word));
  return isOtherNumber ? 0 : (2 * shared) / (a.size + b.size);
}

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.toLowerCase().match(WORD) ?? []);
}

function numbersIn(words: ReadonlySet<string>): string[] {
  return [...words].filter((word) => /^\p{N}+$/u.test(word));
}
