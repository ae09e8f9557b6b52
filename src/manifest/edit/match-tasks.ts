// Which task of the manifest is which task of state. Progress hangs on the answer, so the surest
// sign goes first: an explicit id, the same text, the same name, a similar text, the same place.
// The box takes no part: a task stays itself whether it is checked or not.
import { numberedTaskId, type TaskId } from "../../core/ids.ts";

export interface KnownTask {
  readonly id: string;
  readonly name: string;
  readonly title: string;
  /** Done or skipped: its id never passes to a text that does not resemble it. */
  readonly isSettled: boolean;
}

export interface WrittenTask {
  readonly name: string;
  readonly title: string;
  readonly explicitId?: TaskId;
}

export interface TaskMatch {
  /** Per written task the position of the known one it is. */
  readonly knownOf: readonly (number | undefined)[];
  /** Positions of the known tasks that are no longer written. */
  readonly removed: readonly number[];
}

/** Both lists in document order; the same lists always give the same answer. */
export function matchTasks(
  known: readonly KnownTask[],
  written: readonly WrittenTask[],
): TaskMatch {
  const pairing = new Pairing(known.length, written.length);
  const knownTitles = known.map(({ title }) => title);
  const writtenTitles = written.map(({ title }) => title);
  const ids = known.map(({ id }) => id);
  const names = known.map(({ name }) => name);
  const explicitIds = written.map(({ explicitId }) => explicitId);
  matchByKey(pairing, ids, explicitIds);
  matchByKey(pairing, knownTitles, writtenTitles);
  matchByKey(pairing, names, written.map(ownNameOf));
  matchBySimilarity(pairing, knownTitles, writtenTitles);
  matchByPlace(pairing, known);
  return { knownOf: pairing.knownOf, removed: pairing.freeKnown() };
}

/** An id for every written task: its match's, its own explicit one, or the next free number. */
export function assignIds(
  known: readonly (KnownTask & { readonly id: TaskId })[],
  written: readonly WrittenTask[],
  nextNumber: number,
  match: TaskMatch = matchTasks(known, written),
): TaskId[] {
  const taken = new Set<string>(known.map((task) => task.id));
  for (const task of written) if (task.explicitId !== undefined) taken.add(task.explicitId);
  let next = nextNumber;
  return written.map((task, index) => {
    const matched = known[match.knownOf[index] ?? -1];
    if (matched !== undefined) return matched.id;
    if (task.explicitId !== undefined) return task.explicitId;
    while (taken.has(numberedTaskId(next))) next++;
    return numberedTaskId(next++);
  });
}

/** A name made from the task's position says nothing about which task it is. */
function ownNameOf({ name }: WrittenTask): string | undefined {
  return /^task-\d+(?:-\d+)?$/.test(name) ? undefined : name;
}

class Pairing {
  readonly knownOf: (number | undefined)[];
  readonly writtenOf: (number | undefined)[];

  constructor(knownCount: number, writtenCount: number) {
    this.knownOf = Array.from({ length: writtenCount }, () => undefined);
    this.writtenOf = Array.from({ length: knownCount }, () => undefined);
  }

  pair(known: number, written: number): void {
    this.knownOf[written] = known;
    this.writtenOf[known] = written;
  }

  isFree(known: number, written: number): boolean {
    return this.writtenOf[known] === undefined && this.knownOf[written] === undefined;
  }

  freeKnown(): number[] {
    return freePositions(this.writtenOf);
  }

  freeWritten(): number[] {
    return freePositions(this.knownOf);
  }
}

function freePositions(partners: readonly (number | undefined)[]): number[] {
  const free: number[] = [];
  for (const [index, partner] of partners.entries()) if (partner === undefined) free.push(index);
  return free;
}

/** Equal keys pair up in document order, so that duplicates keep their relative order. */
function matchByKey(
  pairing: Pairing,
  knownKeys: readonly string[],
  writtenKeys: readonly (string | undefined)[],
): void {
  const waiting = new Map<string, { positions: number[]; next: number }>();
  for (const index of pairing.freeKnown()) {
    const key = knownKeys[index] ?? "";
    const entry = waiting.get(key);
    if (entry === undefined) waiting.set(key, { positions: [index], next: 0 });
    else entry.positions.push(index);
  }
  for (const index of pairing.freeWritten()) {
    const key = writtenKeys[index];
    const entry = key === undefined ? undefined : waiting.get(key);
    const position = entry?.positions[entry.next];
    if (entry === undefined || position === undefined) continue;
    entry.next++;
    pairing.pair(position, index);
  }
}

function matchBySimilarity(
  pairing: Pairing,
  knownTitles: readonly string[],
  writtenTitles: readonly string[],
): void {
  const freeKnown = pairing.freeKnown();
  const freeWritten = pairing.freeWritten();
  const pairs = similarPairs(
    freeKnown.map((index) => knownTitles[index] ?? ""),
    freeWritten.map((index) => writtenTitles[index] ?? ""),
  );
  for (const { left, right } of pairs) {
    const knownIndex = freeKnown[left];
    const writtenIndex = freeWritten[right];
    if (knownIndex === undefined || writtenIndex === undefined) continue;
    if (pairing.isFree(knownIndex, writtenIndex)) pairing.pair(knownIndex, writtenIndex);
  }
}

/**
 * Between two tasks that are neighbours before and now, as many reworded tasks as before keep
 * their ids in order. A settled task stays out: new work in its place is not done work.
 */
function matchByPlace(pairing: Pairing, known: readonly KnownTask[]): void {
  const { knownOf, writtenOf } = pairing;
  let start = -1;
  for (let end = 0; end <= writtenOf.length; end++) {
    const isAnchor = end === writtenOf.length || writtenOf[end] !== undefined;
    if (!isAnchor) continue;
    const from = start < 0 ? -1 : (writtenOf[start] ?? -1);
    const to = end === writtenOf.length ? knownOf.length : (writtenOf[end] ?? -1);
    const length = end - start - 1;
    const hasSettled = known.slice(start + 1, end).some((task) => task.isSettled);
    if (length > 0 && to - from - 1 === length && !hasSettled && isAllFree(knownOf, from + 1, to)) {
      for (let i = 1; i <= length; i++) pairing.pair(start + i, from + i);
    }
    start = end;
  }
}

function isAllFree(partners: readonly (number | undefined)[], from: number, to: number): boolean {
  for (let i = from; i < to; i++) if (partners[i] !== undefined) return false;
  return true;
}

interface SimilarPair {
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

/**
 * Pairs of texts that read alike, best first. Only texts that share an uncommon word are compared,
 * so that ten thousand against ten thousand stays cheap.
 */
function similarPairs(lefts: readonly string[], rights: readonly string[]): SimilarPair[] {
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
