// Texts compared line by line: a difference for people to read, two changes put together, and a change made in a
// file whose bytes are no plain text.

/** The largest table of the exact comparison; beyond it the changed middle counts as replaced. */
const MAX_CELLS = 4_000_000;

/** Hunks as `@@ line N @@` followed by `-` and `+` lines. */
export function diffLines(before: string, after: string): string {
  if (before === after) return "";
  const { start, script } = compareWhole(linesOf(before), linesOf(after));
  return hunks(script, start) || "only line endings or a byte order mark differ";
}

/** Lines `start` to `end` of the old text, and what stands in their place. */
interface ChangedRange {
  readonly start: number;
  readonly end: number;
  readonly lines: readonly string[];
}

function changedRanges(old: readonly string[], now: readonly string[]): ChangedRange[] {
  const { start, script } = compareWhole(old, now);
  const ranges: { start: number; end: number; lines: string[] }[] = [];
  let line = start;
  let open: (typeof ranges)[number] | undefined;
  for (const { sign, text } of script) {
    if (sign === " ") open = undefined;
    else {
      if (open === undefined) ranges.push((open = { start: line, end: line, lines: [] }));
      if (sign === "+") open.lines.push(text);
      else open.end++;
    }
    if (sign !== "+") line++;
  }
  return ranges;
}

interface ScriptLine {
  readonly sign: " " | "-" | "+";
  readonly text: string;
}

function remove(text: string): ScriptLine {
  return { sign: "-", text };
}

function add(text: string): ScriptLine {
  return { sign: "+", text };
}

/** Equal lines at both ends take no part in the comparison. @returns the script of the rest, from `start` */
function compareWhole(
  old: readonly string[],
  now: readonly string[],
): { readonly start: number; readonly script: readonly ScriptLine[] } {
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start++;
  let oldEnd = old.length;
  let nowEnd = now.length;
  while (oldEnd > start && nowEnd > start && old[oldEnd - 1] === now[nowEnd - 1]) {
    oldEnd--;
    nowEnd--;
  }
  return { start, script: compare(old.slice(start, oldEnd), now.slice(start, nowEnd)) };
}

function compare(old: readonly string[], now: readonly string[]): ScriptLine[] {
  if (old.length * now.length > MAX_CELLS) return [...old.map(remove), ...now.map(add)];
  const width = now.length + 1;
  // common[i * width + j]: the longest common sequence of old from i and now from j.
  const common = new Uint32Array((old.length + 1) * width);
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = now.length - 1; j >= 0; j--) {
      const down = common[(i + 1) * width + j] ?? 0;
      const right = common[i * width + j + 1] ?? 0;
      const diagonal = common[(i + 1) * width + j + 1] ?? 0;
      common[i * width + j] = old[i] === now[j] ? diagonal + 1 : Math.max(down, right);
    }
  }
  const script: ScriptLine[] = [];
  let i = 0;
  let j = 0;
  while (i < old.length || j < now.length) {
    const left = old[i];
    const right = now[j];
    if (left !== undefined && left === right) {
      script.push({ sign: " ", text: left });
      i++;
      j++;
    } else if (
      left !== undefined &&
      (right === undefined ||
        (common[(i + 1) * width + j] ?? 0) >= (common[i * width + j + 1] ?? 0))
    ) {
      script.push(remove(left));
      i++;
    } else {
      script.push(add(right ?? ""));
      j++;
    }
  }
  return script;
}

function hunks(script: readonly ScriptLine[], offset: number): string {
  const shown: string[] = [];
  let line = offset + 1;
  let isOpen = false;
  for (const { sign, text } of script) {
    if (sign === " ") isOpen = false;
    else {
      if (!isOpen) shown.push(`@@ line ${line} @@`);
      isOpen = true;
      shown.push(sign + text);
    }
    if (sign !== "+") line++;
  }
  return shown.join("\n");
}

function linesOf(text: string): string[] {
  const lines = text.replace(/^\uFEFF/, "").split(/\r\n|\n|\r/);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

// Two changes of one text, put together line by line. Where both changed the same lines in different
// ways nothing is put together: a person decides.

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
function wholeLines(text: string): string[] {
  return text.match(/[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+$/g) ?? [];
}

// A changed text as bytes, over a file that may not be what it was read as: lines that the change does
// not touch keep the bytes they had, also where those are no UTF-8 and no text can say what they were.

/** @param read the text that `bytes` were read as */
export function rewriteBytes(bytes: Buffer, read: string, wanted: string): Buffer {
  const plain = Buffer.from(wanted, "utf8");
  if (Buffer.from(read, "utf8").equals(bytes)) return plain;
  // One character for each byte; no byte of a broken character is a line end.
  const raw = wholeLines(bytes.toString("latin1"));
  const lines = wholeLines(read);
  if (raw.length !== lines.length) return plain;
  for (const { start, end, lines: put } of changedRanges(lines, wholeLines(wanted)).toReversed()) {
    const as = put.map((line) => Buffer.from(line, "utf8").toString("latin1"));
    raw.splice(start, end - start, ...as);
  }
  return Buffer.from(raw.join(""), "latin1");
}
