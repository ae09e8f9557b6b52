// Where the command line prints, and how: fitted to the width, or one JSON document. Only this folder prints; a test
// gives it a string to print to.
import { createColors } from "picocolors";
import type { News } from "../core/news.ts";
import { type Block, layOut, type Paint } from "../report/layout.ts";
import type { Screen } from "./live-view.ts";
import type { Output } from "./output.ts";
import { visibleText } from "../report/visible.ts";

export interface Terminal {
  out(text: string): void;
  err(text: string): void;
  readonly paint: Paint;
  /** Columns of the terminal, or undefined when the output is piped. */
  readonly width: number | undefined;
  /** The same of where errors go. */
  readonly errorWidth?: number | undefined;
  /** Of a run in the background: what it tells is kept for whoever watches. */
  readonly told?: ((news: News) => void) | undefined;
  /** Where lines can be drawn again in place; undefined when the output is piped. */
  readonly screen?: Screen | undefined;
  /** Tells once that nobody can read what is printed any more, and why. @returns how to hear of it no longer */
  readonly onLost?: (tell: (why: string) => void) => () => void;
  /** From now on a signal ends the process at once, with this exit code: all is said and done. */
  readonly leave?: (exitCode: number) => void;
}

const ENDING = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

export function realTerminal(
  outputs: { readonly out: Output; readonly err: Output },
  env: NodeJS.ProcessEnv,
): Terminal {
  const { out, err } = outputs;
  const { stream: stdout } = out;
  const { stream: stderr } = err;
  // Piped, `isTTY` is undefined, and an undefined choice would leave it to the colours' own guess.
  const isSmart = env["TERM"] !== "dumb";
  const isTerminal = stdout.isTTY ? isSmart : false;
  const forced = env["FORCE_COLOR"] !== undefined && env["FORCE_COLOR"] !== "0";
  const refused = (env["NO_COLOR"] ?? "") !== "";
  return {
    out: (text) => out.write(`${text}\n`),
    err: (text) => err.write(`${text}\n`),
    paint: createColors(!refused && (forced || isTerminal)),
    // Also a terminal that can do nothing else breaks its lines somewhere.
    width: stdout.isTTY ? columnsOf(stdout) : undefined,
    errorWidth: stderr.isTTY ? columnsOf(stderr) : undefined,
    screen: isTerminal
      ? {
          write: (text) => out.write(text),
          columns: () => columnsOf(stdout),
          rows: () => (stdout.rows > 0 ? stdout.rows : USUAL_ROWS),
        }
      : undefined,
    onLost: (tell) => out.onLost(tell),
    leave: (exitCode) => {
      for (const name of ENDING) process.on(name, () => process.exit(exitCode));
    },
  };
}

const USUAL_COLUMNS = 80;
const USUAL_ROWS = 24;

/** A terminal may not know, or say 0. */
function columnsOf({ columns }: NodeJS.WriteStream): number {
  return columns > 0 ? columns : USUAL_COLUMNS;
}

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
