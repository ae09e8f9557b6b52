// How a session ended, in the one wording that the run, its summary, `status`, `show` and the next brief use.
import type { SessionEnd } from "../schema/session-records.ts";

/** All that the words need of a session's end. */
export type SeenEnd = Pick<SessionEnd, "outcome" | "exit_code" | "signal" | "stopped">;

/** Completes "session 3 …": `crashed (exit 3): Error: cannot reach API`. */
export function sessionEndWords({ outcome, exit_code, signal, stopped }: SeenEnd): string {
  const exit =
    signal === null ? (exit_code === null ? "" : ` (exit ${exit_code})`) : ` (${signal})`;
  if (stopped !== null) return `ended by its run: ${stopped}`;
  switch (outcome.kind) {
    case "finished":
      return "finished";
    case "timed-out":
      return "timed out: it took longer than it may";
    case "idle":
      return "timed out: it was silent for too long";
    case "crashed":
      return `crashed${exit}: ${outcome.reason}`;
    case "question":
      return `asked: ${outcome.questions.join(" / ")}`;
    case "approval-needed":
      return `asked for approval${outcome.subject === null ? "" : `: ${outcome.subject}`}`;
    case "denied":
      return `stopped at a command that it may not run: ${outcome.command}`;
    case "usage-limited":
      return `refused by its provider (usage limit): ${outcome.reason}`;
    case "rate-limited":
    case "overloaded":
    case "auth-failed":
      return `refused by its provider (${outcome.kind.replace("-", " ")}): ${outcome.reason}`;
    case "blocked":
      return `said that it cannot be done: ${outcome.reason}`;
    case "context-exhausted":
    case "budget-exceeded":
    case "killed":
    case "no-progress":
      return `${outcome.kind.replace("-", " ")}${exit}: ${outcome.reason}`;
    default:
      return outcome satisfies never;
  }
}
