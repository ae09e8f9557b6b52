// What another program said, small enough to be passed on: long texts cut, long lists and deep structures left out.
// An agent may send megabytes in one message, and a line of a session's log is read whole.

const LONGEST_TEXT = 16 * 1024;
const MOST_ENTRIES = 64;
const DEEPEST = 8;

export function bounded(value: unknown, longest = LONGEST_TEXT, depth = 0): unknown {
  if (typeof value === "string") {
    return value.length <= longest ? value : `${value.slice(0, longest)} …`;
  }
  if (typeof value !== "object" || value === null) return value;
  if (depth >= DEEPEST) return null;
  if (Array.isArray(value)) {
    return value.slice(0, MOST_ENTRIES).map((entry) => bounded(entry, longest, depth + 1));
  }
  const entries = Object.entries(value).slice(0, MOST_ENTRIES);
  return Object.fromEntries(
    entries.map(([name, entry]) => [name.slice(0, 256), bounded(entry, longest, depth + 1)]),
  );
}

const LONGEST_LINE = 256 * 1024;

/** One line of JSON that is never longer than a reader holds; what does not fit is cut further. */
export function boundedLine(value: unknown): string {
  for (const longest of [LONGEST_TEXT, 1024, 64]) {
    const line = JSON.stringify(bounded(value, longest));
    if (line.length <= LONGEST_LINE) return line;
  }
  return "{}";
}
