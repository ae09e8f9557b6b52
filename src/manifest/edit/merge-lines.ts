// Two changes of one text, put together line by line. Where both changed the same lines in different
// ways nothing is put together: a person decides.
import { changedRanges, type ChangedRange } from "./line-diff.ts";

/** @returns undefined when the changes contradict each other */
export function mergeLines(base: string, ours: string, theirs: string): string | undefined {
  if (ours === theirs || base === theirs) return ours;
  if (base === ours) return theirs;
  const lines = wholeLines(base);
  const own = changedRanges(lines, wholeLines(ours));
  const other = changedRanges(lines, wholeLines(theirs));
  const added: ChangedRange[] = [];
  for (const range of other) {
    const met = own.filter((each) => overlap(each, range));
    if (met.length === 0) added.push(range);
    else if (!met.every((each) => isSame(each, range))) return undefined;
  }
  const result = [...lines];
  for (const { start, end, lines: put } of [...own, ...added].toSorted(fromTheEnd)) {
    result.splice(start, end - start, ...put);
  }
  return result.join("");
}

/** Two insertions at one place overlap too: nobody knows which comes first. */
function overlap(a: ChangedRange, b: ChangedRange): boolean {
  if (a.start === b.start) return true;
  return a.start < b.end && b.start < a.end;
}

function isSame(a: ChangedRange, b: ChangedRange): boolean {
  return a.start === b.start && a.end === b.end && a.lines.join("") === b.lines.join("");
}

/** An insertion before a line goes in after that line was replaced. */
function fromTheEnd(a: ChangedRange, b: ChangedRange): number {
  return b.start - a.start || b.end - a.end;
}

/** Each line with its own end, so that every byte of a text is in one of them. */
export function wholeLines(text: string): string[] {
  return text.match(/[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+$/g) ?? [];
}
