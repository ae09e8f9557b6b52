// What the end of a session means, from facts alone: who ended it, the marker it left, its exit code,
// the terminal event of its stream. No word of the model's prose is looked at.
import type { Marker } from "../core/marker.ts";
import type { FailureCause, Outcome, SessionFacts } from "./agent.ts";

/** For agents whose stream ends in a result: success is exit 0 AND a positive one. */
export function judgeStreamEnd(facts: SessionFacts): Outcome {
  return judgeShared(facts) ?? judgeResult(facts);
}

/** For programs that print what they like: the exit code and the marker say how it ended. */
export function judgeExit(facts: SessionFacts): Outcome {
  const shared = judgeShared(facts);
  if (shared !== undefined) return shared;
  return facts.exitCode === 0 ? { kind: "finished" } : crashed(facts);
}

/** What holds for every agent. A request to a person outlives however the process came to end. */
function judgeShared(facts: SessionFacts): Outcome | undefined {
  if (facts.endedBy === "stopped") return { kind: "killed", reason: "stopped by the run" };
  const said = saidByMarker(facts.marker);
  if (said !== undefined) return said;
  switch (facts.endedBy) {
    case "total-timeout":
      return waitedFor(facts) ?? { kind: "timed-out" };
    case "idle-timeout":
      return waitedFor(facts) ?? { kind: "idle" };
    case "grace":
    case "itself":
      return undefined;
    default:
      return facts.endedBy satisfies never;
  }
}

/** The marker's own word; undefined where it leaves the end to other facts. */
export function saidByMarker(marker: Marker | null): Outcome | undefined {
  if (marker === null) return undefined;
  if (marker.question !== null) return { kind: "question", question: marker.question };
  if (marker.approvalRequired) {
    return { kind: "approval-needed", subject: marker.approvalFor ?? marker.reason };
  }
  // A reason beside "nothing remains" explains a success; alone it says why there was none.
  if (marker.reason !== null && marker.remainingSteps !== false) {
    return { kind: "blocked", reason: marker.reason };
  }
  return undefined;
}

/** A session that ran out of time while it waited for its provider did not hang by itself. */
function waitedFor(facts: SessionFacts): Outcome | undefined {
  const { waiting } = facts.events;
  if (waiting === null || waiting.cause === null) return undefined;
  return failed(waiting.cause, waiting.message, facts);
}

function judgeResult(facts: SessionFacts): Outcome {
  const { result, lastError, denied } = facts.events;
  if (result === null) return crashed(facts);
  if (result.ok) {
    // After its result the process was ended by Stint, so its exit code says nothing.
    if (facts.exitCode !== 0 && facts.endedBy !== "grace") return crashed(facts);
    return denied === null ? { kind: "finished" } : { kind: "denied", command: denied };
  }
  const cause = result.cause ?? lastError?.cause ?? null;
  if (cause === null) return { kind: "crashed", exitCode: facts.exitCode, reason: result.reason };
  return failed(cause, result.reason, facts);
}

function failed(cause: FailureCause, reason: string, facts: SessionFacts): Outcome {
  const { limit } = facts.events;
  switch (cause) {
    case "usage-limit":
      return { kind: "usage-limited", until: limit?.resetAt ?? null, reason };
    case "rate-limit":
      // The provider named an allowance and when it is filled again: more than a passing rate.
      if (limit !== null) return { kind: "usage-limited", until: limit.resetAt, reason };
      return { kind: "rate-limited", reason };
    case "overloaded":
      return { kind: "overloaded", reason };
    case "context":
      return { kind: "context-exhausted", reason };
    case "auth":
      return { kind: "auth-failed", reason };
    case "budget":
      return { kind: "budget-exceeded", reason };
    case "aborted":
      return { kind: "killed", reason };
    default:
      return cause satisfies never;
  }
}

/** Exit codes above 128 are how programs that catch a signal report it. */
const SIGNAL_EXITS: Readonly<Record<number, string>> = {
  130: "SIGINT",
  137: "SIGKILL",
  143: "SIGTERM",
};

function crashed(facts: SessionFacts): Outcome {
  const { exitCode, signal } = facts;
  const killedBy = signal ?? (exitCode === null ? undefined : SIGNAL_EXITS[exitCode]);
  if (killedBy !== undefined) return { kind: "killed", reason: `ended by ${killedBy}` };
  return { kind: "crashed", exitCode, reason: crashReason(facts) };
}

function crashReason({ exitCode, events, stderrTail }: SessionFacts): string {
  const said = stderrTail.trim().split("\n").at(-1) ?? "";
  const why = events.lastError?.message ?? said;
  const how =
    exitCode === null
      ? "it could not be started"
      : exitCode === 0
        ? "it exited with code 0 but never reported a result"
        : `it exited with code ${exitCode}`;
  return why === "" ? how : `${how}: ${why}`;
}
