// One way to reach a person. It delivers a notice, or throws an error whose message says why not.
import type { Notice } from "../core/schema/notice.ts";

export interface Channel {
  readonly name: "desktop" | "command" | "webhook";
  /** For people, before anything is sent: what will be run or called. */
  readonly describe: string;
  deliver(notice: Notice, signal: AbortSignal): Promise<void>;
}

/** Runs a program by its words, without a shell, and ends everything it started. */
export type RunWords = (call: {
  readonly words: readonly string[];
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}) => Promise<{
  readonly exitCode: number | null;
  readonly timedOut: boolean;
  readonly output: string;
}>;

/** What a program that failed said last, as one line. */
export function lastWords(output: string): string {
  const line = output.trim().split("\n").at(-1)?.trim() ?? "";
  return line === "" ? "" : `: ${line.slice(0, 200)}`;
}
