// Ends of a session that say nothing about the work, so that no check is asked: a person who wants it to stop,
// a question, a request for approval, a provider that refuses. Each becomes what a person is asked, if
// anything, and the end of the attempt.
import type { Outcome } from "../../agents/agent.ts";
import type { EventOf, ProjectEvent, Refused } from "../../core/events.ts";
import type { SessionEnd } from "../../core/schema/session-records.ts";
import type { Task } from "../../core/schema/task.ts";
import { QUESTIONS_PER_SESSION } from "../../core/written/bounds.ts";
import type { Host } from "../../store/host.ts";
import { approvalRequested, asking, fact } from "../base/fact.ts";
import type { RunContext } from "../base/run-context.ts";
import type { Texts } from "../people/manifest-texts.ts";

/** In this order: what a person is asked, the end of the attempt. */
export interface SpecialEnd {
  readonly requests: readonly ProjectEvent[];
  readonly cut: ProjectEvent;
}

/** What the end of a session brings with it, whatever it comes to. */
export type AtEnd = Texts & Pick<ProjectEvent, "spent" | "measured">;
export type InProgress = Extract<Task, { status: "in_progress" }>;

/** Of an end that nobody saw only this is known. */
type KnownEnd = Pick<SessionEnd, "session" | "outcome" | "stopped"> & { readonly agent: string };
type Cut = EventOf<"attempt-interrupted">;
type CutShort = (reason: string, more: Pick<Cut, "excuse" | "refused" | "answered_by">) => Cut;

/** Null where the end says something about the work: then its checks decide. */
export function specialEnd(
  context: RunContext,
  task: InProgress,
  end: KnownEnd,
  atEnd: AtEnd,
): SpecialEnd | null {
  const cut: CutShort = (reason, more) => ({
    kind: "attempt-interrupted",
    ...fact(context),
    task_id: task.id,
    attempt: task.attempt.number,
    reason,
    ...more,
    ...atEnd,
  });
  const { outcome, stopped, agent } = end;
  if (stopped !== null) return { requests: [], cut: cut(stopped, { excuse: "stopped" }) };
  if (outcome.kind === "question") return asked(context, task, end, outcome.questions, cut, atEnd);
  if (outcome.kind === "approval-needed") {
    const subject = outcome.subject ?? "the session did not say what for";
    const why = { excuse: "approval", answered_by: agent } as const;
    return {
      requests: [approvalWanted(context, task, subject)],
      cut: cut(`it needs an approval: ${subject}`, why),
    };
  }
  const refused = refusalIn(context, end);
  if (refused === null) return null;
  const excuse = refused.cause === "usage-limit" ? "usage-limit" : "provider";
  return { requests: [], cut: cut(refused.reason, { excuse, refused }) };
}

/** One question more than a session may ask ends the attempt itself, and blocks its task. */
function asked(
  context: RunContext,
  task: InProgress,
  { session, agent: answered_by }: KnownEnd,
  questions: readonly string[],
  cut: CutShort,
  atEnd: AtEnd,
): SpecialEnd {
  const filed = questions.map((text): EventOf<"question-asked"> => ({
    kind: "question-asked",
    ...fact(context),
    question: { task_id: task.id, session, text },
  }));
  const requests = filed.slice(0, QUESTIONS_PER_SESSION);
  const tooMany = filed[QUESTIONS_PER_SESSION];
  if (tooMany !== undefined) return { requests, cut: { ...tooMany, answered_by, ...atEnd } };
  const what = questions.length === 1 ? `: ${questions[0]}` : ` ${questions.length} questions`;
  return { requests, cut: cut(`it asked${what}`, { excuse: "question", answered_by }) };
}

/** What a provider refused; null where it served. */
function refusalIn(context: RunContext, { outcome, agent }: KnownEnd): Refused | null {
  const by = (cause: Refused["cause"], reason: string): Refused =>
    refusedBy(context, agent, cause, reason);
  switch (outcome.kind) {
    case "usage-limited": {
      const refused = by("usage-limit", outcome.reason);
      return outcome.until === null ? refused : { ...refused, reset_at: outcome.until };
    }
    case "rate-limited":
      return by("rate-limit", outcome.reason);
    case "overloaded":
      return by("overloaded", outcome.reason);
    case "auth-failed": {
      const unblock = context.agents.named(agent)?.loginHint ?? `log in to ${agent}`;
      return { ...by("auth", outcome.reason), unblock };
    }
    case "question":
    case "approval-needed":
    // These say something about the work.
    case "finished":
    case "blocked":
    case "context-exhausted":
    case "budget-exceeded":
    case "timed-out":
    case "idle":
    case "crashed":
    case "killed":
    case "no-progress":
    case "denied":
      return null;
    default:
      return outcome satisfies never;
  }
}

function approvalWanted(context: RunContext, task: InProgress, subject: string): ProjectEvent {
  return approvalRequested(asking(context), {
    kind: "destructive",
    task_id: task.id,
    subject,
    reason: `a session on ${task.id} asks for approval: ${subject}`,
    on_yes: "the task goes on in a new session that is told so",
    on_no: "the task is blocked",
  });
}

/** Ends that say nothing about the work and cost no attempt. */
export function isRefusal(kind: Outcome["kind"]): boolean {
  const kinds: readonly Outcome["kind"][] = [
    "usage-limited",
    "rate-limited",
    "overloaded",
    "auth-failed",
  ];
  return kinds.includes(kind);
}

/** Words of a provider, which may be a page of HTML; they go into the state. */
const LONGEST_REASON = 500;

export function refusedBy(
  { host }: { readonly host: Host },
  agent: string,
  cause: Refused["cause"],
  said: string,
): Refused {
  const [high = 0, low = 0] = host.randomBytes(2);
  const reason = said.trim().slice(0, LONGEST_REASON) || cause;
  return { agent, cause, reason, jitter: (high * 256 + low) / 0xffff };
}
