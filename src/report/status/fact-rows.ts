// Facts under each other: what each tells of in a column, and beside it the words or the commands.
import type { Block, Paint } from "../layout.ts";
import { visibleLine } from "../visible.ts";

/** An empty name: it belongs to the fact above. */
export type Fact = readonly [name: string, text: string, breaks?: "words" | "commands"];

export function ifAny(name: string, text: string | null): Fact[] {
  return text === null ? [] : [[name, text]];
}

export function factRows(facts: readonly Fact[], paint: Paint): Block {
  const rows = facts.map(([name, text, breaks]) => [
    { text: name, paint: paint.dim },
    { text: visibleLine(text), breaks },
  ]);
  return { rows, indent: "  " };
}
