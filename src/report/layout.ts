// What a verb shows, before anybody knows how wide the terminal is; and the one place that fits it in.
import { type Cell, renderTable } from "./table.ts";
import { wrapCommands, wrapWords } from "./visible.ts";

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
