// What the end of a session means, from facts alone: who ended it, the marker it left, its exit code,
// the terminal event of its stream. No word of the model's prose is looked at.
import { isNonEmpty } from "../core/ids.ts";
import type { Marker } from "../core/marker.ts";
import { counted } from "../core/words/amounts.ts";
import type { FailureCause, Outcome, SessionFacts } from "./agent.ts";
import { lastErrorIn } from "./last-error.ts";
import { asksToTryLater, causeOfWording } from "./provider-failure.ts";
import { isShortWait, resetInWords, secondsInWords } from "./reset-time.ts";

export interface Failure {
  readonly cause: FailureCause | null;
  readonly reason: string;
}

/** What only the exit code or the stderr of one agent tells; asked when its stream does not. */
export type FailureTold = (facts: SessionFacts) => Failure | null;

/** How to judge one agent. */
export interface Judging {
  /** Said when the program is not there. */
  readonly installHint: string;
  readonly told?: FailureTold;
}

/** For agents whose stream ends in a result: success is exit 0 AND a positive one. */
export function judgeStreamEnd(facts: SessionFacts, judging: Judging): Outcome {
  const told = judging.told ?? (() => null);
  return judgeShared(facts, told) ?? missing(facts, judging) ?? judgeResult(facts, told);
}

/** For agents that call a session a success although they reported an error on the way. */
export function judgeStrictEnd(facts: SessionFacts, judging: Judging): Outcome {
  const { lastError, result } = facts.events;
  if (lastError === null || result === null || (!result.ok && result.cause !== null)) {
    return judgeStreamEnd(facts, judging);
  }
  const failure = { ...result, ok: false, cause: lastError.cause, reason: lastError.message };
  return judgeStreamEnd({ ...facts, events: { ...facts.events, result: failure } }, judging);
}

/** For programs that print what they like: the exit code and the marker say how it ended. */
export function judgeExit(facts: SessionFacts, judging: Judging): Outcome {
  const early = judgeShared(facts, () => null) ?? missing(facts, judging);
  if (early !== undefined) return early;
  return facts.exitCode === 0 ? { kind: "finished" } : crashed(facts);
}

/** What holds for every agent. A request to a person outlives however the process came to end. */
function judgeShared(facts: SessionFacts, told: FailureTold): Outcome | undefined {
  if (facts.endedBy === "stopped") return { kind: "killed", reason: "stopped by the run" };
  const said = saidByMarker(facts.marker);
  if (said !== undefined) return said;
  switch (facts.endedBy) {
    case "total-timeout":
      return waitedFor(facts, told) ?? { kind: "timed-out" };
    case "idle-timeout":
      return waitedFor(facts, told) ?? { kind: "idle" };
    case "retry-limit":
      return waitedFor(facts, told) ?? { kind: "overloaded", reason: retriesOnly(facts) };
    case "grace":
    case "itself":
      return undefined;
    default:
      return facts.endedBy satisfies never;
  }
}

/** How the system, or what isolates the session, says that there is no such program. */
const NO_PROGRAM = [
  /^spawn .* ENOENT$/,
  /^bwrap: execvp .*: No such file or directory$/,
  /^[\w./-]+: failed to execute .*: No such file or directory$/,
];

function missing(facts: SessionFacts, { installHint }: Judging): Outcome | undefined {
  const { exitCode, stderrTail } = facts;
  const said = stderrTail.trim();
  if (exitCode === 0 || !isSilent(facts) || !NO_PROGRAM.some((start) => start.test(said)))
    return undefined;
  return { kind: "crashed", exitCode, reason: `it could not be started: ${said} (${installHint})` };
}

function isSilent({ events: { result, toolCalls, lastText } }: SessionFacts): boolean {
  return (result === null || result.hasLeft === true) && toolCalls === 0 && lastText === null;
}

/** The marker's own word; undefined where it leaves the end to other facts. */
export function saidByMarker(marker: Marker | null): Outcome | undefined {
  if (marker === null) return undefined;
  const questions = withReason(marker);
  if (isNonEmpty(questions)) return { kind: "question", questions };
  if (marker.approvalRequired) {
    return { kind: "approval-needed", subject: approvalSubject(marker) };
  }
  // A reason beside "nothing remains" explains a success; alone it says why there was none.
  if (marker.reason !== null && marker.remainingSteps !== false) {
    return { kind: "blocked", reason: marker.reason };
  }
  return undefined;
}

/** What else it says may be the second line of its last question: whoever answers reads it. */
function withReason({ questions, reason }: Marker): readonly string[] {
  const last = questions.at(-1);
  if (last === undefined || reason === null) return questions;
  return [...questions.slice(0, -1), `${last}\n${reason}`];
}

/** All of it: what follows the first line may be the rest of the act that somebody says yes to. */
function approvalSubject({ approvalFor, reason }: Marker): string | null {
  return approvalFor === null || reason === null
    ? (approvalFor ?? reason)
    : `${approvalFor}\n${reason}`;
}

/** A session that ran out of time while it waited for its provider did not hang by itself. */
function waitedFor(facts: SessionFacts, told: FailureTold): Outcome | undefined {
  const { waiting, lastError, result } = facts.events;
  // Some agents tell only on stderr why they wait.
  const why = waiting === null ? null : told(facts);
  const cause = waiting?.cause ?? why?.cause ?? lastError?.cause ?? result?.cause ?? null;
  // Asked to end, some say that they were: that is no reason of theirs.
  if (cause === null || cause === "aborted") return undefined;
  const reason = why?.reason ?? waiting?.message ?? lastError?.message ?? result?.reason ?? "";
  return failed(cause, reason, facts);
}

function retriesOnly({ events: { retries, waiting } }: SessionFacts): string {
  const last = waiting === null ? "" : `: ${waiting.message}`;
  return `it did nothing but try again (${counted(retries, "time")})${last}`;
}

function judgeResult(facts: SessionFacts, told: FailureTold): Outcome {
  const { result, lastError, denied, limit } = facts.events;
  const killedBy = signalOf(facts);
  if (result?.ok === true) {
    // After its result the process was ended by Stint, so its exit code says nothing.
    if (facts.exitCode !== 0 && facts.endedBy !== "grace") return failedOrCrashed(facts, told);
    return denied === null ? { kind: "finished" } : { kind: "denied", command: denied };
  }
  if (result === null) {
    if (killedBy !== undefined) return { kind: "killed", reason: `ended by ${killedBy}` };
    if (facts.exitCode === 0 && denied !== null && lastError === null) {
      return { kind: "denied", command: denied };
    }
    return failedOrCrashed(facts, told);
  }
  const failure = told(facts);
  const cause = result.cause ?? failure?.cause ?? lastError?.cause ?? null;
  if (cause !== null) return failed(cause, result.reason, facts);
  if (result.hasLeft === true) return left(result.reason, facts);
  // The result says no more than that it failed, but an allowance was reported as used up.
  if (limit !== null) return failed("usage-limit", result.reason, facts);
  if (asksToTryLater(result.reason)) return failed("overloaded", result.reason, facts);
  return { kind: "crashed", exitCode: facts.exitCode, reason: result.reason };
}

function failedOrCrashed(facts: SessionFacts, told: FailureTold): Outcome {
  const killedBy = signalOf(facts);
  if (killedBy !== undefined) return { kind: "killed", reason: `ended by ${killedBy}` };
  // It could not be started: whatever stderr says is not the agent's.
  if (facts.exitCode === null) return crashed(facts);
  const { lastError } = facts.events;
  if (lastError !== null && lastError.cause !== null) {
    return failed(lastError.cause, lastError.message, facts);
  }
  if (lastError !== null && asksToTryLater(lastError.message)) {
    return failed("overloaded", lastError.message, facts);
  }
  const failure = told(facts) ?? refusedAtStart(facts);
  if (failure === null) return crashed(facts);
  if (failure.cause !== null) return failed(failure.cause, failure.reason, facts);
  return { kind: "crashed", exitCode: facts.exitCode, reason: failure.reason };
}

/** Its client told that it left: why, it may have written itself. */
function left(how: string, facts: SessionFacts): Outcome {
  const refused = refusedAtStart(facts);
  const why = refused?.reason ?? lastLine(facts.stderrTail);
  const reason = why === "" ? how : `${how}: ${why}`;
  if (refused !== null && refused.cause !== null) return failed(refused.cause, reason, facts);
  return { kind: "crashed", exitCode: facts.exitCode, reason };
}

/** Before a session begins, a program that cannot reach its provider, or is not let in, says so on stderr alone. */
function refusedAtStart(facts: SessionFacts): Failure | null {
  if ((facts.exitCode === 0 && facts.events.result === null) || !isSilent(facts)) return null;
  return refusalIn(facts.stderrTail);
}

/** Causes that keep a session from beginning. */
const REFUSALS: ReadonlySet<FailureCause | null> = new Set<FailureCause>([
  "overloaded",
  "auth",
  "usage-limit",
  "rate-limit",
]);

/** Of what a program wrote before it left, only what ended it counts. */
export function refusalIn(written: string): Failure | null {
  for (const reason of lastErrorIn(written)) {
    const cause = causeOfWording(reason);
    if (REFUSALS.has(cause)) return { cause, reason };
  }
  return null;
}

function failed(cause: FailureCause, reason: string, facts: SessionFacts): Outcome {
  switch (cause) {
    case "usage-limit":
    case "rate-limit":
      return limited(cause, reason, facts);
    case "overloaded":
      return { kind: "overloaded", reason };
    case "context":
      return { kind: "context-exhausted", reason };
    case "auth":
      return { kind: "auth-failed", reason };
    case "budget":
      return { kind: "budget-exceeded", reason };
    case "time":
      return { kind: "timed-out" };
    case "aborted":
      return { kind: "killed", reason };
    case "loop":
      return { kind: "no-progress", reason };
    case "setup":
      return { kind: "blocked", reason, isSetup: true };
    default:
      return cause satisfies never;
  }
}

/**
 * When it can be asked again tells an allowance from a passing rate: most programs have one sentence for both. Without a
 * time, the sentence counts.
 */
function limited(
  cause: "usage-limit" | "rate-limit",
  reason: string,
  { events: { limit }, endedAt, timeZone }: SessionFacts,
): Outcome {
  const until = limit?.resetAt ?? resetInWords(reason, { at: endedAt, timeZone });
  const isPassing = cause === "rate-limit" ? limit === null : isShortWait(secondsInWords(reason));
  if (until === null && isPassing) return { kind: "rate-limited", reason };
  return { kind: "usage-limited", until, reason };
}

/** Exit codes above 128 are how programs that catch a signal report it. */
const SIGNAL_EXITS: Readonly<Record<number, string>> = {
  130: "SIGINT",
  137: "SIGKILL",
  143: "SIGTERM",
};

function signalOf({ exitCode, signal }: SessionFacts): string | undefined {
  return signal ?? (exitCode === null ? undefined : SIGNAL_EXITS[exitCode]);
}

function crashed(facts: SessionFacts): Outcome {
  const killedBy = signalOf(facts);
  if (killedBy !== undefined) return { kind: "killed", reason: `ended by ${killedBy}` };
  return { kind: "crashed", exitCode: facts.exitCode, reason: crashReason(facts) };
}

function lastLine(text: string): string {
  return text.trim().split("\n").at(-1) ?? "";
}

function crashReason({ exitCode, events, stderrTail }: SessionFacts): string {
  const why = events.lastError?.message ?? lastLine(stderrTail);
  const how =
    exitCode === null
      ? "it could not be started"
      : exitCode === 0
        ? "it exited with code 0 but never reported a result"
        : `it exited with code ${exitCode}`;
  return why === "" ? how : `${how}: ${why}`;
}
