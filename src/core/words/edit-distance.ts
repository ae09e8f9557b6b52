// How many typing errors lie between two words, swapped neighbours counting as one, and which known word was meant.
import type { StintError } from "../stint-error.ts";

/** The number of inserted, deleted, changed or swapped characters that turn `a` into `b`. */
export function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let best = Math.min(at(last, j) + 1, at(row, j - 1) + 1, at(last, j - 1) + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        best = Math.min(best, at(beforeLast, j - 2) + 1);
      }
      row.push(best);
    }
    beforeLast = last;
    last = row;
  }
  return at(last, b.length);
}

/** The nearest of `words`, when it is a likely misspelling: one error, or two in a long word. */
export function nearMiss<W extends string>(word: string, words: readonly W[]): W | undefined {
  let nearest: W | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const candidate of words) {
    if (Math.abs(candidate.length - word.length) > 2) continue;
    const distance = editDistance(word, candidate);
    const allowed = candidate.length >= 6 ? 2 : 1;
    if (distance <= allowed && distance < least) {
      nearest = candidate;
      least = distance;
    }
  }
  return nearest;
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}

/** `refusal` is given the nearest of them, and the words that ask whether it is meant. @throws what it returns */
export function knownWord<W extends string>(
  word: string,
  known: readonly W[],
  refusal: (near: W | undefined, isItMeant: string) => StintError,
): W {
  const found = known.find((each) => each === word);
  if (found !== undefined) return found;
  const near = nearMiss(word, known);
  throw refusal(near, near === undefined ? "" : `; did you mean ${near}?`);
}
