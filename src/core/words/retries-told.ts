// Which of a session's retries are worth a line: the first, one whose cause is another, and then at growing
// intervals; when its provider answers after such a line, that is one too. Pure: time comes in.
import { oneLine } from "./plain-line.ts";

export interface Retry {
  /** By the agent's own count; null where it does not tell. */
  readonly attempt: number | null;
  readonly cause: string | null;
  readonly message: string;
}

export interface RetriesTold {
  readonly times: number;
  readonly cause: string | null;
  /** The next line is due then, unless the cause changes. */
  readonly nextAtMs: number;
  readonly gapMs: number;
  /** The last line says that it waits. */
  readonly isWaiting: boolean;
}

const FIRST_GAP_MS = 30_000;
const LONGEST_MESSAGE = 160;

export const NO_RETRIES: RetriesTold = {
  times: 0,
  cause: null,
  nextAtMs: 0,
  gapMs: FIRST_GAP_MS,
  isWaiting: false,
};

/** @returns what is to be remembered, what is shown now, and whether it is a line of its own */
export function afterRetry(
  before: RetriesTold,
  session: number,
  retry: Retry,
  nowMs: number,
): { readonly told: RetriesTold; readonly text: string; readonly isLine: boolean } {
  const times = before.times + 1;
  const { cause } = retry;
  const text = waitingWords(session, { ...retry, attempt: retry.attempt ?? times });
  const isOther = cause !== null && before.cause !== null && cause !== before.cause;
  const isLine = times === 1 || isOther || nowMs >= before.nextAtMs;
  const told = { ...before, times, cause: cause ?? before.cause };
  if (!isLine) return { told, text, isLine };
  const { gapMs } = before;
  const later = { nextAtMs: nowMs + gapMs, gapMs: 2 * gapMs, isWaiting: true };
  return { told: { ...told, ...later }, text, isLine };
}

/** It is at work again: null where no line said that it waits. */
export function afterAnswer(
  before: RetriesTold,
  session: number,
): { readonly told: RetriesTold; readonly text: string } | null {
  if (!before.isWaiting) return null;
  const times = before.times === 1 ? "1 retry" : `${before.times} retries`;
  const text = `session ${session} continues: its provider answered after ${times}`;
  return { told: { ...before, isWaiting: false }, text };
}

/** `session 2 waits for its provider (retry 3, overloaded): 529 Overloaded`. */
function waitingWords(session: number, { attempt, cause, message }: Retry): string {
  const why = [`retry ${attempt}`, ...(cause === null ? [] : [CAUSES[cause] ?? cause])].join(", ");
  const line = oneLine(message.slice(0, 4 * LONGEST_MESSAGE));
  const said = line.length > LONGEST_MESSAGE ? `${line.slice(0, LONGEST_MESSAGE - 1)}…` : line;
  return `session ${session} waits for its provider (${why})${said === "" ? "" : `: ${said}`}`;
}

const CAUSES: Readonly<Record<string, string>> = {
  "usage-limit": "usage limit",
  "rate-limit": "rate limit",
  auth: "sign-in failed",
};

/** The journal's words for the two lines. */
export const PROVIDER_WAITED_FOR = "provider-waited-for";
export const PROVIDER_ANSWERED = "provider-answered";
