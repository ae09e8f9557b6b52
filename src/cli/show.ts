// The one place where what a verb shows meets the terminal: fitted to its width, or one JSON document.
import { type Block, layOut } from "../report/layout.ts";
import { visibleText } from "../report/visible.ts";
import type { Terminal } from "./terminal.ts";

export function show(terminal: Terminal, blocks: readonly Block[]): void {
  if (blocks.length > 0) terminal.out(layOut(blocks, terminal.width));
}

/** Beside the answer, where errors go. */
export function showAside(terminal: Terminal, blocks: readonly Block[]): void {
  terminal.err(layOut(blocks, terminal.errorWidth));
}

/** What a verb tells while it works. */
export function tellAside(terminal: Terminal, text: string): void {
  showAside(terminal, [`stint: ${visibleText(text)}`]);
}

/** Output for programs: one JSON document, whatever happens. */
export function printJson(terminal: Terminal, value: object): void {
  terminal.out(JSON.stringify(value, null, 2));
}
