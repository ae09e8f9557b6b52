// Columns for people. Cells are padded by what is seen, so colours do not disturb the columns; the
// last column is cut where a terminal ends.
import { shorten } from "./visible.ts";

export interface Cell {
  readonly text: string;
  readonly paint?: (text: string) => string;
}

export function renderTable(
  rows: readonly (readonly Cell[])[],
  options: { readonly indent?: string; readonly width?: number | undefined } = {},
): string[] {
  const indent = options.indent ?? "";
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(...rows.map((row) => row[column]?.text.length ?? 0)),
  );
  return rows.map((row) => {
    let used = indent.length;
    const cells = row.map((cell, column) => {
      const isLast = column === row.length - 1;
      const room = options.width === undefined ? undefined : Math.max(8, options.width - used);
      const text = isLast ? shorten(cell.text, room) : cell.text.padEnd(widths[column] ?? 0);
      used += text.length + 2;
      return cell.paint === undefined ? text : cell.paint(text);
    });
    return (indent + cells.join("  ")).trimEnd();
  });
}
