// Approvals: asked, granted, denied, expired. An answer is bound to the digest of what was shown.
import type { EventOf } from "../events.ts";
import { isFinished, projectGate } from "../eligibility.ts";
import { type ApprovalId, numberedApprovalId } from "../ids.ts";
import { type Instant, msOf } from "../instant.ts";
import { isPersonAwaited } from "../project-state.ts";
import type { Approval } from "../schema/items.ts";
import type { ProjectState } from "../schema/project.ts";
import type { Task } from "../schema/task.ts";
import { awaitingApproval, pending, released, validating } from "./task-moves.ts";
import { blockTask } from "./blockers.ts";
import {
  closeItem,
  hasEligible,
  type Body,
  type Change,
  type Refusal,
  type Ruling,
  change,
  findTask,
  named,
  noSuchTask,
  refuse,
  replaceTask,
} from "./ruling.ts";

type OpenApproval = Extract<Approval, { status: "open" }>;

/** A no to these changes what happens next, but stops no work. */
const NO_STOPS_NOTHING: ReadonlySet<Approval["kind"]> = new Set([
  "plan",
  "proposal",
  "deliver",
  "push",
  "settings",
]);

export function approvalRequested(
  state: ProjectState,
  event: EventOf<"approval-requested">,
): Ruling {
  const request = event.approval;
  const twin = state.approval_items.find(
    (item) =>
      item.status === "open" &&
      item.kind === request.kind &&
      item.task_id === request.task_id &&
      item.subject_sha256 === request.subject_sha256,
  );
  if (twin !== undefined) {
    return refuse(`The approval was not opened again because it is already open as ${twin.id}.`);
  }
  const number = state.counters.approvals + 1;
  const id = numberedApprovalId(number);
  const item: Approval = { ...request, id, status: "open", asked_at: event.at };
  const changes: Partial<Body> = {
    approval_items: [...state.approval_items, item],
    counters: { ...state.counters, approvals: number },
  };
  const summary = `asked for approval ${id}: ${request.reason}`;
  if (request.task_id === undefined) {
    return change(summary, changes, { to: state.status });
  }
  const task = findTask(state, request.task_id);
  if (task === undefined) return noSuchTask(request.task_id);
  if (isFinished(task)) {
    return refuse(`No approval can be asked for ${named(task)} because it is ${task.status}.`);
  }
  const { task: waiting, ...rest } = waitingFor(state, task, id);
  const tasks = replaceTask(state.tasks, waiting);
  const to = rest.current === undefined ? state.status : afterHold({ ...state, ...changes, tasks });
  return change(summary, { ...changes, tasks }, { ...rest, to });
}

/** What the request does to its task: a task that could start, or is being validated, now waits. */
function waitingFor(
  state: ProjectState,
  task: Task,
  id: ApprovalId,
): { task: Task; current?: null } {
  if (task.status === "pending") return { task: awaitingApproval(task, id) };
  const isValidated = state.status === "Validating" && state.current_task_id === task.id;
  if (task.status === "validating" && isValidated) {
    return { task: awaitingApproval(task, id, task.attempt), current: null };
  }
  return { task };
}

function afterHold(body: Body): "Running" | "AwaitingApproval" {
  return hasEligible(body) ? "Running" : "AwaitingApproval";
}

export function approvalGranted(state: ProjectState, event: EventOf<"approval-granted">): Ruling {
  const item = openApproval(state, event);
  if (!("status" in item)) return item;
  if (item.expires_at !== undefined && msOf(event.at) > msOf(item.expires_at)) {
    return refuse(
      `Approval ${item.id} cannot be granted because it expired at ${item.expires_at}.`,
    );
  }
  const { by, channel, at } = event;
  const closed: Approval = { ...item, status: "granted", by, channel, answered_at: at };
  const { changes, ...rest } = closeFor(state, closed, (task) => {
    const granted = withGrant(task, item, by, at);
    const isHeld = task.status === "awaiting_approval" && task.approval_id === item.id;
    if (!isHeld) return { task: granted };
    const attempt = task.attempt;
    if (attempt === undefined) return { task: pending(granted) };
    // An output that a person approved is validated at once where nothing else is in hand;
    // otherwise it is found and verified when its turn comes.
    return canValidate(state)
      ? { task: validating(granted, attempt), validate: true }
      : { task: pending(granted) };
  });
  return change(`${by} granted approval ${item.id}`, changes, rest);
}

export function approvalDenied(state: ProjectState, event: EventOf<"approval-denied">): Ruling {
  const item = openApproval(state, event);
  if (!("status" in item)) return item;
  const { by, channel, at, denial } = event;
  const closed: Approval = { ...item, status: "denied", by, channel, answered_at: at, denial };
  const approval_items = closeItem(state.approval_items, closed, state.tasks);
  const summary = `${by} denied approval ${item.id}: ${denial}`;
  if (NO_STOPS_NOTHING.has(item.kind)) {
    const { changes, ...rest } = closeFor(state, closed, freed(item.id));
    return change(summary, changes, rest);
  }
  const task = item.task_id === undefined ? undefined : findTask(state, item.task_id);
  if (task !== undefined && (isFinished(task) || task.status === "blocked")) {
    return change(summary, { approval_items });
  }
  const found = {
    kind: "denied",
    reason: `${by} denied ${item.id}: ${denial} (${item.reason})`,
    unblock: task === undefined ? "stint resume" : "stint resume --retry",
  } as const;
  const { changes, ...rest } =
    task === undefined
      ? { changes: { blockers: [...state.blockers, { ...found, at }] } }
      : blockTask(state, task, found, at);
  const next = { ...changes, approval_items };
  return state.status === "AwaitingApproval" && !isPersonAwaited({ ...state, ...next })
    ? change(summary, next, { ...rest, to: "Blocked" })
    : change(summary, next, rest);
}

export function approvalExpired(state: ProjectState, event: EventOf<"approval-expired">): Ruling {
  const item = state.approval_items.find(({ id }) => id === event.approval_id);
  if (item?.status !== "open") return notOpen(event.approval_id);
  if (item.expires_at === undefined || msOf(event.at) < msOf(item.expires_at)) {
    return refuse(`Approval ${item.id} has not expired at ${event.at}.`);
  }
  const closed: Approval = { ...item, status: "expired", closed_at: event.at };
  const { changes, ...rest } = closeFor(state, closed, unanswered(state, item.id));
  return change(`approval ${item.id} expired unanswered`, changes, rest);
}

export function approvalOutdated(state: ProjectState, event: EventOf<"approval-outdated">): Ruling {
  const item = state.approval_items.find(({ id }) => id === event.approval_id);
  if (item?.status !== "open") return notOpen(event.approval_id);
  const closed: Approval = { ...item, status: "withdrawn", closed_at: event.at };
  const { changes, ...rest } = closeFor(state, closed, unanswered(state, item.id));
  return change(`approval ${item.id} is void: ${event.reason}`, changes, rest);
}

/** Validation can go on only where no other task is in hand and the status may become Validating. */
export function canValidate(state: ProjectState): boolean {
  return (
    state.status === "AwaitingApproval" ||
    state.status === "AwaitingResult" ||
    (state.status === "Running" && state.current_task_id === null) ||
    (state.status === "Blocked" && projectGate(state) === undefined)
  );
}

type TaskAnswer = (task: Task) => { task: Task; validate?: true };

function freed(id: ApprovalId): TaskAnswer {
  return (task) =>
    task.status === "awaiting_approval" && task.approval_id === id
      ? { task: pending(task) }
      : { task };
}

/** Nobody said yes or no: an output that waited is validated again before anybody is asked again. */
function unanswered(state: ProjectState, id: ApprovalId): TaskAnswer {
  return (task) => {
    if (task.status !== "awaiting_approval" || task.approval_id !== id) return { task };
    return task.attempt !== undefined && canValidate(state)
      ? { task: validating(task, task.attempt), validate: true }
      : { task: pending(task) };
  };
}

/** Closes an approval and lets its task go on, unless another approval still holds it. */
function closeFor(
  state: ProjectState,
  closed: Approval,
  answer: TaskAnswer,
): Pick<Change, "changes" | "current" | "to"> {
  const approval_items = closeItem(state.approval_items, closed, state.tasks);
  const task = closed.task_id === undefined ? undefined : findTask(state, closed.task_id);
  if (task === undefined) return { changes: { approval_items } };
  const answered = answer(task);
  const next =
    answered.task.status === "pending" ? released(answered.task, approval_items) : answered.task;
  const changes = { approval_items, tasks: replaceTask(state.tasks, next) };
  return answered.validate === true ? { changes, current: task.id, to: "Validating" } : { changes };
}

function openApproval(
  state: ProjectState,
  event: EventOf<"approval-granted"> | EventOf<"approval-denied">,
): OpenApproval | Refusal {
  const item = state.approval_items.find(({ id }) => id === event.approval_id);
  if (item?.status !== "open") return notOpen(event.approval_id);
  return item.subject_sha256 === event.subject_sha256
    ? item
    : refuse(
        `Approval ${item.id} cannot be answered because its subject is not the one that was shown.`,
      );
}

function notOpen(id: ApprovalId): Refusal {
  return refuse(`There is no open approval ${id}.`);
}

function withGrant(task: Task, item: OpenApproval, by: string, at: Instant): Task {
  const { kind, subject_sha256 } = item;
  const others = task.grants?.filter(
    (given) => given.kind !== kind || given.subject_sha256 !== subject_sha256,
  );
  return {
    ...task,
    grants: [...(others ?? []), { kind, approval_id: item.id, subject_sha256, by, at }],
  };
}
