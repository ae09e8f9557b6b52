// Columns for people. Cells are padded by what is seen, so colours do not disturb the columns; the
// last column is cut where a terminal ends.
import { columnsOf, padTo, shorten, shortenStart, wrapCommands, wrapWords } from "./visible.ts";

export interface Cell {
  readonly text: string;
  readonly paint?: (text: string) => string;
  /** Never cut: what a person must read to its end, or run. */
  readonly whole?: "words" | "commands" | undefined;
  /** Which part of it stays where it is cut; the end of a path says more than its beginning. */
  readonly keeps?: "beginning" | "end" | undefined;
}

export function renderTable(
  rows: readonly (readonly Cell[])[],
  options: { readonly indent?: string; readonly width?: number | undefined } = {},
): string[] {
  const indent = options.indent ?? "";
  const widths: number[] = [];
  for (const row of rows) {
    // The last cell is never padded, so its width does not count.
    row.slice(0, -1).forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, columnsOf(cell.text));
    });
  }
  return rows.map((row) => {
    let used = indent.length;
    const cells = row.map((cell, column) => {
      const isLast = column === row.length - 1;
      const room = options.width === undefined ? undefined : Math.max(8, options.width - used);
      const text = isLast
        ? fitted(cell, room, " ".repeat(used))
        : padTo(cell.text, widths[column] ?? 0);
      used += (isLast ? 0 : (widths[column] ?? 0)) + 2;
      return cell.paint === undefined ? text : cell.paint(text);
    });
    return (indent + cells.join("  ")).trimEnd();
  });
}

/** Where hardly any room is left, a narrow column of words is worse than what the terminal wraps. */
const LEAST_COLUMNS = 30;

function fitted({ text, whole, keeps }: Cell, room: number | undefined, indent: string): string {
  switch (whole) {
    case undefined:
      return keeps === "end" ? shortenStart(text, room) : shorten(text, room);
    case "words":
    case "commands": {
      if (room === undefined || room < LEAST_COLUMNS) return text;
      const wrapped = (whole === "words" ? wrapWords : wrapCommands)(text, room, "");
      return wrapped.replaceAll("\n", `\n${indent}`);
    }
    default:
      return whole satisfies never;
  }
}
