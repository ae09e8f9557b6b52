// The whole machine as data: every legal move, with its guard in words. `step` consults this table
// before and after each rule, so a move that is not listed here cannot happen.
import type { EventKind, EventOf } from "../events.ts";
import type { ProjectStatus } from "../schema/project.ts";

interface TransitionRow {
  readonly event: EventKind;
  readonly from: readonly ProjectStatus[];
  /** `same`: the event is legal and leaves the status as it is. */
  readonly to: ProjectStatus | "same";
  readonly guard: string;
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
const WAITING_OR_VALIDATING = [...WAITING, "Validating"] as const;
const WAITING_OR_ACTIVE = [...WAITING_OR_VALIDATING, "Running"] as const;

const NOT_WAITED_FOR = "a task became eligible, or what was waited for is no longer open";
const CURRENT_TASK_LEFT = "the task being validated is no longer to be validated";

/** In the order of a project's life. */
export const TRANSITION_ROWS = [
  {
    event: "plan-approved",
    from: ["Draft"],
    to: "Ready",
    guard: "goal and tasks known, no lint errors, approved by a person",
  },
  { event: "work-started", from: ["Ready"], to: "Running", guard: "lease held; an eligible task" },
  {
    event: "attempt-started",
    from: ["Running"],
    to: "same",
    guard:
      "the task is eligible and approved where it asks for it, no other is in progress, attempts and budgets remain",
  },
  {
    event: "output-verified",
    from: ["Running"],
    to: "same",
    guard: "the task is eligible, its checks pass with evidence, no session is running",
  },
  {
    event: "session-ended",
    from: ["Running"],
    to: "Validating",
    guard: "it is the session of the task in progress",
  },
  {
    event: "checks-recorded",
    from: ["Validating"],
    to: "Running",
    guard:
      "results of the current attempt: pass with evidence → done; fail → pending while attempts remain, then blocked",
  },
  {
    event: "checks-recorded",
    from: ["Validating"],
    to: "Blocked",
    guard:
      "attempts exhausted, a breaker or the question limit blocks the task, and nothing else is eligible",
  },
  {
    event: "attempt-interrupted",
    from: ["Running"],
    to: "same",
    guard: "the attempt in progress left nothing to validate; it stays counted",
  },
  {
    event: "attempt-interrupted",
    from: ["Running"],
    to: "Blocked",
    guard: "attempts exhausted or the question limit blocks the task, and nothing else is eligible",
  },
  {
    event: "limits-lifted",
    from: OPEN,
    to: "same",
    guard: "by a person; an agent is limited",
  },
  {
    event: "dispatch-sent",
    from: ["Running"],
    to: "same",
    guard: "owner, return condition and a coming checkpoint; the task is eligible or in progress",
  },
  {
    event: "wait-began",
    from: ["Running"],
    to: "AwaitingResult",
    guard: "a dispatch is out, nothing is in progress, nothing is eligible",
  },
  {
    event: "result-consumed",
    from: ["Running", ...WAITING],
    to: "Validating",
    guard: "the dispatch is out; nothing else is in progress",
  },
  {
    event: "result-consumed",
    from: ["Running", "Validating", "Blocked"],
    to: "same",
    guard: "the dispatch is out; its output is verified when its turn comes",
  },
  {
    event: "dispatch-timed-out",
    from: WAITING_OR_ACTIVE,
    to: "same",
    guard: "the dispatch is out and its checkpoint has passed",
  },
  { event: "dispatch-timed-out", from: WAITING, to: "Running", guard: NOT_WAITED_FOR },
  { event: "dispatch-lost", from: WAITING_OR_ACTIVE, to: "same", guard: "the dispatch is out" },
  { event: "dispatch-lost", from: WAITING, to: "Running", guard: NOT_WAITED_FOR },
  {
    event: "approval-requested",
    from: OPEN,
    to: "same",
    guard: "the same approval is not already open; its task is not finished",
  },
  {
    event: "approval-requested",
    from: ["Validating"],
    to: "Running",
    guard: "the validation of the current task waits for it; another task is eligible",
  },
  {
    event: "approval-requested",
    from: ["Validating"],
    to: "AwaitingApproval",
    guard: "the validation of the current task waits for it; nothing else is eligible",
  },
  {
    event: "gate-reached",
    from: ["Running", "AwaitingResult"],
    to: "AwaitingApproval",
    guard: "an approval or question is open, nothing is in progress, nothing is eligible",
  },
  {
    event: "approval-granted",
    from: OPEN,
    to: "same",
    guard: "open, not expired, answered for the subject that was shown",
  },
  {
    event: "approval-granted",
    from: ["Running", ...WAITING],
    to: "Validating",
    guard: "the validation of an attempt waited for it; nothing else is in progress",
  },
  { event: "approval-granted", from: WAITING, to: "Running", guard: NOT_WAITED_FOR },
  {
    event: "approval-denied",
    from: OPEN,
    to: "same",
    guard: "open, answered for the subject that was shown",
  },
  {
    event: "approval-denied",
    from: ["AwaitingApproval"],
    to: "Blocked",
    guard: "work cannot go on without it and no other item is open",
  },
  { event: "approval-denied", from: WAITING, to: "Running", guard: NOT_WAITED_FOR },
  { event: "approval-denied", from: ["Validating"], to: "Running", guard: CURRENT_TASK_LEFT },
  { event: "approval-expired", from: OPEN, to: "same", guard: "open and past its expiry" },
  {
    event: "approval-expired",
    from: ["Running", ...WAITING],
    to: "Validating",
    guard: "the validation of an attempt waited for it; nothing else is in progress",
  },
  { event: "approval-expired", from: WAITING, to: "Running", guard: NOT_WAITED_FOR },
  {
    event: "approval-outdated",
    from: OPEN,
    to: "same",
    guard: "open, and what it was about is no longer what is there",
  },
  {
    event: "approval-outdated",
    from: ["Running", ...WAITING],
    to: "Validating",
    guard: "the validation of an attempt waited for it; nothing else is in progress",
  },
  { event: "approval-outdated", from: WAITING, to: "Running", guard: NOT_WAITED_FOR },
  {
    event: "commands-consented",
    from: ["Ready", "Paused", ...WAITING_OR_ACTIVE],
    to: "same",
    guard: "the plan was approved",
  },
  {
    event: "replan-requested",
    from: ["AwaitingApproval"],
    to: "Draft",
    guard: "a person wants another plan; the old approval of the plan is void",
  },
  {
    event: "question-asked",
    from: OPEN,
    to: "same",
    guard: "not already open; at most five from one session",
  },
  {
    event: "question-asked",
    from: ["Running"],
    to: "Blocked",
    guard: "the sixth question of a session blocks its task, and nothing else is eligible",
  },
  { event: "question-answered", from: OPEN, to: "same", guard: "open, answered by a person" },
  { event: "question-answered", from: WAITING, to: "Running", guard: NOT_WAITED_FOR },
  {
    event: "question-withdrawn",
    from: OPEN,
    to: "same",
    guard: "open, and no longer to be answered",
  },
  { event: "question-withdrawn", from: WAITING, to: "Running", guard: NOT_WAITED_FOR },
  {
    event: "task-blocked",
    from: ["Running"],
    to: "same",
    guard: "the task is not finished; independent tasks go on",
  },
  {
    event: "task-blocked",
    from: ["Validating"],
    to: "Running",
    guard: "it is the task being validated",
  },
  {
    event: "blocked",
    from: ["Running", "Validating", "AwaitingResult"],
    to: "Blocked",
    guard:
      "a blocker of the whole project, or blocked tasks with nothing in progress and nothing eligible",
  },
  { event: "unblocked", from: OPEN, to: "same", guard: "a blocker of the whole project exists" },
  { event: "unblocked", from: WAITING, to: "Running", guard: NOT_WAITED_FOR },
  {
    event: "task-retried",
    from: OPEN,
    to: "same",
    guard: "the task is blocked or skipped; one more attempt is granted if none is left",
  },
  { event: "task-retried", from: WAITING, to: "Running", guard: NOT_WAITED_FOR },
  { event: "task-skipped", from: OPEN, to: "same", guard: "by a person; the task is not finished" },
  { event: "task-skipped", from: WAITING, to: "Running", guard: NOT_WAITED_FOR },
  { event: "task-skipped", from: ["Validating"], to: "Running", guard: CURRENT_TASK_LEFT },
  {
    event: "manifest-adopted",
    from: OPEN,
    to: "same",
    guard: "a goal; unique task ids; dependencies that exist; no progress is dropped",
  },
  { event: "manifest-adopted", from: WAITING, to: "Running", guard: NOT_WAITED_FOR },
  { event: "manifest-adopted", from: ["Validating"], to: "Running", guard: CURRENT_TASK_LEFT },
  {
    event: "manifest-read",
    from: OPEN,
    to: "same",
    guard: "the person's file says nothing that is not known",
  },
  { event: "commit-recorded", from: [...OPEN, "Done"], to: "same", guard: "the task is done" },
  {
    event: "delivery-recorded",
    from: [...OPEN, "Done"],
    to: "same",
    guard: "the verified work was brought to a branch, or waits on its own",
  },
  {
    event: "task-reopened",
    from: OPEN,
    to: "same",
    guard:
      "the task is done, and no commit but the one named is recorded for it; it is blocked until a person mends it",
  },
  { event: "spending-recorded", from: OPEN, to: "same", guard: "amounts are not negative" },
  { event: "budgets-changed", from: OPEN, to: "same", guard: "none" },
  { event: "watchdog-installed", from: OPEN, to: "same", guard: "none" },
  {
    event: "paused",
    from: ["Ready", ...WAITING_OR_ACTIVE],
    to: "Paused",
    guard: "stop or pause, signal, every agent limited by its provider, budget, interruption",
  },
  {
    event: "paused",
    from: ["Paused"],
    to: "same",
    guard: "a new reason replaces the old one",
  },
  {
    event: "resumed",
    from: ["Paused"],
    to: "Running",
    guard: "lease held; open items stay open, so the same gate is met again",
  },
  {
    event: "completed",
    from: ["Ready", "Running", "Validating"],
    to: "Done",
    guard:
      "every required task done with evidence; no open approval (a proposal is one), question, dispatch or blocker; resolution log updated",
  },
  { event: "abandoned", from: OPEN, to: "Abandoned", guard: "explicit command of a person" },
  {
    event: "reopened",
    from: ["Done"],
    to: "Ready",
    guard: "explicit command of a person; the named tasks are done or skipped",
  },
] as const satisfies readonly TransitionRow[];

export interface Transition {
  readonly from: ProjectStatus;
  readonly event: EventKind;
  readonly to: ProjectStatus;
  readonly guard: string;
}

/** One entry per (from, event, to). */
export const TRANSITIONS: readonly Transition[] = TRANSITION_ROWS.flatMap(
  ({ event, from, to, guard }) =>
    from.map((status) => ({ from: status, event, to: to === "same" ? status : to, guard })),
);

type LegalKind<S extends ProjectStatus, Row = (typeof TRANSITION_ROWS)[number]> = Row extends {
  readonly event: infer Kind;
  readonly from: readonly (infer From)[];
}
  ? S extends From
    ? Kind
    : never
  : never;

/** The events the table lists for a status: what its function must handle, no more and no less. */
export type LegalEvent<S extends ProjectStatus> = EventOf<LegalKind<S>>;

const legalMoves = new Set(TRANSITIONS.map(({ from, event, to }) => `${from} ${event} ${to}`));
const legalKinds = new Map<ProjectStatus, Set<EventKind>>();
for (const { from, event } of TRANSITIONS) {
  const kinds = legalKinds.get(from) ?? new Set<EventKind>();
  legalKinds.set(from, kinds.add(event));
}

export function isListed(from: ProjectStatus, event: EventKind, to: ProjectStatus): boolean {
  return legalMoves.has(`${from} ${event} ${to}`);
}

/** The kinds of event that are legal in a status, in the order of the table. */
export function legalEvents(from: ProjectStatus): ReadonlySet<EventKind> {
  return legalKinds.get(from) ?? new Set();
}
