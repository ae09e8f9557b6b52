// One verb of the command line: what it takes, how to use it, and what runs. What loads a parser or
// schemas is loaded only when its verb is called, so that no verb pays for another at start.
import { StintError } from "../core/stint-error.ts";
import type { System } from "../operations/system.ts";
import { printJson, show, tellAside, type Terminal } from "./terminal.ts";
import type { Block, Paint } from "../report/layout.ts";
import { EXIT } from "./exit-codes.ts";

export interface VerbOption {
  readonly flags: string;
  readonly description: string;
  /** May be given several times; its values come as a list. */
  readonly repeatable?: true;
}

/** What commander read from the command line: words and options, all of them text or flags. */
export interface VerbCall {
  readonly arguments: readonly string[];
  readonly options: Readonly<Record<string, unknown>>;
  readonly json: boolean;
  /** The words as they were typed, the verb first. */
  readonly words?: readonly string[] | undefined;
  /** The words after `--`, of a verb that takes a command; undefined where there are none. */
  readonly rest?: readonly string[] | undefined;
}

export type VerbRunner = (
  system: System,
  call: VerbCall,
  terminal: Terminal,
) => number | Promise<number>;

export interface Verb {
  readonly name: string;
  /** As commander writes arguments, parted by blanks: `<required>`, `[optional]`, `<many...>`. */
  readonly arguments?: string;
  /** What may follow after `--`: a command with words of its own. */
  readonly rest?: string;
  readonly argumentHelp?: Readonly<Record<string, string>>;
  /** What its first argument may be, where that is one of a few words. */
  readonly words?: readonly string[];
  readonly summary: string;
  readonly details?: string;
  readonly options?: readonly VerbOption[];
  /** It prints what a program or a person in it prints: --json is refused, and not offered. */
  readonly isInteractive?: true;
  readonly examples: readonly (readonly [command: string, meaning: string])[];
}

/** How every verb is told which project is meant. */
export const PROJECT =
  "id, start of an id, slug or manifest; default: the project of this work tree";

export function isSet(call: VerbCall, option: string): boolean {
  return call.options[option] === true;
}

export function optionText(call: VerbCall, option: string): string | undefined {
  const value = call.options[option];
  return typeof value === "string" ? value : undefined;
}

/** Of an option that may be given several times; undefined where it was not given. */
export function optionTexts(call: VerbCall, option: string): readonly string[] | undefined {
  const value = call.options[option];
  return Array.isArray(value) ? value.filter((text) => typeof text === "string") : undefined;
}

/** A number of what the option is named for, or of what it counts. */
export function optionCount(
  call: VerbCall,
  option: string,
  example: string,
  what = option,
): number | undefined {
  const text = optionText(call, option);
  if (text === undefined) return undefined;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new StintError(
    "bad-input",
    `"${text}" is not a number of ${what}`,
    `For example: ${example}`,
  );
}

/** One of a few words. */
export function optionChoice<T extends string>(
  call: VerbCall,
  option: string,
  { words, wrong, hint }: { words: readonly T[]; wrong: (text: string) => string; hint: string },
): T | undefined {
  const text = optionText(call, option);
  const word = words.find((each) => each === text);
  if (text === undefined || word !== undefined) return word;
  throw new StintError("bad-input", wrong(text), hint);
}

/** A word that commander has insisted on. */
export function requiredWord(call: VerbCall, position: number): string {
  const word = call.arguments[position];
  if (word === undefined) throw new Error(`argument ${position} is missing`);
  return word;
}

export interface ViewVerb<V extends object> {
  readonly view: (system: System, call: VerbCall, tell: (text: string) => void) => V | Promise<V>;
  readonly text: (view: V, paint: Paint, call: VerbCall, cwd: string) => readonly Block[];
  /** Done, where it is not given. */
  readonly exitCode?: (view: V, call: VerbCall) => number;
}

export function viewVerb<V extends object>({ view, text, exitCode }: ViewVerb<V>): VerbRunner {
  return async (system, call, terminal) => {
    const seen = await view(system, call, (words) => {
      if (!call.json) tellAside(terminal, words);
    });
    if (call.json) printJson(terminal, seen);
    else show(terminal, text(seen, terminal.paint, call, system.cwd));
    return exitCode === undefined ? EXIT.done : exitCode(seen, call);
  };
}
