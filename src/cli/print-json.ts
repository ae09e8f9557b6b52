// Output for programs: one JSON document, whatever happens.
import type { Terminal } from "./terminal.ts";

export function printJson(terminal: Terminal, value: object): void {
  terminal.out(JSON.stringify(value, null, 2));
}
