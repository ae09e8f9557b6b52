// A session ended, in this run or in one that was killed: its work is captured, what it did to its copy
// of the manifest is settled, and its end becomes an event.
import type { SessionEnd, SessionStart } from "../../core/schema/session-records.ts";
import { fewOf } from "../../core/words/amounts.ts";
import { unguarded } from "../../core/step/budgets.ts";
import type { Outcome } from "../../agents/agent.ts";
import type { EventOf, ProjectEvent } from "../../core/events.ts";
import type { TaskId } from "../../core/ids.ts";
import { measureProgress } from "./measure-session.ts";
import { settleCopy } from "../manifest/manifest-changes.ts";
import type { Steps } from "../base/steps.ts";
import { restoreInPlace } from "../manifest/restore-in-place.ts";
import { fact } from "../base/fact.ts";
import type { RunContext } from "../base/run-context.ts";
import { type AtEnd, type InProgress, specialEnd } from "./special-end.ts";
import { archiveMarker } from "./archive-marker.ts";
import { readEnd, readEndManifest, readStart, sessionPath } from "../base/session-record.ts";
import { isConflictUntold, saidUnseen, takeMarkerUnseen } from "./unseen-end.ts";

export async function* collectSession(context: RunContext, task: InProgress): Steps {
  const { holder, store } = context;
  const id = holder.state.project_id;
  const { session } = task.attempt;
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
  const known = { session, stopped: end?.stopped ?? null, agent: start.agent };
  const special =
    said === null ? null : specialEnd(context, task, { ...known, outcome: said }, atEnd);
  if (special === null) {
    const ended = sessionEnded(context, task, end, progress, atEnd);
    // Of an end that nobody saw, nobody knows whether the provider answered.
    yield { event: end === undefined ? ended : { ...ended, answered_by: start.agent } };
    return;
  }
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
