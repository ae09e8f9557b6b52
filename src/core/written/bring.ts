// `bring:` says what a new workspace gets of the files that git does not hold: what is usual, all,
// nothing, or what a list names. Its patterns are those of a .gitignore, and only git says what they match.
import { pathBelowProblem, plainPath } from "./path-below.ts";
import { readable, type ReadValue, unreadable } from "./read-value.ts";

/** In a list `default` stands for what is usual, and `!pattern` takes away. */
export type Bring = "default" | "all" | "none" | readonly string[];

const WORDS = ["default", "all", "none"] as const;
const ALONE = ["all", "none"] as const;

export function readBring(value: unknown): ReadValue<Bring> {
  const word = WORDS.find((each) => each === value);
  if (word !== undefined) return readable(word);
  const patterns: readonly unknown[] = Array.isArray(value) ? value : [value];
  const texts = patterns.filter((each) => typeof each === "string").map(fromTheTop);
  if (texts.length < patterns.length || texts.length === 0) {
    return unreadable("expected all, none, default, or a list of folders and patterns");
  }
  const mixed = ALONE.find((each) => texts.includes(each));
  if (mixed !== undefined) return unreadable(`"${mixed}" stands alone, as bring: ${mixed}`);
  const reason = texts.map(patternProblem).find((each) => each !== undefined);
  if (reason !== undefined) return unreadable(reason);
  return texts.every(isTakenAway)
    ? unreadable(`it only says what is left out; write bring: [default, ${quoted(texts)}]`)
    : readable(texts);
}

export function isTakenAway(pattern: string): boolean {
  return pattern.startsWith("!");
}

/** Git knows no `../` in a pattern. */
function fromTheTop(pattern: string): string {
  return pattern.replace(/^(!?)(?:\.\/+)+/, "$1");
}

function patternProblem(pattern: string): string | undefined {
  const wanted = isTakenAway(pattern) ? pattern.slice(1) : pattern;
  const problem = pathBelowProblem(wanted);
  if (problem !== undefined) return problem;
  return plainPath(wanted) === "" ? `"${pattern}" is everything; write bring: all` : undefined;
}

function quoted(texts: readonly string[]): string {
  return texts.map((text) => JSON.stringify(text)).join(", ");
}
