// A small line diff for people to read: what was taken out, what was put in, and where.

export interface LineDiff {
  readonly added: number;
  readonly removed: number;
  /** Hunks as `@@ line N @@` followed by `-` and `+` lines. */
  readonly text: string;
}

/** The largest table of the exact comparison; beyond it the changed middle counts as replaced. */
const MAX_CELLS = 4_000_000;

export function diffLines(before: string, after: string): LineDiff {
  const old = linesOf(before);
  const now = linesOf(after);
  const { start, script } = compareWhole(old, now);
  const added = script.filter((line) => line.sign === "+").length;
  const removed = script.filter((line) => line.sign === "-").length;
  if (added + removed === 0) {
    const text = before === after ? "" : "only line endings or a byte order mark differ";
    return { added, removed, text };
  }
  return { added, removed, text: hunks(script, start) };
}

/** Lines `start` to `end` of the old text, and what stands in their place. */
export interface ChangedRange {
  readonly start: number;
  readonly end: number;
  readonly lines: readonly string[];
}

export function changedRanges(old: readonly string[], now: readonly string[]): ChangedRange[] {
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
