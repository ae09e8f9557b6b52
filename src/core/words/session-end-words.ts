// How a session ended, in the one wording that the run, its summary, `status`, `show` and the next brief use.
// Short, and one line: what an agent said last may be a megabyte without a line end.
import { UNSEEN_END } from "../project-state.ts";
import type { SessionEnd } from "../schema/session-records.ts";
import { durationText } from "../written/times.ts";
import { oneLine } from "./plain-line.ts";

/** All that the words need of a session's end. */
export type SeenEnd = Pick<
  SessionEnd,
  "outcome" | "exit_code" | "signal" | "stopped" | "last_stderr" | "limit_ms" | "open_call"
> &
  Partial<Pick<SessionEnd, "last_text">>;

type LastSaid = Pick<SessionEnd, "last_stderr"> & Partial<Pick<SessionEnd, "last_text">>;

/** Completes "session 3 …": `crashed (exit 3): Error: cannot reach API`. */
export function sessionEndWords(end: SeenEnd): string {
  const { outcome, exit_code, signal, stopped } = end;
  const exit =
    signal === null ? (exit_code === null ? "" : ` (exit ${exit_code})`) : ` (${signal})`;
  if (stopped !== null) return `was ended by its run: ${short(stopped)}`;
  switch (outcome.kind) {
    case "finished":
      return FINISHED;
    case "timed-out":
      return `timed out: it took longer than ${limit(end, "it may")}${lastWords(end)}`;
    case "idle":
      return `timed out: it was silent for ${limit(end, "too long")}${openCall(end) ?? lastWords(end)}`;
    case "crashed":
      return crashWords(end, outcome.reason, exit);
    case "killed":
      return killedWords(end, outcome.reason, exit);
    case "question":
      return `asked: ${short(outcome.questions.join(" / "))}`;
    case "approval-needed":
      return `asked for an approval${because(outcome.subject ?? "")}`;
    case "denied":
      return `was refused a command: ${short(outcome.command)}`;
    case "usage-limited":
      return `was refused by its provider (usage limit)${because(outcome.reason)}`;
    case "rate-limited":
      return `was refused by its provider (rate limit)${because(outcome.reason)}`;
    case "overloaded":
      return `was refused by its provider (overloaded)${because(outcome.reason)}`;
    case "auth-failed":
      return `was refused by its provider (sign-in failed)${because(outcome.reason)}`;
    case "blocked":
      return `could not continue${because(outcome.reason)}`;
    case "context-exhausted":
      return `ran out of context${exit}${because(outcome.reason)}`;
    case "budget-exceeded":
      return `went over its budget${because(outcome.reason)}`;
    case "no-progress":
      return `repeated itself and was ended by its agent${because(outcome.reason)}`;
    default:
      return outcome satisfies never;
  }
}

/** Whether these words tell of an agent that failed: that says nothing about the task. */
export function tellsOfFailedAgent(words: string): boolean {
  return /^(?:crashed|ended without a result)\b/.test(words);
}

/** The outcome of a session that came to its end by itself. */
export const FINISHED = "finished";

/** The words for an end that nobody saw. */
export const CUT_SHORT = "was cut short: its run ended before it did";

/** The same with what its logs say last. */
export function cutShortWords(said: LastSaid): string {
  return `${CUT_SHORT}${lastWords(said)}`;
}

/** `session 3 crashed (exit 3): …`, from what its event says. */
export function sessionWords(session: number, outcome: string): string {
  return `session ${session} ${outcome === UNSEEN_END ? CUT_SHORT : outcome}`;
}

/** What completes "session 3 …", after "Ended:" or "Session 3:". */
export function standingAlone(words: string): string {
  return words.replace(/^was /, "");
}

/** The exit stands in front of it already. */
const EXITED = /^it exited with code \d+(?: but never reported a result)?(?:: |$)/;
const NOT_STARTED = "it could not be started";

function crashWords(end: SeenEnd, reason: string, exit: string): string {
  if (reason.startsWith(NOT_STARTED)) {
    return `could not be started${because(reason.slice(NOT_STARTED.length).replace(/^: /, ""))}`;
  }
  const how = end.exit_code === 0 ? `ended without a result${exit}` : `crashed${exit}`;
  const why = reason.replace(EXITED, "");
  return why.trim() === "" ? `${how}${lastWords(end)}` : `${how}${because(why)}`;
}

function killedWords(end: SeenEnd, reason: string, exit: string): string {
  const by = /^ended by (\S+)$/.exec(reason)?.[1];
  if (by === undefined) return `was killed${exit}${because(reason)}`;
  return `was killed (${by})${lastWords(end)}`;
}

function limit({ limit_ms }: SeenEnd, otherwise: string): string {
  if (limit_ms === undefined) return otherwise;
  return limit_ms < 1000 ? `${limit_ms} ms` : durationText(limit_ms);
}

/** What never came back says more than what was said before. */
function openCall({ open_call }: SeenEnd): string | null {
  return open_call === undefined ? null : ` while it waited for: ${short(open_call)}`;
}

/** Of what it wrote where programs complain, else of what it said. */
function lastWords({ last_stderr, last_text }: LastSaid): string {
  const said = [last_stderr, last_text].find((text) => (text ?? "").trim() !== "") ?? "";
  const last = said.trimEnd().split("\n").at(-1) ?? "";
  return last.trim() === "" ? "" : `; its last words: ${short(last)}`;
}

function because(reason: string): string {
  return reason.trim() === "" ? "" : `: ${short(reason)}`;
}

const LONGEST_START = 120;
const LONGEST_END = 100;

/** Of more than fits the beginning and the end, where programs say what to do. */
function short(text: string): string {
  const whole = text.trim();
  const isHuge = whole.length > 8 * LONGEST_START;
  const start = oneLine(isHuge ? whole.slice(0, 4 * LONGEST_START) : whole);
  const end = isHuge ? oneLine(whole.slice(-4 * LONGEST_END)) : start;
  // What follows goes on in the same line.
  if (!isHuge && start.length <= LONGEST_START + LONGEST_END) return withoutStop(start);
  const head = start.slice(0, LONGEST_START).replace(/[\uD800-\uDBFF]$/, "");
  const tail = end.slice(-LONGEST_END).replace(/^[\uDC00-\uDFFF]/, "");
  return withoutStop(`${head}…${tail}`);
}

function withoutStop(line: string): string {
  return line.replace(/(?<!\.)\.$/, "");
}
