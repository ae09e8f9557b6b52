// DECIDE: what comes next, from the state alone. Pure. A decision is an event to persist, an act to
// perform, or a reason to stop; it is never nothing.
import { freeAgent, standstill } from "../../core/agent-limits.ts";
import type { Asking } from "../../core/asking.ts";
import { laneWanted, outsideOf } from "../../core/delegation.ts";
import { eligibleTasks, firstEligible, isFinished } from "../../core/eligibility.ts";
import type { ProjectEvent } from "../../core/events.ts";
import type { TaskId } from "../../core/ids.ts";
import type { Instant } from "../../core/instant.ts";
import { isPersonAwaited, isResultAwaited } from "../../core/project-state.ts";
import type { ProjectState } from "../../core/schema/project.ts";
import type { Task } from "../../core/schema/task.ts";
import { spentBudget } from "../../core/step/budgets.ts";
import { attemptsLeft, isLogistical } from "../../core/step/task-moves.ts";
import { doneWords } from "../../core/words/task-standing.ts";
import { MOST_PARALLEL } from "../../core/written/bounds.ts";
import { approvalRequested } from "../base/fact.ts";
import {
  commandsOfTask,
  commandSubject,
  type Consent,
  isRelease,
  type Scripts,
  startApproval,
  startGate,
} from "../people/consent.ts";

/** Work that takes time. Each is safe to begin again after a crash. */
export type Act =
  /** Baseline checks, then a session, unless the output is already there. */
  | { readonly kind: "attempt"; readonly task_id: TaskId; readonly agent: string }
  /** The same in a lane, beside others: its session is started and not waited for. */
  | {
      readonly kind: "dispatch";
      readonly task_id: TaskId;
      readonly agent: string;
      readonly lane: number;
      /** How many may still begin, with this one: each has an equal part of what is left to spend. */
      readonly sharers: number;
    }
  /** A command or webhook of the manifest that Stint runs itself. */
  | { readonly kind: "logistics"; readonly task_id: TaskId }
  /** Work that somebody outside does: it is sent, and looked at later. */
  | { readonly kind: "send"; readonly task_id: TaskId }
  /** A session that ended, in this run or in one that was killed, and was not recorded yet. */
  | { readonly kind: "collect"; readonly task_id: TaskId }
  /** The checks of the attempt that ended. */
  | { readonly kind: "validate"; readonly task_id: TaskId }
  /** All checks once more, in a fresh clone of what is committed. */
  | { readonly kind: "prove" };

export type Decision =
  | { readonly kind: "persist"; readonly event: ProjectEvent }
  | { readonly kind: "act"; readonly act: Act }
  /** Until one of the sessions beside each other has ended. */
  | { readonly kind: "wait" }
  | { readonly kind: "stop"; readonly why: string };

/** Sessions beside each other, as they are now. */
export interface Beside {
  /** How many there may be; 1: one after another, in hand. */
  readonly parallel: number;
  /** How many of them one agent may have; absent: all. */
  readonly parallelOf: Readonly<Record<string, number>>;
  readonly atWork: readonly {
    readonly lane: number;
    readonly agent: string;
    /** By the manifest, whatever else is at work: it takes no place of the others. */
    readonly isDelegated?: boolean;
  }[];
  /** A project that works in place has no lanes. */
  readonly hasLanes: boolean;
  /** Somebody wants the run to end, or one of them let go: nothing new begins before. */
  readonly isClosing: boolean;
}

/** `by` is the orchestrator's identity, author of what the run itself finds and does. */
export interface Now extends Asking {
  readonly fence: number;
  /** The agents that may work on a task, the preferred one first. */
  readonly agentsFor: (task: Task) => readonly string[];
  /** What nobody has allowed yet of a task that would be next. */
  readonly consent: Pick<Consent, "missing">;
  /** Whether a person is asked before a release step starts. */
  readonly release: "ask" | "auto";
  /** Where it is seen whether a script releases something. */
  readonly scripts: Scripts;
  readonly beside: Beside;
  /** Tasks of the last session are still to be judged, and nothing comes between them. */
  readonly isInBatch?: boolean;
  /** What tasks that are done resolve and the review log does not say; asked where nothing else is left to do. */
  readonly unresolved: readonly string[];
  /** What is committed is proven in a fresh clone before it is Done, or put in front of others. */
  readonly isProofDue: boolean;
}

export function decide(state: ProjectState, now: Now): Decision {
  switch (state.status) {
    case "Draft":
      return { kind: "stop", why: "the plan waits for approval" };
    case "Ready":
      return firstEligible(state) === undefined
        ? withoutEligible(state, now)
        : toPersist({ kind: "work-started", ...fact(now), fence: now.fence });
    case "Running":
      return running(state, now);
    case "Validating":
      return { kind: "act", act: { kind: "validate", task_id: state.current_task_id } };
    case "AwaitingApproval":
      return { kind: "stop", why: whatIsAsked(state) };
    case "AwaitingResult":
      return { kind: "stop", why: whatIsAwaited(state) };
    case "Blocked":
      return { kind: "stop", why: state.blockers[0].reason };
    case "Paused":
      return { kind: "stop", why: state.pause.reason };
    case "Done":
      return { kind: "stop", why: doneWords(state.tasks) };
    case "Abandoned":
      return { kind: "stop", why: "the project was abandoned" };
    default:
      return state satisfies never;
  }
}

function running(state: Extract<ProjectState, { status: "Running" }>, now: Now): Decision {
  if (state.current_task_id !== null) {
    return { kind: "act", act: { kind: "collect", task_id: state.current_task_id } };
  }
  if (now.beside.isClosing && isAnyAtWork(now)) return { kind: "wait" };
  const ready = firstReady(state, now);
  if (ready === "wait") return { kind: "wait" };
  if (ready === undefined) return withoutEligible(state, now);
  if (ready.agent === undefined) return withoutAgent(state, ready.agents, now);
  const { task, agent } = ready;
  if (now.isProofDue && isRelease(task, now.scripts)) return proveAlone(now);
  const held = heldBy(task, state, now);
  if (held !== null) return toPersist(held);
  const task_id = task.id;
  const act: Act =
    agent !== null
      ? attemptAt(state, task, agent, now)
      : { kind: outsideOf(task) === null ? "logistics" : "send", task_id };
  return budgetSpent(state, now) ?? { kind: "act", act };
}

/** In hand, or in the first lane that is free. */
function attemptAt(state: ProjectState, task: Task, agent: string, { beside }: Now): Act {
  const { parallel, atWork } = beside;
  const task_id = task.id;
  const isBeside = parallel > 1 || isToLane(task, beside);
  if (!isBeside || task.exclusive === true) return { kind: "attempt", task_id, agent };
  const busy = new Set(atWork.map(({ lane }) => lane));
  let lane = 1;
  while (busy.has(lane)) lane += 1;
  return { kind: "dispatch", task_id, agent, lane, sharers: sharersOf(state, beside) };
}

/** Each task that may yet be at work beside those that are, whenever it becomes ready, has its part kept for it. */
function sharersOf({ tasks }: ProjectState, beside: Beside): number {
  const isToCome = (task: Task): boolean =>
    !isFinished(task) &&
    task.status !== "awaiting_result" &&
    !isLogistical(task) &&
    outsideOf(task) === null;
  const toCome = tasks.filter(isToCome);
  const extra = toCome.filter((task) => isToLane(task, beside)).length;
  const free = Math.max(0, beside.parallel - countedIn(beside));
  return Math.max(1, Math.min(free, toCome.length - extra) + extra);
}

function isAnyAtWork({ beside }: Now): boolean {
  return beside.atWork.length > 0;
}

/** Agents that may have one session more beside those that are at work. */
function withRoom(agents: readonly string[], { parallelOf, atWork }: Beside): readonly string[] {
  return agents.filter((name) => {
    const most = parallelOf[name];
    return most === undefined || atWork.filter(({ agent }) => agent === name).length < most;
  });
}

/** Whether it has a lane of its own although sessions are in hand one after another. */
function isToLane(task: Task, { hasLanes }: Beside): boolean {
  return hasLanes && laneWanted(task);
}

/** How many of those that are at work have one of the places that there are. */
function countedIn({ atWork }: Beside): number {
  return atWork.filter(({ isDelegated }) => isDelegated !== true).length;
}

/** It has to wait for those that are at work: there is no room beside them, or it must be alone. */
function isToWait(task: Task, beside: Beside): boolean {
  const { parallel, atWork } = beside;
  if (atWork.length === 0) return false;
  if (task.exclusive === true || atWork.length >= MOST_PARALLEL) return true;
  return !isToLane(task, beside) && countedIn(beside) >= parallel;
}

/** What comes before a task may be worked on: a person's yes, or that its attempts are used. */
function heldBy(task: Task, state: ProjectState, now: Now): ProjectEvent | null {
  const { budgets, project_id } = state;
  const gate = startGate(task, now.release, now.scripts);
  if (gate !== null) return startApproval(task, gate, now);
  const unknown = now.consent.missing(task);
  if (unknown.length > 0) return commandApproval(state, task, unknown, now);
  if (attemptsLeft(task, budgets.attempts_per_task) > 0) return null;
  return {
    kind: "task-blocked",
    ...fact(now),
    task_id: task.id,
    blocker: {
      kind: "attempts-exhausted",
      reason:
        task.attempts === 1
          ? `the only attempt at ${task.id} is used`
          : `all ${task.attempts} attempts at ${task.id} are used`,
      unblock: `stint run ${project_id} --retry`,
    },
  };
}

type Ready =
  /** A null agent: it needs none now. */
  | { readonly task: Task; readonly agent: string | null }
  /** Tasks are eligible, and these agents alone may work on them; none of them is served. */
  | { readonly agent: undefined; readonly agents: readonly string[] };

/**
 * What somebody else does goes first. A task whose agents are all limited lets the next one go first; one that must
 * be alone does not.
 */
function firstReady(state: ProjectState, now: Now): Ready | "wait" | undefined {
  const limited: string[] = [];
  const eligible = eligibleTasks(state);
  const outside = eligible.find((task) => outsideOf(task) !== null);
  if (outside !== undefined && now.isInBatch !== true) return { task: outside, agent: null };
  for (const task of eligible.filter((each) => outsideOf(each) === null)) {
    if (isLogistical(task)) {
      return task.exclusive === true && isAnyAtWork(now) ? "wait" : { task, agent: null };
    }
    const agents = withRoom(now.agentsFor(task), now.beside);
    const agent = freeAgent(state.agent_limits, agents, now.at);
    const isHeld = (): boolean => heldBy(task, state, now) !== null;
    if (agent !== undefined && isToWait(task, now.beside) && !isHeld()) return "wait";
    if (agent !== undefined || isHeld()) return { task, agent: agent ?? null };
    limited.push(...agents);
  }
  return limited.length === 0 ? undefined : { agent: undefined, agents: limited };
}

/** Nobody is waited for where the budget would not let them work. */
function withoutAgent(state: ProjectState, agents: readonly string[], now: Now): Decision {
  if (isAnyAtWork(now)) return { kind: "wait" };
  const found = standstill(state.agent_limits, agents, now.at);
  const event: ProjectEvent =
    found.kind === "wait"
      ? { kind: "paused", ...fact(now), pause: found.pause }
      : { kind: "blocked", ...fact(now), blocker: found.blocker };
  return budgetSpent(state, now) ?? toPersist(event);
}

function budgetSpent(state: ProjectState, now: Now): Decision | undefined {
  const spent = spentBudget(state);
  if (spent === undefined) return undefined;
  if (isAnyAtWork(now)) return { kind: "wait" };
  return toPersist({ kind: "paused", ...fact(now), pause: { kind: "budget", reason: spent } });
}

/** A command that came into the manifest after a person approved it. */
function commandApproval(
  { tasks }: ProjectState,
  task: Task,
  commands: readonly string[],
  now: Now,
): ProjectEvent {
  const others = tasks.filter(
    (each) => !isFinished(each) && commandsOfTask(each).some((own) => commands.includes(own)),
  );
  const ids = [...new Set([task, ...others].map(({ id }) => id))];
  const subject = commandSubject(commands);
  const count = commands.length === 1 ? "a command" : `${commands.length} commands`;
  return approvalRequested(now, {
    kind: "command",
    task_id: task.id,
    subject,
    reason: `${task.id} "${task.title}" has ${count} that nobody has allowed yet: ${commands.join("; ")}`,
    on_yes: `Stint may execute exactly this in every task that has it: ${ids.join(", ")}`,
    on_no: "the task is blocked; nothing is executed",
  });
}

/** Nothing may start: the work is done, waits for somebody, or cannot go on. */
function withoutEligible(
  state: Extract<ProjectState, { status: "Running" | "Ready" }>,
  now: Now,
): Decision {
  if (isAnyAtWork(now)) return { kind: "wait" };
  if (isPersonAwaited(state)) {
    return state.status === "Ready"
      ? { kind: "stop", why: "a person is needed" }
      : toPersist({ kind: "gate-reached", ...fact(now) });
  }
  if (isResultAwaited(state)) {
    return toPersist({ kind: "wait-began", ...fact(now) });
  }
  if (state.tasks.every(isFinished)) {
    if (now.unresolved.length > 0) return toPersist(withoutResolution(state, now));
    // Where a person had checked every box nothing was done here, and nothing is promised of it.
    if (now.isProofDue && state.status === "Running") return proveAlone(now);
    return toPersist({ kind: "completed", ...fact(now), resolution_log_updated: true });
  }
  return toPersist({ kind: "blocked", ...fact(now) });
}

/** What is at work beside it is committed first, and proven with the rest. */
function proveAlone(now: Now): Decision {
  return isAnyAtWork(now) ? { kind: "wait" } : { kind: "act", act: { kind: "prove" } };
}

function withoutResolution({ project_id }: ProjectState, now: Now): ProjectEvent {
  return {
    kind: "blocked",
    ...fact(now),
    blocker: {
      kind: "missing-access",
      reason: `the Resolution Log of the review log lacks entries, and it could not be written: ${now.unresolved.join(", ")}`,
      unblock: `Write and commit a line for each there, such as "- DOC-002: what was done"; then: stint resume ${project_id}`,
    },
  };
}

/** Who has what in hand, and when it is looked at. */
function whatIsAwaited({ dispatches }: ProjectState): string {
  const out = dispatches
    .filter(({ status }) => status === "sent")
    .map(
      ({ id, owner, task_id, checkpoint_at }) =>
        `${owner} has ${task_id} (${id}, next look at ${checkpoint_at})`,
    );
  return `a result is awaited: ${out.join("; ")}`;
}

/** The requests themselves: whoever reads the last line knows what to answer. */
function whatIsAsked({ approval_items, questions }: ProjectState): string {
  const asked = [
    ...approval_items.flatMap((item) =>
      item.status === "open" ? [`${item.id} ${item.reason}`] : [],
    ),
    ...questions.flatMap((item) => (item.status === "open" ? [`${item.id} ${item.text}`] : [])),
  ];
  return `a person is needed: ${asked.join("; ")}`;
}

function fact({ at, by }: Now): { at: Instant; by: string } {
  return { at, by };
}

function toPersist(event: ProjectEvent): Decision {
  return { kind: "persist", event };
}
