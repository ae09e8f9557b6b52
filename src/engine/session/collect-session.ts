// A session ended, in this run or in one that was killed: its work is captured, what it did to its copy
// of the manifest is settled, and its end becomes an event.
import type { SessionEnd, SessionStart } from "../../core/schema/session-record.ts";
import type { Outcome } from "../../agents/agent.ts";
import { QUESTIONS_PER_SESSION } from "../../core/written/bounds.ts";
import type { EventOf, ProjectEvent, Refused } from "../../core/events.ts";
import { fewOf } from "../../core/words/few-of.ts";
import type { TaskId } from "../../core/ids.ts";
import type { Task } from "../../core/schema/task.ts";
import { unguarded } from "../../core/spending.ts";
import { approvalRequested } from "../base/approval-request.ts";
import { measureProgress } from "./measure-session.ts";
import { settleCopy } from "../manifest/manifest-changes.ts";
import { isRefusal, refusedBy } from "./refusal.ts";
import type { Steps } from "../base/steps.ts";
import { restoreInPlace } from "../manifest/restore-in-place.ts";
import { asking, fact } from "../base/fact.ts";
import type { RunContext } from "../base/run-context.ts";
import { archiveMarker } from "./archive-marker.ts";
import type { Texts } from "../manifest/seen-manifest.ts";
import { readEnd, readEndManifest, readStart, sessionPath } from "../base/session-record.ts";
import { isConflictUntold, saidUnseen, takeMarkerUnseen } from "./unseen-end.ts";

/** What the end of a session brings with it, whatever it comes to. */
type AtEnd = Texts & Pick<ProjectEvent, "spent" | "measured">;
type InProgress = Extract<Task, { status: "in_progress" }>;

export async function* collectSession(context: RunContext, task: InProgress): Steps {
  const { holder, store } = context;
  const id = holder.state.project_id;
  const { session, number } = task.attempt;
  const start = readStart(store, id, session);
  const isOwnTask = start?.tasks[0]?.task_id === task.id;
  const end = readEnd(store, id, session);
  // A run that was killed may not have come to it; it must not speak for another session.
  if (end === undefined) takeMarkerUnseen(context, session);
  else archiveMarker(context, session, "late-marker");
  if (start === undefined) {
    yield { event: givenUp(context, task, "its start was not recorded") };
    return;
  }
  if (end === undefined && isConflictUntold(context, start)) {
    yield { event: givenUp(context, task, "the run was killed before its session began") };
    return;
  }
  if (!isOwnTask) {
    yield { event: sessionEnded(context, task, end, "made", {}) };
    return;
  }

  const settled = settleCopy(context, {
    session,
    taskIds: start.tasks.map(({ task_id }) => task_id),
    startText: start.manifest,
    // Nobody but the session writes there, also where a kill cut it short.
    endBytes:
      end === undefined ? context.copy.manifestBytes() : readEndManifest(store, id, start, end),
  });
  tellSettled(context, settled.notices);
  for (const event of settled.events) {
    if (!isAsked(context, event, start)) yield { event };
  }
  const { digest } = settled;
  const texts = { manifest_digest: digest, ...restoreInPlace(context, digest) };

  tellBroughtChanged(
    context,
    session,
    end?.brought_changed ?? (await context.space.changedBrought(session)),
  );
  const { progress, words } = await measureProgress(context, start, task.id);
  const atEnd = { ...texts, ...words, ...spendingOf(context, task.id, session, end) };
  const said = end === undefined ? saidUnseen(context, session) : end.outcome;
  const last = said === null ? null : { session, outcome: said, stopped: end?.stopped ?? null };
  if (last === null || !isSpecial(last)) {
    const ended = sessionEnded(context, task, end, progress, atEnd);
    // Of an end that nobody saw, nobody knows whether the provider answered.
    yield { event: end === undefined ? ended : { ...ended, answered_by: start.agent } };
    return;
  }
  const special = specialEnd(context, task, { ...last, agent: start.agent }, number, atEnd);
  if (special === null) throw new Error(`session ${session} has no end`);
  for (const event of special.requests) if (!isAsked(context, event, start)) yield { event };
  yield { event: special.cut };
}

/** What a session did to the manifest and did not stay: told, and written down. */
function tellSettled(context: RunContext, notices: readonly string[]): void {
  for (const text of notices) {
    context.holder.note({ ...fact(context), kind: "manifest-reverted", summary: text });
    context.tell({ kind: "notice", text });
  }
}

/** Ignored files stay as a session leaves them, and no commit shows that: it is told, and written down. */
function tellBroughtChanged(
  context: RunContext,
  session: number,
  changed: readonly string[],
): void {
  if (changed.length === 0) return;
  const text = `session ${session} changed files that were brought along: ${fewOf(changed)}`;
  context.holder.note({ ...fact(context), kind: "brought-changed", summary: text });
  context.tell({ kind: "notice", text });
}

/** There is nothing to judge: the next attempt begins anew. */
function givenUp(context: RunContext, task: InProgress, reason: string): ProjectEvent {
  const { number: attempt } = task.attempt;
  const cut = { task_id: task.id, attempt, reason, excuse: "stopped" } as const;
  return { kind: "attempt-interrupted", ...fact(context), ...cut };
}

/** In this order: what a person is asked, the end of the attempt. */
interface SpecialEnd {
  readonly requests: readonly ProjectEvent[];
  readonly cut: ProjectEvent;
}

/** Of an end that nobody saw only this is known. */
type KnownEnd = Pick<SessionEnd, "session" | "outcome" | "stopped">;
type Cut = EventOf<"attempt-interrupted">;

/** Ends that say nothing about the work: the checks are not asked. */
function isSpecial({ stopped, outcome }: KnownEnd): boolean {
  const isRequest = outcome.kind === "question" || outcome.kind === "approval-needed";
  return stopped !== null || isRequest || isRefusal(outcome.kind);
}

/** A limit, a question, a person who wants it to stop: what each of them comes to. */
function specialEnd(
  context: RunContext,
  task: InProgress,
  end: KnownEnd & { readonly agent: string },
  attempt: number,
  atEnd: AtEnd,
): SpecialEnd | null {
  const base = fact(context);
  const cut = (reason: string, more: Pick<Cut, "excuse" | "refused" | "answered_by">): Cut => ({
    kind: "attempt-interrupted",
    ...base,
    task_id: task.id,
    attempt,
    reason,
    ...more,
    ...atEnd,
  });
  const asked = (reason: string, excuse: "question" | "approval") =>
    cut(reason, { excuse, answered_by: end.agent });
  const refusal = (cause: Refused["cause"], reason: string, more: Partial<Refused> = {}) => {
    const refused = refusedBy(context, end.agent, cause, reason);
    const excuse = cause === "usage-limit" ? "usage-limit" : "provider";
    return only(cut(refused.reason, { excuse, refused: { ...refused, ...more } }));
  };
  const { outcome } = end;
  if (end.stopped !== null) return only(cut(end.stopped, { excuse: "stopped" }));
  switch (outcome.kind) {
    case "question": {
      const filed = outcome.questions.map((text): EventOf<"question-asked"> => ({
        kind: "question-asked",
        ...base,
        question: { task_id: task.id, session: end.session, text },
      }));
      const requests = filed.slice(0, QUESTIONS_PER_SESSION);
      const tooMany = filed[QUESTIONS_PER_SESSION];
      if (tooMany !== undefined) {
        return { requests, cut: { ...tooMany, answered_by: end.agent, ...atEnd } };
      }
      const { length } = outcome.questions;
      const what = length === 1 ? `: ${outcome.questions[0]}` : ` ${length} questions`;
      return { ...only(asked(`it asked${what}`, "question")), requests };
    }
    case "approval-needed": {
      const subject = outcome.subject ?? "the session did not say what for";
      return {
        ...only(asked(`it needs an approval: ${subject}`, "approval")),
        requests: [approvalWanted(context, task, subject)],
      };
    }
    case "usage-limited": {
      const { reason, until } = outcome;
      return refusal("usage-limit", reason, until === null ? {} : { reset_at: until });
    }
    case "rate-limited":
      return refusal("rate-limit", outcome.reason);
    case "overloaded":
      return refusal("overloaded", outcome.reason);
    case "auth-failed": {
      const unblock = context.agents.named(end.agent)?.loginHint ?? `log in to ${end.agent}`;
      return refusal("auth", outcome.reason, { unblock });
    }
    // These say something about the work, so its checks decide.
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

function only(event: ProjectEvent): SpecialEnd {
  return { requests: [], cut: event };
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

function sessionEnded(
  context: RunContext,
  task: InProgress,
  end: SessionEnd | undefined,
  progress: "made" | "none" | "planning-only",
  atEnd: AtEnd,
): EventOf<"session-ended"> {
  const note = end?.last_text ?? undefined;
  return {
    kind: "session-ended",
    ...fact(context),
    task_id: task.id,
    session: task.attempt.session,
    outcome: end === undefined ? "the run ended while it worked" : describeOutcome(end.outcome),
    progress,
    ...(note === undefined ? {} : { note }),
    ...atEnd,
  };
}

export function describeOutcome(outcome: Outcome): string {
  if (outcome.kind === "denied") return `denied: ${outcome.command}`;
  const why = "reason" in outcome ? outcome.reason : null;
  return why === null || why === "" ? outcome.kind : `${outcome.kind}: ${why}`;
}

/** Of a session that was cut by a kill nobody knows what it spent, and that is what is recorded. */
function spendingOf(
  context: RunContext,
  task_id: TaskId,
  session: number,
  end: SessionEnd | undefined,
): Pick<ProjectEvent, "spent"> {
  const { holder, store, tell } = context;
  const id = holder.state.project_id;
  const wasStarted = store.kept(id, sessionPath(session, "process.json")) !== undefined;
  if (end === undefined && !wasStarted) return {};
  const { wall_ms, tokens, cost_usd } = end ?? { wall_ms: 0, tokens: null, cost_usd: null };
  const { budgets, spent } = holder.state;
  for (const kind of end === undefined ? [] : unguarded(budgets, end)) {
    const isKnown = kind === "tokens" ? spent.unknown_tokens : spent.unknown_cost;
    if (isKnown !== undefined) continue;
    const told = kind === "tokens" ? "how many tokens it used" : "what it cost";
    const summary = `session ${session} did not tell ${told}: the budget for it cannot be enforced with this agent`;
    holder.note({ ...fact(context), kind: "budget-unguarded", summary });
    tell({ kind: "notice", text: summary });
  }
  return { spent: { task_id, wall_ms, tokens, cost_usd } };
}

/** A crash between asking and settling must not ask twice, whatever was answered in between. */
function isAsked(
  context: RunContext,
  event: ProjectEvent,
  start?: Pick<SessionStart, "started_at">,
): boolean {
  const { approval_items, questions } = context.holder.state;
  if (event.kind === "question-asked") {
    const { task_id, session, text } = event.question;
    return questions.some(
      (item) =>
        item.task_id === task_id &&
        item.text === text &&
        (item.session === session || item.status === "open"),
    );
  }
  return (
    event.kind === "approval-requested" &&
    approval_items.some(
      (item) =>
        (item.status === "open" || (start !== undefined && item.asked_at >= start.started_at)) &&
        item.kind === event.approval.kind &&
        item.task_id === event.approval.task_id &&
        item.subject_sha256 === event.approval.subject_sha256,
    )
  );
}
