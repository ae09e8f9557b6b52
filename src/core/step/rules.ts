// The machine as one table: from which statuses an event is legal, where it may lead, its guard in
// words, whether only a person may send it, and the rule that decides it. `step` asks this table before
// and after each rule, so a move that is not listed here cannot happen.
import type { EventKind, EventOf } from "../events.ts";
import type { TaskId } from "../ids.ts";
import type { ProjectState, ProjectStatus } from "../schema/project.ts";
import type { Task } from "../schema/task.ts";
import {
  approvalDenied,
  approvalExpired,
  approvalGranted,
  approvalOutdated,
  approvalRequested,
  gatesApproved,
} from "./approvals.ts";
import { limitsLifted } from "../agent-limits.ts";
import { questionAnswered, questionAsked, questionWithdrawn } from "./questions.ts";
import type { Ruling } from "./ruling.ts";
import { attemptInterrupted, attemptStarted, sessionEnded } from "./attempts.ts";
import { projectBlocked, taskBlocked, taskReopened, taskRetried, unblocked } from "./blockers.ts";
import { budgetsChanged, spendingRecorded } from "./budgets.ts";
import { taskSplit } from "./chunks.ts";
import {
  checksRecorded,
  commitRecorded,
  deliveryRecorded,
  outputVerified,
  proofRecorded,
} from "./checks.ts";
import {
  checkpointMoved,
  dispatchCancelled,
  dispatchLost,
  dispatchSent,
  dispatchTimedOut,
  resultConsumed,
  waitBegan,
} from "./dispatches.ts";
import {
  abandoned,
  commandsConsented,
  completed,
  gateReached,
  paused,
  planApproved,
  projectReopened,
  resumed,
  taskSkipped,
  watchdogInstalled,
  watchdogRemoved,
  workStarted,
} from "./lifecycle.ts";
import { manifestAdopted, manifestRead } from "./manifest.ts";

/** `same`: the event is legal and leaves the status as it is. */
type Move = readonly [from: readonly ProjectStatus[], to: ProjectStatus | "same", when: string];

/** An event that names a task is decided with it; where there is no such task it is refused before. */
export type TaskOf<Kind extends EventKind> =
  EventOf<Kind> extends { readonly task_id: TaskId } ? Task : undefined;

interface Row<Kind extends EventKind> {
  readonly rule: (state: ProjectState, event: EventOf<Kind>, task: TaskOf<Kind>) => Ruling;
  /** A decision that belongs to a person: refused when the run itself is its author. */
  readonly person?: true;
  /** Absent: from every status that is not final. */
  readonly from?: readonly ProjectStatus[];
  /** Absent: the status stays as it is. */
  readonly to?: ProjectStatus;
  /** The guard, in words. */
  readonly when: string;
  readonly also?: readonly Move[];
}

const OPEN = [
  "Draft",
  "Ready",
  "Running",
  "AwaitingResult",
  "Validating",
  "AwaitingApproval",
  "Blocked",
  "Paused",
] as const;

const WAITING = ["AwaitingResult", "AwaitingApproval", "Blocked"] as const;
const WAITING_OR_ACTIVE = [...WAITING, "Validating", "Running"] as const;

const WAIT_OVER: Move = [
  WAITING,
  "Running",
  "a task became eligible, or what was waited for is no longer open",
];
const CURRENT_LEFT: Move = [
  ["Validating"],
  "Running",
  "the task being validated no longer needs validation",
];
const VALIDATION_WAITED: Move = [
  ["Running", ...WAITING],
  "Validating",
  "the validation of an attempt waited for it; nothing else is in progress",
];

/** In the order of a project's life. */
export const RULES: { readonly [Kind in EventKind]: Row<Kind> } = {
  "plan-approved": {
    rule: planApproved,
    person: true,
    from: ["Draft"],
    to: "Ready",
    when: "goal and tasks known, no lint errors, approved by a person",
  },
  "work-started": {
    rule: workStarted,
    from: ["Ready"],
    to: "Running",
    when: "lease held; an eligible task",
  },
  "attempt-started": {
    rule: attemptStarted,
    from: ["Running"],
    when: "the task is eligible and approved if it asks for that, no other is in progress, attempts and budgets remain",
  },
  "output-verified": {
    rule: outputVerified,
    from: ["Running"],
    when: "the task is eligible, its checks pass with evidence, no session is running",
  },
  "session-ended": {
    rule: sessionEnded,
    from: ["Running"],
    to: "Validating",
    when: "it is the session of the task in progress",
  },
  "checks-recorded": {
    rule: checksRecorded,
    from: ["Validating"],
    to: "Running",
    when: "results of the current attempt: pass with evidence → done; fail → pending while attempts remain, then blocked",
    also: [
      [
        ["Validating"],
        "Blocked",
        "attempts exhausted, a breaker or the question limit blocks the task, and nothing else is eligible",
      ],
    ],
  },
  "attempt-interrupted": {
    rule: attemptInterrupted,
    from: ["Running"],
    when: "the attempt in progress left nothing to validate; it stays counted",
    also: [
      [
        ["Running"],
        "Blocked",
        "attempts exhausted or the question limit blocks the task, and nothing else is eligible",
      ],
    ],
  },
  "task-split": {
    rule: taskSplit,
    from: ["Running"],
    when: "the task is eligible, has no chunk yet and is not a chunk of a chunk; no other is in progress",
  },
  "limits-lifted": {
    rule: limitsLifted,
    person: true,
    from: ["Ready", ...WAITING_OR_ACTIVE, "Paused"],
    when: "by a person; an agent is limited",
  },
  "dispatch-sent": {
    rule: dispatchSent,
    from: ["Running", "Paused"],
    when: "owner, return condition, a coming checkpoint and a deadline; the task is eligible or in progress; a session has its number and its own lane",
  },
  "wait-began": {
    rule: waitBegan,
    from: ["Running"],
    to: "AwaitingResult",
    when: "a dispatch is out, nothing is in progress, nothing is eligible",
  },
  "result-consumed": {
    rule: resultConsumed,
    from: ["Running", ...WAITING],
    to: "Validating",
    when: "the dispatch is out; nothing else is in progress",
    also: [
      [WAITING, "Running", "it is a session, which is collected next; nothing else is in progress"],
      [
        ["Running", "Validating", "Blocked"],
        "same",
        "the dispatch is out; a session is collected next, another output is verified when its turn comes",
      ],
    ],
  },
  "checkpoint-moved": {
    rule: checkpointMoved,
    from: [...WAITING_OR_ACTIVE, "Paused"],
    when: "the dispatch is out; the next look is due in the future and not after its deadline",
  },
  "dispatch-cancelled": {
    rule: dispatchCancelled,
    person: true,
    from: [...WAITING_OR_ACTIVE, "Paused"],
    when: "the dispatch is out; its task is blocked until a person retries it",
    also: [[["AwaitingResult"], "Running", "nothing else is waited for, or a task is eligible"]],
  },
  "dispatch-timed-out": {
    rule: dispatchTimedOut,
    from: WAITING_OR_ACTIVE,
    when: "the dispatch is out and its deadline has passed",
    also: [WAIT_OVER],
  },
  "dispatch-lost": {
    rule: dispatchLost,
    from: WAITING_OR_ACTIVE,
    when: "the dispatch is out",
    also: [WAIT_OVER],
  },
  "approval-requested": {
    rule: approvalRequested,
    when: "the same approval is not already open; its task is not finished",
    also: [
      [
        ["Validating"],
        "Running",
        "the validation of the current task waits for it; another task is eligible",
      ],
      [
        ["Validating"],
        "AwaitingApproval",
        "the validation of the current task waits for it; nothing else is eligible",
      ],
    ],
  },
  "gate-reached": {
    rule: gateReached,
    from: ["Running", "AwaitingResult"],
    to: "AwaitingApproval",
    when: "an approval or question is open, nothing is in progress, nothing is eligible",
  },
  "approval-granted": {
    rule: approvalGranted,
    person: true,
    when: "open, not expired, answered for the subject that was shown",
    also: [VALIDATION_WAITED, WAIT_OVER],
  },
  "gates-approved": {
    rule: gatesApproved,
    person: true,
    when: "by a person, ahead; each is the start of a task that is not finished",
    also: [WAIT_OVER],
  },
  "approval-denied": {
    rule: approvalDenied,
    person: true,
    when: "open, answered for the subject that was shown",
    also: [
      [
        ["AwaitingApproval"],
        "Blocked",
        "work cannot continue without it and no other item is open",
      ],
      WAIT_OVER,
      CURRENT_LEFT,
    ],
  },
  "approval-expired": {
    rule: approvalExpired,
    when: "open and past its expiry",
    also: [VALIDATION_WAITED, WAIT_OVER],
  },
  "approval-outdated": {
    rule: approvalOutdated,
    when: "open, and its subject has changed",
    also: [VALIDATION_WAITED, WAIT_OVER],
  },
  "commands-consented": {
    rule: commandsConsented,
    person: true,
    from: ["Ready", "Paused", ...WAITING_OR_ACTIVE],
    when: "the plan was approved",
  },
  "question-asked": {
    rule: questionAsked,
    when: "not already open; at most five from one session",
    also: [
      [
        ["Running"],
        "Blocked",
        "the sixth question of a session blocks its task, and nothing else is eligible",
      ],
    ],
  },
  "question-answered": {
    rule: questionAnswered,
    person: true,
    when: "open, answered by a person",
    also: [WAIT_OVER],
  },
  "question-withdrawn": {
    rule: questionWithdrawn,
    when: "open, and no longer needed",
    also: [WAIT_OVER],
  },
  "task-blocked": {
    rule: taskBlocked,
    from: ["Running"],
    when: "the task is not finished; independent tasks continue",
    also: [[["Validating"], "Running", "it is the task being validated"]],
  },
  blocked: {
    rule: projectBlocked,
    from: ["Running", "Validating", "AwaitingResult"],
    to: "Blocked",
    when: "a blocker of the whole project, or blocked tasks with nothing in progress and nothing eligible",
  },
  unblocked: { rule: unblocked, when: "a blocker of the whole project exists", also: [WAIT_OVER] },
  "task-retried": {
    rule: taskRetried,
    person: true,
    when: "the task is blocked or skipped; one more attempt is granted if none is left",
    also: [WAIT_OVER],
  },
  "task-skipped": {
    rule: taskSkipped,
    person: true,
    when: "by a person; the task is not finished",
    also: [WAIT_OVER, CURRENT_LEFT],
  },
  "manifest-adopted": {
    rule: manifestAdopted,
    when: "a goal; unique task ids; dependencies that exist; no progress is dropped",
    also: [WAIT_OVER, CURRENT_LEFT],
  },
  "manifest-read": { rule: manifestRead, when: "the person's file contains nothing new" },
  "commit-recorded": { rule: commitRecorded, from: [...OPEN, "Done"], when: "the task is done" },
  "delivery-recorded": {
    rule: deliveryRecorded,
    from: [...OPEN, "Done"],
    when: "the verified work was brought to a branch, or waits on its own",
  },
  "proof-recorded": {
    rule: proofRecorded,
    from: [...OPEN, "Done"],
    when: "the work was tested in a fresh clone, or the reason why not",
    also: [[["Blocked"], "Running", "it is now proven, and nothing else blocks it"]],
  },
  "task-reopened": {
    rule: taskReopened,
    when: "the task is done, and only the named commit is recorded for it; it is blocked until a person fixes it",
  },
  "spending-recorded": { rule: spendingRecorded, when: "amounts are not negative" },
  "budgets-changed": { rule: budgetsChanged, when: "none" },
  "watchdog-installed": { rule: watchdogInstalled, when: "none" },
  "watchdog-removed": { rule: watchdogRemoved, when: "none" },
  paused: {
    rule: paused,
    from: ["Ready", ...WAITING_OR_ACTIVE],
    to: "Paused",
    when: "stop or pause, signal, every agent limited by its provider, budget, interruption",
    also: [[["Paused"], "same", "a new reason replaces the old one"]],
  },
  resumed: {
    rule: resumed,
    from: ["Paused"],
    to: "Running",
    when: "lease held; open items stay open, so the same gate is met again",
  },
  completed: {
    rule: completed,
    from: ["Ready", "Running", "Validating"],
    to: "Done",
    when: "every required task done with evidence; no open approval (a proposal is one), question, dispatch or blocker; resolution log updated",
  },
  abandoned: {
    rule: abandoned,
    person: true,
    to: "Abandoned",
    when: "explicit command of a person",
  },
  reopened: {
    rule: projectReopened,
    person: true,
    from: ["Done"],
    to: "Ready",
    when: "explicit command of a person; the named tasks are done or skipped",
  },
};

/** In the order of the table. */
export const EVENT_KINDS = Object.keys(RULES) as readonly EventKind[];

export function movesOf(kind: EventKind): readonly Move[] {
  const { from = OPEN, to = "same", when, also = [] } = RULES[kind];
  return [[from, to, when], ...also];
}

/** Where an event may lead from a status; nowhere: it is not legal there. */
export function targetsOf(kind: EventKind, from: ProjectStatus): readonly ProjectStatus[] {
  return movesOf(kind)
    .filter(([froms]) => froms.includes(from))
    .map(([, to]) => (to === "same" ? from : to));
}

export function legalEvents(from: ProjectStatus): readonly EventKind[] {
  return EVENT_KINDS.filter((kind) => targetsOf(kind, from).length > 0);
}
