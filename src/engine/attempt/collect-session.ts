// A session ended, in this run or in one that was killed: its work is captured, what it did to its copy
// of the manifest is settled, and its end becomes an event. Of an end that nobody saw, what the session had
// said by its marker and its verbs counts; what it did without a word is judged by the checks.
import type { Outcome } from "../../agents/agent.ts";
import { saidByMarker } from "../../agents/judge-end.ts";
import type { EndTold, EventOf, ProjectEvent } from "../../core/events.ts";
import type { TaskId } from "../../core/ids.ts";
import type { SessionEnd, SessionStart } from "../../core/schema/session-records.ts";
import { unguarded } from "../../core/step/budgets.ts";
import { fewOf } from "../../core/words/amounts.ts";
import { sessionEndWords } from "../../core/words/session-end-words.ts";
import { UNSEEN_BY_HAND, UNSEEN_END } from "../../core/project-state.ts";
import { durationText } from "../../core/written/times.ts";
import { announce, fact } from "../base/fact.ts";
import { memoryOf, readEnd, readEndManifest, readStart, sessionPath } from "../base/kept-record.ts";
import type { Steps } from "../base/persist.ts";
import type { RunContext } from "../base/run-context.ts";
import { redacted } from "../base/secrets.ts";
import { isInTree, restoreInPlace } from "../people/manifest-texts.ts";
import { settleCopy } from "../people/proposals.ts";
import { measureProgress } from "./measure-session.ts";
import { lastInLogs } from "../base/last-in-logs.ts";
import { ownDelegation } from "./own-delegation.ts";
import { archiveMarker } from "./run-session.ts";
import { withNotesOf, withProposalsOf } from "./said-of-manifest.ts";
import { forgetWords, heard, takeWords, wordsOf } from "../base/session-words.ts";
import { type AtEnd, type InProgress, specialEnd } from "./special-end.ts";
import { endTold, tellEnd, unseenEndTold } from "./tell-session.ts";
import { isThere } from "../../process/look-at.ts";

export async function* collectSession(context: RunContext, task: InProgress): Steps {
  yield* collect(context, task);
  // Only now that what came of them is durable.
  forgetWords(context, task.attempt.session);
}

async function* collect(context: RunContext, task: InProgress): Steps {
  const { session } = task.attempt;
  await makeAnewIfGone(context, session);
  const start = readStart(context, session);
  const isOwnTask = start?.tasks[0]?.task_id === task.id;
  const end = readEnd(context, session);
  // A run that was killed may not have come to it; it must not speak for another session.
  archiveMarker(
    context,
    session,
    end === undefined ? markerUnseen(context, session) : "late-marker",
  );
  if (end === undefined) takeWords(context, session);
  if (start === undefined) {
    yield { event: givenUp(context, task, "its start was not recorded") };
    return;
  }
  if (end === undefined && isConflictUntold(context, start)) {
    yield { event: givenUp(context, task, "the run was killed before its session began") };
    return;
  }
  const ended = end === undefined ? unseenEndTold(context, start) : endTold(end);
  if (!isOwnTask) {
    yield { event: sessionEnded(context, task, end, { progress: "made" }, ended) };
    return;
  }
  // The run that saw its end has told it.
  const isTold = end !== undefined && task.attempt.run_id === context.runId;
  if (!isTold && start.by_hand !== true) tellEnd(context, ended, start);

  const spoken = wordsOf(context, session);
  const taskIds = start.tasks.map(({ task_id }) => task_id);
  // Nobody but the session writes there, also where a kill cut it short.
  const left =
    end === undefined ? cutShortManifest(context, start) : readEndManifest(context, start, end);
  const wanted = withProposalsOf(context, start, withoutSecrets(context, start, left), spoken);
  const settled = settleCopy(context, { session, taskIds, startText: start.manifest }, wanted.left);
  const { proposal } = settled;
  const { digest, unwritten } = withNotesOf(context, settled.digest, session, spoken);
  // What it did to the manifest and did not stay: told, and written down.
  for (const text of [...wanted.notices, ...settled.notices, ...unwritten]) {
    announce(context, "manifest-reverted", text);
  }
  if (proposal !== null && !isAsked(context, proposal, start)) yield { event: proposal };
  const texts = { manifest_digest: digest, ...restoreInPlace(context, digest) };
  // Ignored files stay as a session leaves them, and no commit shows that.
  const brought = end?.brought_changed ?? (await context.space.changedBrought(session));
  if (brought.length > 0) {
    const text = `session ${session} changed files that were brought along: ${fewOf(brought)}`;
    announce(context, "brought-changed", text);
  }
  if (end !== undefined) tellOfBackground(context, end);
  const { progress, words } = await measureProgress(context, start, task.id, brought);
  const retries = end?.retries === undefined ? {} : { retries: end.retries };
  const atEnd = { ...texts, ...words, ...spendingOf(context, task.id, session, end), ...retries };
  const said = end === undefined ? saidUnseen(context, session) : end.outcome;
  const known = { session, stopped: end?.stopped ?? null, agent: start.agent, ended };
  const special =
    said === null ? null : specialEnd(context, task, { ...known, outcome: said }, atEnd);
  const own = special === null && isAtItsEnd(said) ? ownDelegation(context, task, atEnd) : null;
  if (own?.kind === "sent") {
    yield { event: own.event };
    return;
  }
  if (own?.kind === "refused") {
    const text = `session ${session} cannot give its task to somebody else: ${own.why}`;
    announce(context, "delegation-refused", text);
  }
  const cut = own?.kind === "asked" ? own : special;
  if (cut === null) {
    const event = sessionEnded(context, task, end, { progress, ...atEnd }, ended);
    // Of an end that nobody saw, nobody knows whether the provider answered.
    yield { event: end === undefined ? event : { ...event, answered_by: start.agent } };
    return;
  }
  for (const event of cut.requests) if (!isAsked(context, event, start)) yield { event };
  yield { event: cut.cut };
}

/** What it wrote into its copy of the manifest goes into commits and briefs. */
function withoutSecrets(
  { secrets }: RunContext,
  { manifest }: SessionStart,
  left: Uint8Array | undefined,
): Uint8Array | undefined {
  if (left === undefined) return undefined;
  const text = Buffer.from(left).toString("utf8");
  return secrets.isAdded(manifest, text) ? Buffer.from(redacted(secrets, text)) : left;
}

/** What a session leaves running is nobody's work any more: it is waited for where somebody wants that, or ended. */
function tellOfBackground(
  context: RunContext,
  { session, left_behind, kept_ms = 0 }: SessionEnd,
): void {
  const waited = kept_ms < 1000 ? "" : ` after ${durationText(kept_ms)}`;
  if (left_behind > 0) {
    const what = left_behind === 1 ? "1 process" : `${left_behind} processes`;
    const text = `session ${session} left ${what} running; ended${waited}. A marker with keep: 10m lets them finish`;
    announce(context, "background-ended", text, { left_behind, kept_ms });
  } else if (kept_ms > 0) {
    const text = `what session ${session} left running has ended by itself${waited}`;
    announce(context, "background-finished", text, { kept_ms });
  }
}

/** It came to its end by itself, as far as anybody knows: then what it wants next counts. */
function isAtItsEnd(said: Outcome | null): boolean {
  return said === null || said.kind === "finished" || said.kind === "no-progress";
}

/** Somebody removed it, or without isolation the session itself; what it made is gone with it. */
async function makeAnewIfGone(context: RunContext, session: number): Promise<void> {
  const { space, tell } = context;
  if (space.kind !== "own-copy" || isThere(space.folder)) return;
  for (const text of await space.open()) tell({ kind: "notice", text });
  const text = `the folder that session ${session} worked in is gone, with all that the session had made; Stint made the folder again`;
  announce(context, "workspace-gone", text);
}

/** There is nothing to judge: the next attempt begins anew. */
export function givenUp(context: RunContext, task: InProgress, reason: string): ProjectEvent {
  const { number: attempt } = task.attempt;
  const cut = { task_id: task.id, attempt, reason, excuse: "stopped" } as const;
  return { kind: "attempt-interrupted", ...fact(context), ...cut };
}

/** Of what it noted; it goes into the state. */
const LONGEST_NOTE = 2000;

function sessionEnded(
  context: RunContext,
  task: InProgress,
  end: SessionEnd | undefined,
  { progress, ...atEnd }: Pick<EventOf<"session-ended">, "progress"> & AtEnd,
  ended: EndTold | undefined,
): EventOf<"session-ended"> {
  const notes = wordsOf(context, task.attempt.session).filter(({ verb }) => verb === "note");
  const said = notes.map(({ text }) => text).join("\n");
  const isByHand = readStart(context, task.attempt.session)?.by_hand === true;
  const unseen = isByHand ? UNSEEN_BY_HAND : UNSEEN_END;
  const { session } = task.attempt;
  const last = (end ?? lastInLogs(context, session)).last_text ?? undefined;
  const note = said === "" ? last?.slice(-LONGEST_NOTE) : said.slice(-LONGEST_NOTE);
  return {
    kind: "session-ended",
    ...fact(context),
    task_id: task.id,
    session: task.attempt.session,
    outcome: end === undefined ? unseen : sessionEndWords(end),
    ...(ended !== undefined && { ended }),
    progress,
    ...(note === undefined ? {} : { note }),
    ...atEnd,
  };
}

/** Of a session that was cut by a kill nobody knows what it spent, and that is what is recorded. */
function spendingOf(
  context: RunContext,
  task_id: TaskId,
  session: number,
  end: SessionEnd | undefined,
): Pick<ProjectEvent, "spent"> {
  if (end === undefined && !hasKept(context, session, "process.json")) return {};
  const { wall_ms, tokens, cost_usd } = end ?? { wall_ms: 0, tokens: null, cost_usd: null };
  const { budgets, spent } = context.holder.state;
  for (const kind of end === undefined ? [] : unguarded(budgets, end)) {
    const isKnown = kind === "tokens" ? spent.unknown_tokens : spent.unknown_cost;
    if (isKnown !== undefined) continue;
    const told = kind === "tokens" ? "how many tokens it used" : "what it cost";
    const text = `session ${session} did not tell ${told}: the budget for it cannot be enforced with this agent`;
    announce(context, "budget-unguarded", text);
  }
  return { spent: { task_id, wall_ms, tokens, cost_usd } };
}

/** A crash between asking and settling must not ask twice, whatever was answered in between. */
function isAsked(context: RunContext, event: ProjectEvent, start: SessionStart): boolean {
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
        (item.status === "open" || item.asked_at >= start.started_at) &&
        item.kind === event.approval.kind &&
        item.task_id === event.approval.task_id &&
        item.subject_sha256 === event.approval.subject_sha256,
    )
  );
}

/** The marker that lies in the workspace is this session's only where it is surely its own. */
function markerUnseen(context: RunContext, session: number): "marker" | "stale-marker" {
  // The brief is written once a marker of somebody before is gone, and before the session starts.
  return hasKept(context, session, "brief.md") ? "marker" : "stale-marker";
}

function hasKept(
  { holder, store }: RunContext,
  session: number,
  name: "brief.md" | "process.json",
): boolean {
  return store.kept(holder.state.project_id, sessionPath(session, name)) !== undefined;
}

/**
 * Whether others changed what these tasks had made, and the session that was to be told of it never began:
 * what lies there is theirs, whatever checks say about it.
 */
function isConflictUntold(context: RunContext, { session, tasks }: SessionStart): boolean {
  if (hasKept(context, session, "process.json")) return false;
  return tasks.some(({ task_id }) => memoryOf(context, task_id).elsewhere !== undefined);
}

/** What a session without a result had said, or null. */
export function saidUnseen(context: RunContext, session: number): Outcome | null {
  return saidByMarker(heard(context, session)) ?? null;
}

/** As a session left it that a kill cut short. */
function cutShortManifest(context: RunContext, start: SessionStart): Uint8Array | undefined {
  return isInTree(context) ? context.copy.manifestBytes() : Buffer.from(start.manifest);
}
