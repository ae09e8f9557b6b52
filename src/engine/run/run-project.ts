// The loop: rounds of READ → RECOVER → FINISH → LOOK → ADOPT → RESOLVE → DECIDE → PERSIST → REPORT → END until the work is
// done, a person is needed, or somebody wants it to stop. Nothing waits between two tasks.
//
//   RECOVER   what was asked and is asked no longer is closed; delegated work that is back, given up or due for a
//             look is found, before anything new is begun
//   FINISH    what is done is committed, delivered, pushed and recorded
//   LOOK      sessions beside each other: the first that has ended is taken back
//   ADOPT     what the person wrote and where their branch is become part of the plan
//   RESOLVE   before the end: the review log says what was resolved
//   DECIDE    what is next; then that is carried out
//   PROVE     decided before Done and before a release: what is committed passes in a fresh clone. Nothing of it is kept
//             before its event, so that a kill repeats it; the clone that it left is removed as the workspace is opened
//
// Each of them is an act that hands out steps; they are persisted here and nowhere else, and an act goes on
// only once its step is durable. A round that has persisted something begins anew: what is known is another.
//
// The order at the end of a task (SPEC 2.5) stands here and nowhere else. A kill between any two of
// them leaves what the next run recognises and completes:
//
//   1. execute    start and attempt persisted before it, result persisted with its end; a session without
//                 a result is validated as it is, an act without one is verified or asked about
//      marker     archived, then removed, before the result; collecting does it where a kill did not
//   2. checks     repeated: they change nothing that is kept
//   3. evidence   kept under task and attempt, durable with 4; keeping it again replaces it
//   4. state      THE DECISION: from here on the task is done and nothing of it is executed again
//   5. box        in the text that is known; in the person's file where no commit holds it
//   6. commit     hooks first, in the workspace; found again by its trailers
//   7. evidence   a note on the commit, in the act that makes it or after it; one that says it is not repeated
//   8. delivery   its intent is kept before it; one that was cut short is completed
//   9. push       repeated: what is there already is not sent
//  10. record     closes it; without it, FINISH goes through 5 to 10 again
//  11. report     only what was persisted can be told
import { laneWanted } from "../../core/delegation.ts";
import { eligibleTasks } from "../../core/eligibility.ts";
import {
  isActive,
  isOpen,
  isStandingStill,
  isTerminal,
  nextToFinish,
} from "../../core/project-state.ts";
import type { ProjectState } from "../../core/schema/project.ts";
import { processRecord } from "../../core/schema/run-records.ts";
import type { Pause } from "../../core/schema/items.ts";
import type { Task } from "../../core/schema/task.ts";
import { sessionsSpent } from "../../core/step/budgets.ts";
import { Interrupted } from "../../core/stint-error.ts";
import { endProcessesOfRun } from "../../process/end-processes.ts";
import type { ProcessRecord } from "../../process/process-table.ts";
import { keptPath } from "../../store/store.ts";
import { continueBatch, isInBatch } from "../attempt/batch.ts";
import { handOut, sessionInHand } from "../attempt/by-hand.ts";
import { collectSession, givenUp } from "../attempt/collect-session.ts";
import { runSession } from "../attempt/run-session.ts";
import { prepareAttempt, sendOutside } from "../attempt/start-attempt.ts";
import { lookAtLanes, sentToLane, sessionsOut, waitBeside } from "../attempt/take-back.ts";
import { validateAttempt } from "../attempt/verify-task.ts";
import { announce, asking, fact } from "../base/fact.ts";
import { keepRecord, readKept, readStart, sessionPath } from "../base/kept-record.ts";
import { RefusedEvent, save, saveEach, type Steps } from "../base/persist.ts";
import type { RunContext } from "../base/run-context.ts";
import { settleDelivery } from "../finish/deliver.ts";
import { blockedUnlessStill, finishTasks } from "../finish/finish-tasks.ts";
import { followBranch } from "../finish/follow-branch.ts";
import { noteProof, noteWhatIsMissing } from "../finish/note-evidence.ts";
import { settlePush } from "../finish/push.ts";
import { resolveLate, unresolvedItems } from "../finish/resolve-late.ts";
import { adoptWhileRunning, troubleWithManifest } from "../people/adopt-while-running.ts";
import { voidApproval } from "../people/carry-out-answer.ts";
import { consentOf } from "../people/consent.ts";
import { scriptsOf } from "../space/workspace-commands.ts";
import { isSessionsFile, writeNotes } from "../people/manifest-texts.ts";
import { filesHeld } from "../people/output-subject.ts";
import { changedSettings } from "../people/own-settings.ts";
import { isProofDue, isProofWanted, prove } from "../proof/prove.ts";
import { blockedBySetup, SetupFailed } from "../space/set-up.ts";
import { type Act, type Beside, decide, type Decision } from "./decide.ts";
import { captureActs, runLogistics } from "./logistics.ts";
import { recoverDispatches } from "./recover-dispatches.ts";

export interface RunEnd {
  readonly state: ProjectState;
  readonly why: string;
}

export async function runProject(context: RunContext): Promise<RunEnd> {
  try {
    return await runRounds(context);
  } finally {
    // Whatever ended the run: no session outlives it, and what each made is found by the next one.
    await context.lanes.end("the run ends");
  }
}

async function runRounds(context: RunContext): Promise<RunEnd> {
  await endWhatACrashLeft(context);
  await captureActs(context);
  // What a run that was killed did not come to write.
  context.children?.persisted(context.holder.state);
  context.stages?.begun();
  for (let isFirst = true; ; isFirst = false) {
    // Rounds follow each other: each reads what the one before it persisted.
    // oxlint-disable-next-line no-await-in-loop
    const end = await roundOrInterruption(context, isFirst);
    if (end === null) continue;
    context.children?.persisted(end.state);
    context.stages?.ended();
    return end;
  }
}

async function roundOrInterruption(context: RunContext, isFirst: boolean): Promise<RunEnd | null> {
  const { answers } = context;
  answers.take();
  const before = answers.settled();
  try {
    const end = await round(context, isFirst);
    // An answer that came last of all may be what the run was about to end for.
    return end !== null && isStandingStill(end.state) && answers.take() > 0 ? null : end;
  } catch (error) {
    // What was under way is overtaken by what a person said meanwhile; nothing of it was recorded.
    if (error instanceof SetupFailed) return await notSetUp(context, error);
    if (error instanceof RefusedEvent && answers.settled() > before) return null;
    return interrupted(context, error);
  } finally {
    answers.hold("free");
  }
}

/** The next run, which a person starts, tries again. */
async function notSetUp(context: RunContext, failed: SetupFailed): Promise<RunEnd | null> {
  const event = blockedBySetup(context, failed);
  const { saved } = await saveEach(context, blockedUnlessStill(context, event));
  return saved > 0 ? null : { state: context.holder.state, why: failed.message };
}

/** Nothing of what was under way is concluded from: the next run does it again, or asks. */
function interrupted(context: RunContext, error: unknown): RunEnd | null {
  const { holder, answers } = context;
  const stop = context.stopWanted();
  if (!(error instanceof Interrupted)) throw error;
  if (stop === null && answers.letGo() === null) throw error;
  announce(context, "interrupted", error.message);
  // Only let go: the answer that wanted it is carried out before anything else.
  if (stop === null) return null;
  if (isActive(holder.state)) return pause(context, stop);
  return { state: holder.state, why: stop.reason };
}

function pause(context: RunContext, { kind, reason }: Pick<Pause, "kind" | "reason">): RunEnd {
  save(context, { kind: "paused", ...fact(context), pause: { kind, reason } });
  return { state: context.holder.state, why: reason };
}

/** One round. @returns how the run ends, or null when the next round follows at once */
async function round(context: RunContext, isFirst: boolean): Promise<RunEnd | null> {
  const { holder } = context;
  const before = holder.state.revision;
  const stop = context.stopWanted();
  const isAnyAtWork = context.lanes.all().length > 0 || sessionsOut(holder.state).length > 0;
  if (stop !== null && canPause(holder.state) && !isAnyAtWork) return pause(context, stop);
  context.answers.hold("finishing");
  for (const act of [recover, finish, lookAtLanes, adopt, resolveLate]) {
    // oxlint-disable-next-line no-await-in-loop
    const { saved } = await saveEach(context, act(context, isFirst));
    if (saved > 0) return null;
  }
  const now = {
    ...asking(context),
    fence: holder.lease.fence,
    agentsFor: context.agents.namesFor,
    consent: consentOf(context.store, holder.state),
    release: context.settings.release,
    scripts: scriptsOf(context),
    beside: besideEachOther(context),
    isInBatch: isInBatch(context),
    unresolved: await unresolvedItems(context),
    isProofDue: isProofWanted(context),
  };
  const first = decide(holder.state, now);
  const isToProve = first.kind === "act" && first.act.kind === "prove";
  // Only where it would be next is git asked whether it is proven already.
  const isProven = isToProve && !(await isProofDue(context));
  const decision = isProven ? decide(holder.state, { ...now, isProofDue: false }) : first;
  if (isLastQuestionDue(decision, holder.state)) {
    const { saved } = await saveEach(context, settle(context));
    if (saved > 0) return null;
  }
  if (decision.kind === "persist" && decision.event.kind === "completed") {
    const reason = troubleWithManifest(context);
    if (reason !== null) return pause(context, { kind: "interruption", reason });
    context.stages?.completing();
  }
  if (isToWait(context, decision)) {
    await waitBeside(context);
    return null;
  }
  const end = await carryOut(context, decision);
  if (end === null && holder.state.revision === before) {
    const summary = `a round that changed nothing was refused (${decision.kind})`;
    holder.note({ ...fact(context), kind: "empty-round", summary });
    throw new Error(`${summary}; this would never have ended`);
  }
  return end;
}

function besideEachOther(context: RunContext): Beside {
  const { settings, lanes, answers, holder } = context;
  const all = lanes.all();
  const isOneLetGo = all.some(({ task_id }) => answers.letGoOf(task_id) !== null);
  const isLast = lastSessionWas(context);
  const isEnding = context.stopWanted() !== null || answers.pauseWanted() !== null;
  const unknown = sessionsOut(holder.state)
    .filter(({ id }) => all.every(({ dispatch_id }) => dispatch_id !== id))
    .map(({ worker: { lane }, owner: agent, task_id }) => ({ lane, agent, task_id }));
  const delegated = new Set(holder.state.tasks.filter(laneWanted).map(({ id }) => id));
  return {
    parallel: settings.parallel ?? 1,
    parallelOf: settings.parallelOf ?? {},
    atWork: [...all, ...unknown].map((each) => ({
      ...each,
      isDelegated: delegated.has(each.task_id),
    })),
    hasLanes: context.space.kind === "own-copy",
    isClosing: isEnding || isLast || isOneLetGo,
  };
}

/** Also where nothing else is to be done: what the sessions beside each other made is not left behind. */
function isToWait({ lanes }: RunContext, { kind }: Decision): boolean {
  return kind === "wait" || (kind === "stop" && lanes.all().some(({ hasEnded }) => !hasEnded));
}

/** RECOVER comes before anything else: what a person is asked must be what is there. */
async function* recover(context: RunContext, isFirst: boolean): Steps {
  const asked = isOpen(context.holder.state) ? changedSettings(context) : null;
  const event = asked ?? voidApproval(context);
  if (event !== null) yield { event };
  else yield* recoverDispatches(context, { isFirst });
}

/** FINISH: whatever else the project waits for, work that is done is committed. */
async function* finish(context: RunContext): Steps {
  const { state } = context.holder;
  if (!canFinish(state) || filesHeld(state) !== undefined) return;
  const unfinished = nextToFinish(state);
  if (unfinished.length > 0 && !isInBatch(context)) yield* finishTasks(context, unfinished);
}

/** ADOPT: what sessions noted, what a person changed, and then where their branch is. */
async function* adopt(context: RunContext): Steps {
  const { state } = context.holder;
  // What is over has no workspace to ask.
  const noted = isTerminal(state) ? null : await writeNotes(context);
  const isReadable = noted === null && isOpen(state) && !isSessionsFile(context);
  const event = noted ?? (isReadable ? await adoptWhileRunning(context) : null);
  if (event !== null) yield { event };
  // After what they wrote is adopted: a delivery makes their text one that git put there.
  else if (isReadable && state.current_task_id === null && !isInBatch(context)) {
    yield* followBranch(context);
  }
}

/** What is asked last of all: about the delivery, then about the push, which takes the evidence along. */
async function* settle(context: RunContext): Steps {
  await noteWhatIsMissing(context);
  await noteProof(context);
  const event = (await settleDelivery(context)) ?? (await settlePush(context));
  if (event !== null) yield* blockedUnlessStill(context, event);
}

/** Nothing is left to do, or a person has been asked about the delivery or the push before. */
function isLastQuestionDue(decision: Decision, { status, approval_items }: ProjectState): boolean {
  const wasAsked = approval_items.some(
    ({ kind, status: is }) =>
      (kind === "deliver" || kind === "push") && (is === "open" || is === "granted"),
  );
  if (decision.kind === "stop") return status === "AwaitingApproval" && wasAsked;
  if (decision.kind !== "persist") return false;
  const { event } = decision;
  if (event.kind === "gate-reached") return wasAsked;
  return event.kind === "completed" || (event.kind === "blocked" && event.blocker === undefined);
}

async function carryOut(context: RunContext, decision: Decision): Promise<RunEnd | null> {
  switch (decision.kind) {
    case "stop": {
      const { state } = context.holder;
      // Who wanted it to stop is not overruled by what it waits for anyway.
      const wanted = context.answers.pauseWanted();
      return wanted !== null && isStandingStill(state)
        ? pause(context, wanted)
        : { state, why: decision.why };
    }
    case "persist":
      save(context, decision.event);
      return null;
    case "wait":
      throw new Error("a wait was carried out");
    case "act": {
      const end = stopAsAsked(context, decision.act) ?? (await stopByHand(context, decision.act));
      if (end !== null) return end;
      const { act } = decision;
      const isFinishing = act.kind === "collect" || act.kind === "prove";
      context.answers.hold(isFinishing ? "finishing" : { task: act.task_id });
      await saveEach(context, act.kind === "prove" ? prove(context) : perform(context, act));
      return handedOut(context);
    }
    default:
      return decision satisfies never;
  }
}

async function* perform(context: RunContext, act: Exclude<Act, { kind: "prove" }>): Steps {
  const task = context.holder.state.tasks.find(({ id }) => id === act.task_id);
  if (task === undefined) throw new Error(`there is no task ${act.task_id}`);
  switch (act.kind) {
    case "attempt": {
      const continued = continueBatch(context, task);
      if (continued !== null) {
        yield { event: continued };
        return;
      }
      const start = yield* prepareAttempt(context, task, act.agent);
      // What was held back while it was prepared.
      context.answers.take();
      if (start === null) return;
      if (context.byHand === undefined) await runSession(context, start);
      else await handOut(context, start);
      return;
    }
    case "dispatch":
      yield* dispatchTo(context, task, act);
      return;
    case "logistics":
      yield* runLogistics(context, task);
      return;
    case "send":
      yield* sendOutside(context, task);
      return;
    case "collect": {
      if (task.status !== "in_progress") throw new Error(`${task.id} is not in progress`);
      const lane = readStart(context, task.attempt.session)?.lane;
      if (lane !== undefined && context.space.kind === "in-place") {
        const why = "what it left is in a lane of a workspace that the run does not work in";
        yield { event: givenUp(context, task, why) };
        return;
      }
      yield* collectSession(lane === undefined ? context : await context.lanes.context(lane), task);
      return;
    }
    case "validate":
      if (task.status !== "validating") throw new Error(`${task.id} is not being validated`);
      yield* validateAttempt(context, task);
      return;
    default:
      act satisfies never;
  }
}

/** Prepared like every attempt; once it is durable that it is out, its session goes on beside everything else. */
async function* dispatchTo(
  context: RunContext,
  task: Task,
  { lane, agent, sharers }: Extract<Act, { kind: "dispatch" }>,
): Steps {
  const beside = await context.lanes.context(lane);
  // Those that will be needed next are opened meanwhile.
  const ready = Math.min(sharers, eligibleTasks(context.holder.state).length);
  for (let next = lane + 1; next < lane + ready; next += 1) void context.lanes.context(next);
  const start = yield* prepareAttempt(beside, task, agent, (begun) =>
    sentToLane(beside, lane, task, begun),
  );
  context.answers.take();
  if (start === null) return;
  const { session } = start;
  const out = sessionsOut(context.holder.state).find(({ worker }) => worker.session === session);
  // An answer may have taken the task out of the plan meanwhile.
  if (out === undefined) return;
  const own = { lane, session, agent, task_id: task.id, dispatch_id: out.id };
  context.lanes.start(own, sharers, () => runSession(beside, start));
}

/** Processes of a run that was killed are ended before anything new starts. */
async function endWhatACrashLeft(context: RunContext): Promise<void> {
  const { state } = context.holder;
  let ended = 0;
  const last = Math.max(1, state.counters.sessions);
  const beside = sessionsOut(state).map(({ worker }) => worker.session);
  // Sessions by their processes, and checks and acts, which leave no record, by the run they carry.
  const sessions = [...new Set([last, ...beside])].map((each) => sessionPath(each, "process.json"));
  for (const path of [...sessions, RUN]) {
    const record = readKept(context, path, processRecord);
    // oxlint-disable-next-line no-await-in-loop
    if (record !== undefined) ended += await endProcessesOfRun(record);
  }
  // Only now: killed before this, the next run must still find the earlier one.
  keepRecord(context, RUN, thisRun(context));
  if (ended === 0) return;
  const what = ended === 1 ? "1 process" : `${ended} processes`;
  const text = `ended ${what} of an earlier run that had gone on working`;
  announce(context, "leftovers-ended", text);
}

const RUN = keptPath("logs", "run.json");

/** This run as the next one is to look for it: by what its processes carry, not by its own pid. */
function thisRun({ runId, host }: RunContext): ProcessRecord {
  const { pid, boot_id, pid_namespace } = host.self();
  const process_start = "unknown";
  return { run_id: runId, pid, process_start, boot_id, pid_namespace, isolation: "group" };
}

/** Nothing new begins after the last session that was asked for; what it began is finished first. */
function stopAsAsked(context: RunContext, { kind }: Act): RunEnd | null {
  const { settings, answers } = context;
  const isNew = kind !== "collect" && kind !== "validate" && !isInBatch(context);
  const wanted = answers.pauseWanted();
  if (wanted !== null && isNew) return pause(context, wanted);
  // It starts no session.
  if (!lastSessionWas(context) || !isNew || kind === "prove") return null;
  const reason = settings.stopAfter?.reason ?? "";
  return pause(context, { kind: "requested", reason });
}

/** By hand, no attempt begins that nobody asked for. */
async function stopByHand({ holder, byHand }: RunContext, act: Act): Promise<RunEnd | null> {
  if (byHand === undefined || act.kind !== "attempt") return null;
  const why = await byHand.whyNot(act.task_id);
  return why === null ? null : { state: holder.state, why };
}

/** The rounds are over where whoever asked for a session has it. */
function handedOut(context: RunContext): RunEnd | null {
  const start = context.byHand === undefined ? null : sessionInHand(context);
  if (start === null) return null;
  return { state: context.holder.state, why: `session ${start.session} is open` };
}

function lastSessionWas({ holder, settings: { stopAfter } }: RunContext): boolean {
  return stopAfter !== undefined && sessionsSpent(holder.state.counters) >= stopAfter.session;
}

function canPause(state: ProjectState): boolean {
  return isActive(state) && state.current_task_id === null;
}

/** Verified work is finished also where nothing else can go on; a commit that failed is told once. */
function canFinish(state: ProjectState): boolean {
  if (state.current_task_id !== null || !isOpen(state)) return false;
  return isActive(state) || state.blockers.every(({ task_id }) => task_id !== undefined);
}
