// What a verb shows, before anybody knows how wide the terminal is; and the one place that fits it in.
import { columnsOf, namesCommand, padTo, visibleLine, wrapCommands, wrapWords } from "./visible.ts";

export type Block =
  /** Words: each line is broken between words, what follows is indented below it. */
  | string
  /** Commands to copy: broken only between one and the next. */
  | { readonly commands: string }
  /** A difference, a script, an example: never broken. */
  | { readonly whole: string }
  | Table;

interface Table {
  readonly rows: readonly (readonly Cell[])[];
  readonly indent?: string;
}

/** No width, no break: whoever reads a pipe finds every line whole. */
export function layOut(blocks: readonly Block[], width: number | undefined): string {
  return blocks.flatMap((block) => linesOf(block, width)).join("\n");
}

function linesOf(block: Block, width: number | undefined): readonly string[] {
  if (typeof block === "string") {
    return block.split("\n").map((line) => wrapWords(line, width, indentBelow(line)));
  }
  if ("commands" in block) {
    return [wrapCommands(block.commands, width, indentBelow(block.commands))];
  }
  if ("whole" in block) return [block.whole];
  return renderTable(block.rows, { indent: block.indent ?? "", width });
}

function indentBelow(line: string): string {
  return `${/^ */.exec(line)?.[0] ?? ""}  `;
}

/** A line that begins with what it tells of: `  Next: stint verify`. */
export function fact(name: string, text: string, paint: Paint): string {
  return `  ${paint.dim(`${name}:`)} ${visibleLine(text)}`;
}

/** A step that names a command is for copying; one that does not is words. */
export function breaksOf(step: string): "words" | "commands" {
  return namesCommand(step) ? "commands" : "words";
}

/** What to do after this, ready to be copied: the first step, then those that follow or could be taken instead. */
export function nextFacts(
  steps: readonly string[],
  paint: Paint,
  others: "Then" | "Or" = "Then",
): Block[] {
  return steps.map((step, index) => {
    const line = fact(index === 0 ? "Next" : others, step, paint);
    return breaksOf(step) === "words" ? line : { commands: line };
  });
}

export interface Cell {
  readonly text: string;
  readonly paint?: (text: string) => string;
  /** Where its last cell is broken: between words, or only between one command and the next. */
  readonly breaks?: "words" | "commands" | undefined;
}

/**
 * Columns for people. Cells are padded by what is seen, so colours do not disturb the columns. Nothing is cut: the last
 * column is broken where a terminal ends, and where the others leave no room for it, each row is told as a line of words.
 */
export function renderTable(
  rows: readonly (readonly Cell[])[],
  options: { readonly indent?: string; readonly width?: number | undefined } = {},
): string[] {
  const { indent = "", width } = options;
  const widths: number[] = [];
  for (const row of rows) {
    // The last cell is never padded, so its width does not count.
    row.slice(0, -1).forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, columnsOf(cell.text));
    });
  }
  const fixed = indent.length + widths.reduce((sum, each) => sum + each + 2, 0);
  if (width !== undefined && fixed > width) {
    return rows.map((row) => inWords(row, { indent, width }));
  }
  return rows.map((row) => {
    let used = indent.length;
    const cells = row.map((cell, column) => {
      const isLast = column === row.length - 1;
      const room = width === undefined ? undefined : Math.max(LEAST_ROOM, width - used);
      const text = isLast
        ? fitted(cell, { room, below: " ".repeat(used), ownLine: `${indent}    ` })
        : padTo(cell.text, widths[column] ?? 0);
      used += (isLast ? 0 : (widths[column] ?? 0)) + 2;
      return cell.paint === undefined ? text : cell.paint(text);
    });
    const lines = (indent + cells.join("  ")).split("\n").map((line) => line.trimEnd());
    // A row whose other cells are empty has nothing to say above its last one.
    return (lines[0] === "" ? lines.slice(1) : lines).join("\n");
  });
}

function inWords(
  row: readonly Cell[],
  { indent, width }: { readonly indent: string; readonly width: number },
): string {
  const cells = row.flatMap(({ text, paint }) => {
    if (text === "") return [];
    return [paint === undefined ? text : paint(text)];
  });
  return wrapWords(indent + cells.join("  "), width, `${indent}    `);
}

const LEAST_ROOM = 8;
/** Where hardly any room is left, a narrow column of words is worse than lines of their own. */
const LEAST_COLUMNS = 30;

/** Where the last cell of a row stands. */
interface Corner {
  /** Undefined: there is no end. */
  readonly room: number | undefined;
  /** What its further lines are indented by. */
  readonly below: string;
  /** What a line is indented by that it has to itself. */
  readonly ownLine: string;
}

function fitted({ text, breaks = "words" }: Cell, { room, below, ownLine }: Corner): string {
  if (room === undefined) return text;
  const wrap = breaks === "words" ? wrapWords : wrapCommands;
  const alone = below.length + room - ownLine.length;
  const isTooNarrow = room < LEAST_COLUMNS && columnsOf(text) >= room;
  const widestOf = (lines: readonly string[]): number => Math.max(...lines.map(columnsOf));
  const beside = wrap(text, room, "").split("\n");
  const isForLineOfItsOwn = alone > room && (isTooNarrow || widestOf(beside) > room);
  return isForLineOfItsOwn
    ? ["", ...wrap(text, alone, "").split("\n")].join(`\n${ownLine}`)
    : beside.join(`\n${below}`);
}

/** Colours as plain functions. Without a terminal every one of them returns its text unchanged. */
type Colour = (text: string) => string;

export interface Paint {
  readonly bold: Colour;
  readonly dim: Colour;
  readonly green: Colour;
  readonly yellow: Colour;
  readonly red: Colour;
  readonly cyan: Colour;
}
