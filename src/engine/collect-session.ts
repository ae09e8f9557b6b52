// A session ended, in this run or in one that was killed: what it must not have taken away comes
// back, its window on the manifest closes, and its end becomes an event.
import type { Outcome } from "../agents/agent.ts";
import type { ProjectEvent } from "../core/events.ts";
import type { TaskId } from "../core/ids.ts";
import type { Sha256 } from "../core/schema/scalar.ts";
import type { Task } from "../core/schema/task.ts";
import { settleWindow } from "./manifest-changes.ts";
import { persist, type Persisted } from "./persist.ts";
import { reportRound } from "./report-round.ts";
import { nowOf, type RunContext, runAuthor } from "./run-context.ts";
import { archiveMarker } from "./archive-marker.ts";
import {
  readEnd,
  readEndText,
  readStart,
  type SessionEnd,
  type SessionStart,
} from "./session-record.ts";
import { setBoxes } from "./set-boxes.ts";
import { keepTaskFacts, taskFacts } from "./task-facts.ts";

type InProgress = Extract<Task, { status: "in_progress" }>;

/** @returns the last revision it persisted */
export async function collectSession(context: RunContext, task: InProgress): Promise<Persisted> {
  const { holder, store } = context;
  const id = holder.state.project_id;
  const { session, number } = task.attempt;
  const start = readStart(store, id, session);
  const isOwnTask = start?.tasks[0]?.task_id === task.id;
  const end = readEnd(store, id, session);
  // A run that was killed may not have come to it; it must not speak for another session.
  archiveMarker(context, session, end === undefined ? "marker" : "late-marker");
  if (start === undefined) return giveUp(context, task);
  if (!isOwnTask) return save(context, sessionEnded(context, task, end, "made", undefined));

  for (const line of await context.tree.restore(start.start)) {
    context.tell({ kind: "notice", text: line });
    holder.note({
      at: nowOf(context),
      by: runAuthor(context),
      kind: "work-tree-restored",
      summary: line,
    });
  }
  const window = holder.state.manifest.window;
  const settled =
    window === undefined
      ? undefined
      : settleWindow(context, {
          kind: end === undefined ? "unclosed" : "closed",
          session,
          taskIds: start.tasks.map(({ task_id }) => task_id),
          startText: store.manifestText(id, start.manifest_digest),
          ...(end === undefined ? {} : { endText: readEndText(store, id, end) }),
        });
  for (const notice of settled?.notices ?? []) context.tell({ kind: "notice", text: notice });
  for (const event of settled?.events ?? []) {
    if (!isAsked(context, event)) save(context, event);
  }
  settled?.apply();

  const progress = await measureProgress(context, start, task.id);
  if (end !== undefined && !isSpendingRecorded(context)) recordSpending(context, end);
  const special = end === undefined ? null : specialEnd(context, task, end, number);
  if (special === null) {
    return save(context, sessionEnded(context, task, end, progress, settled?.digest));
  }
  const digest = settled === undefined ? undefined : uncheckOwn(context, start, settled.digest);
  const events = special.filter((event) => !isAsked(context, event));
  const [first, ...rest] = events.map((event) =>
    event.kind === "attempt-interrupted" && digest !== undefined
      ? { ...event, manifest_digest: digest }
      : event,
  );
  if (first === undefined) throw new Error(`session ${session} has no end`);
  let last = save(context, first);
  for (const event of rest) last = save(context, event);
  return last;
}

/** Nobody will check what a session did that ended in a question or a limit: its boxes are untrue. */
function uncheckOwn(context: RunContext, start: SessionStart, digest: Sha256): Sha256 {
  const ids = start.tasks.filter(({ checked }) => !checked).map(({ task_id }) => task_id);
  return setBoxes(context, ids, false, digest).digest;
}

/** Its start is gone, so nobody knows what it was given: the next attempt begins anew. */
function giveUp(context: RunContext, task: InProgress): Persisted {
  const { holder, store } = context;
  const { project_id, manifest } = holder.state;
  const window = manifest.window;
  const settled =
    window === undefined
      ? undefined
      : settleWindow(context, {
          kind: "unclosed",
          session: window.session,
          taskIds: [task.id],
          startText: store.manifestText(project_id, window.digest),
        });
  for (const event of settled?.events ?? []) if (!isAsked(context, event)) save(context, event);
  settled?.apply();
  return save(context, {
    kind: "attempt-interrupted",
    ...fact(context),
    task_id: task.id,
    attempt: task.attempt.number,
    reason: "its start was not recorded",
    excuse: "stopped",
    ...(settled === undefined ? {} : { manifest_digest: settled.digest }),
  });
}

/** Ends that say nothing about the work: a limit, a question, a person who wants it to stop. */
function specialEnd(
  context: RunContext,
  task: InProgress,
  end: SessionEnd,
  attempt: number,
): readonly [ProjectEvent, ...ProjectEvent[]] | null {
  const base = fact(context);
  const cut = (
    reason: string,
    excuse?: "question" | "approval" | "stopped" | "usage-limit" | "provider",
  ) =>
    ({
      kind: "attempt-interrupted",
      ...base,
      task_id: task.id,
      attempt,
      reason,
      ...(excuse === undefined ? {} : { excuse }),
    }) as const;
  const { outcome } = end;
  if (end.stopped !== null) return [cut(end.stopped, "stopped")];
  switch (outcome.kind) {
    case "question":
      return [
        {
          kind: "question-asked",
          ...base,
          question: { task_id: task.id, session: end.session, text: outcome.question },
        },
        cut(`it asked: ${outcome.question}`, "question"),
      ];
    case "usage-limited":
      return [
        cut(outcome.reason, "usage-limit"),
        {
          kind: "paused",
          ...base,
          pause: {
            kind: "usage-limit",
            reason: outcome.reason,
            ...(outcome.until === null ? {} : { resume_at: outcome.until }),
          },
        },
      ];
    case "rate-limited":
    case "overloaded":
      return [
        cut(outcome.reason, "provider"),
        { kind: "paused", ...base, pause: { kind: "interruption", reason: outcome.reason } },
      ];
    case "auth-failed":
      return [
        cut(outcome.reason, "provider"),
        {
          kind: "blocked",
          ...base,
          blocker: {
            kind: "missing-access",
            reason: outcome.reason,
            unblock: context.agentFor(task).loginHint,
          },
        },
      ];
    default:
      return null;
  }
}

function sessionEnded(
  context: RunContext,
  task: InProgress,
  end: SessionEnd | undefined,
  progress: "made" | "none" | "planning-only",
  digest: ProjectEvent["manifest_digest"],
): ProjectEvent {
  const note = end?.last_text ?? undefined;
  return {
    kind: "session-ended",
    ...fact(context),
    task_id: task.id,
    session: task.attempt.session,
    outcome: end === undefined ? "the run ended while it worked" : describeOutcome(end.outcome),
    progress,
    ...(note === undefined ? {} : { note }),
    ...(digest === undefined ? {} : { manifest_digest: digest }),
  };
}

export function describeOutcome(outcome: Outcome): string {
  switch (outcome.kind) {
    case "blocked":
      return `blocked: ${outcome.reason}`;
    case "crashed":
      return `crashed: ${outcome.reason}`;
    case "killed":
      return `killed: ${outcome.reason}`;
    case "denied":
      return `denied: ${outcome.command}`;
    default:
      return outcome.kind;
  }
}

/** Progress is a tree that was not seen before in this task; docs alone are planning. */
async function measureProgress(
  context: RunContext,
  start: SessionStart,
  task: TaskId,
): Promise<"made" | "none" | "planning-only"> {
  const work = await context.tree.workSince(start.start);
  const facts = taskFacts(context.store, context.holder.state.project_id, task);
  const isNew = !facts.trees.includes(work.tree) && work.tree !== start.start.tree;
  keepTaskFacts(context.holder, task, { ...facts, trees: [...facts.trees, work.tree] });
  if (!isNew || (work.substantial.length === 0 && work.docs.length === 0)) return "none";
  return work.substantial.length === 0 ? "planning-only" : "made";
}

function recordSpending(context: RunContext, end: SessionEnd): void {
  const { wall_ms, tokens, cost_usd } = end;
  save(context, { kind: "spending-recorded", ...fact(context), wall_ms, tokens, cost_usd });
}

/** A crash between the two revisions of an end must not count its spending twice. */
function isSpendingRecorded(context: RunContext): boolean {
  const { holder, store } = context;
  const recent = store.journal(holder.state.project_id, RECENT_LINES);
  const start = recent.findLastIndex(({ kind }) => kind === "attempt-started");
  return recent.slice(start + 1).some(({ kind }) => kind === "spending-recorded");
}

/** More than can come between an attempt's start and the record of what it spent. */
const RECENT_LINES = 200;

/** A crash between asking and settling must not ask twice. */
function isAsked(context: RunContext, event: ProjectEvent): boolean {
  const { approval_items, questions } = context.holder.state;
  if (event.kind === "question-asked") {
    const { session, text } = event.question;
    return questions.some((asked) => asked.session === session && asked.text === text);
  }
  return (
    event.kind === "approval-requested" &&
    approval_items.some(
      (item) => item.status === "open" && item.subject_sha256 === event.approval.subject_sha256,
    )
  );
}

function save(context: RunContext, event: ProjectEvent): Persisted {
  const persisted = persist(context, event);
  reportRound(context, persisted);
  return persisted;
}

function fact(context: RunContext) {
  return { at: nowOf(context), by: runAuthor(context) };
}
