// `bring:` says what a new workspace gets of the files that git does not hold: what is usual, all,
// nothing, or what matches a list. A pattern starts at the root; one that names a folder means all of it.
import { pathBelowProblem, plainPath } from "./path-below.ts";
import { readable, type ReadValue, unreadable } from "./read-value.ts";

export type Bring = "default" | "all" | "none" | readonly string[];

const WORDS = ["default", "all", "none"] as const;

export function readBring(value: unknown): ReadValue<Bring> {
  const word = WORDS.find((each) => each === value);
  if (word !== undefined) return readable(word);
  const patterns: readonly unknown[] = Array.isArray(value) ? value : [value];
  const texts = patterns.filter((each) => typeof each === "string");
  if (texts.length < patterns.length || texts.length === 0) {
    return unreadable("expected all, none, default, or a list of folders and patterns");
  }
  const mixed = WORDS.find((each) => texts.includes(each));
  if (mixed !== undefined) return unreadable(`"${mixed}" stands alone, as bring: ${mixed}`);
  const reason = texts.map(patternProblem).find((each) => each !== undefined);
  return reason === undefined ? readable(texts) : unreadable(reason);
}

/** Whether a path, relative to the root, is among those that a list of patterns names. */
export function isNamedBy(patterns: readonly string[], path: string): boolean {
  const parts = plainPath(path).split("/");
  return patterns.some((pattern) => matches(plainPath(pattern).split("/"), parts));
}

function patternProblem(pattern: string): string | undefined {
  if (pattern.startsWith("!"))
    return `"${pattern}": a pattern says what is brought, never what is not`;
  const problem = pathBelowProblem(pattern);
  if (problem !== undefined) return problem;
  return plainPath(pattern) === "" ? `"${pattern}" is everything; write bring: all` : undefined;
}

/** Part by part; what is left of the path when the pattern is used up lies in a folder that it names. */
function matches(pattern: readonly string[], path: readonly string[]): boolean {
  // The places in the pattern that can be reached with the parts so far: no pattern takes long.
  let reached = afterStars(pattern, new Set([0]));
  for (const part of path) {
    if (reached.has(pattern.length)) return true;
    const next = new Set<number>();
    for (const at of reached) {
      const piece = pattern[at];
      if (piece === "**") next.add(at);
      else if (piece !== undefined && isPart(piece, part)) next.add(at + 1);
    }
    reached = afterStars(pattern, next);
  }
  return reached.has(pattern.length);
}

/** `**` may stand for no part at all. */
function afterStars(pattern: readonly string[], places: ReadonlySet<number>): Set<number> {
  const all = new Set(places);
  for (const at of all) if (pattern[at] === "**") all.add(at + 1);
  return all;
}

/** One part of a path: `*` is any text, `?` any character. */
function isPart(pattern: string, part: string): boolean {
  let reached = new Set([0]);
  const step = (places: Iterable<number>): Set<number> => {
    const all = new Set(places);
    for (const at of all) if (pattern[at] === "*") all.add(at + 1);
    return all;
  };
  reached = step(reached);
  for (const char of part) {
    const next: number[] = [];
    for (const at of reached) {
      if (pattern[at] === "*") next.push(at);
      else if (pattern[at] === "?" || pattern[at] === char) next.push(at + 1);
    }
    reached = step(next);
  }
  return reached.has(pattern.length);
}
