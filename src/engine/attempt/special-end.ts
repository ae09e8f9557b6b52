// Ends of a session that say nothing about the work, so that no check is asked: a person who wants it to stop,
// a question, a request for approval, a provider that refuses. Each becomes what a person is asked, if
// anything, and the end of the attempt.
import type { Outcome } from "../../agents/agent.ts";
import type { EndTold, EventOf, ProjectEvent, Refused } from "../../core/events.ts";
import type { SessionEnd } from "../../core/schema/session-records.ts";
import type { Task } from "../../core/schema/task.ts";
import { QUESTIONS_PER_SESSION } from "../../core/written/bounds.ts";
import { approvalRequested, asking, fact } from "../base/fact.ts";
import type { RunContext } from "../base/run-context.ts";
import type { Texts } from "../people/manifest-texts.ts";

/** In this order: what a person is asked, the end of the attempt. */
export interface SpecialEnd {
  readonly requests: readonly ProjectEvent[];
  readonly cut: ProjectEvent;
}

/** What the end of a session brings with it, whatever it comes to. */
export type AtEnd = Texts &
  Pick<ProjectEvent, "spent" | "measured" | "actual"> &
  Pick<EventOf<"session-ended">, "retries">;
export type InProgress = Extract<Task, { status: "in_progress" }>;

/** Of an end that nobody saw only this is known. */
type KnownEnd = Pick<SessionEnd, "session" | "outcome" | "stopped"> & {
  readonly agent: string;
  readonly ended?: EndTold | undefined;
};
type Cut = EventOf<"attempt-interrupted">;
type CutMore = Pick<Cut, "excuse" | "refused" | "answered_by"> & Pick<KnownEnd, "ended">;

/** Null where the end says something about the work: then its checks decide. */
export function specialEnd(
  context: RunContext,
  task: InProgress,
  end: KnownEnd,
  atEnd: AtEnd,
): SpecialEnd | null {
  const cut = (reason: string, { ended: how, ...more }: CutMore): Cut => ({
    kind: "attempt-interrupted",
    ...fact(context),
    task_id: task.id,
    attempt: task.attempt.number,
    reason,
    ...(how !== undefined && { ended: how }),
    ...more,
    ...atEnd,
  });
  const { session, outcome, stopped, agent, ended } = end;
  if (stopped !== null) return { requests: [], cut: cut(stopped, { excuse: "stopped", ended }) };
  if (outcome.kind === "question") {
    const { questions } = outcome;
    const asked = questions.map((text): EventOf<"question-asked"> => ({
      kind: "question-asked",
      ...fact(context),
      question: { task_id: task.id, session, text },
    }));
    const requests = asked.slice(0, QUESTIONS_PER_SESSION);
    // One question more than a session may ask ends the attempt itself, and blocks its task.
    const tooMany = asked[QUESTIONS_PER_SESSION];
    if (tooMany !== undefined) {
      return { requests, cut: { ...tooMany, answered_by: agent, ...atEnd } };
    }
    const what = questions.length === 1 ? `: ${questions[0]}` : ` ${questions.length} questions`;
    return { requests, cut: cut(`it asked${what}`, { excuse: "question", answered_by: agent }) };
  }
  if (outcome.kind === "approval-needed") {
    const subject = outcome.subject ?? "the session did not say what for";
    const wanted = approvalRequested(asking(context), {
      kind: "destructive",
      task_id: task.id,
      subject,
      reason: `a session on ${task.id} asks for approval: ${subject}`,
      on_yes: "the task continues in a new session that is told so",
      on_no: "the task is blocked",
    });
    const why = { excuse: "approval", answered_by: agent } as const;
    return { requests: [wanted], cut: cut(`it needs an approval: ${subject}`, why) };
  }
  const refused = refusalIn(context, end);
  if (refused === null) return null;
  const excuse = refused.cause === "usage-limit" ? "usage-limit" : "provider";
  const reason = ended === undefined ? refused.reason : `it ${ended.words}`;
  return { requests: [], cut: cut(reason, { excuse, refused, ended }) };
}

/** Ends by which a provider would not serve: they say nothing about the work and cost no attempt. */
const REFUSALS: Partial<Record<Outcome["kind"], Refused["cause"]>> = {
  "usage-limited": "usage-limit",
  "rate-limited": "rate-limit",
  overloaded: "overloaded",
  "auth-failed": "auth",
};

export function isRefusal(kind: Outcome["kind"]): boolean {
  return REFUSALS[kind] !== undefined;
}

/** Words of a provider, which may be a page of HTML; they go into the state. */
const LONGEST_REASON = 500;

/** What a provider refused; null where it served. */
function refusalIn({ host, agents }: RunContext, { outcome, agent }: KnownEnd): Refused | null {
  const cause = REFUSALS[outcome.kind];
  if (cause === undefined || !("reason" in outcome)) return null;
  const [high = 0, low = 0] = host.randomBytes(2);
  const reason = outcome.reason.trim().slice(0, LONGEST_REASON) || cause;
  const refused = { agent, cause, reason, jitter: (high * 256 + low) / 0xffff };
  if (outcome.kind === "auth-failed") {
    return { ...refused, unblock: agents.named(agent)?.loginHint ?? `log in to ${agent}` };
  }
  const isKnownUntil = outcome.kind === "usage-limited" && outcome.until !== null;
  return isKnownUntil ? { ...refused, reset_at: outcome.until } : refused;
}
