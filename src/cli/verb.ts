// One verb of the command line: what it takes, how to use it, and what runs. The part that runs is
// loaded only when the verb is called, so that no verb pays for another at start.
import type { System } from "../operations/system.ts";
import type { Terminal } from "./terminal.ts";

export interface VerbOption {
  readonly flags: string;
  readonly description: string;
}

/** What commander read from the command line, before the operation's schema judged it. */
export interface VerbCall {
  readonly arguments: readonly string[];
  readonly options: Readonly<Record<string, unknown>>;
  readonly json: boolean;
}

export type VerbRunner = (
  system: System,
  call: VerbCall,
  terminal: Terminal,
) => number | Promise<number>;

export interface Verb {
  readonly name: string;
  /** As commander writes arguments: `<required>`, `[optional]`, `<many...>`. */
  readonly arguments?: string;
  readonly argumentHelp?: Readonly<Record<string, string>>;
  readonly summary: string;
  readonly details?: string;
  readonly options?: readonly VerbOption[];
  readonly examples: readonly (readonly [command: string, meaning: string])[];
  readonly load: () => Promise<VerbRunner>;
}
