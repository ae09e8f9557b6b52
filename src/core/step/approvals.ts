// Approvals: asked, granted, denied, expired. An answer is bound to the digest of what was shown.
import type { EventOf } from "../events.ts";
import { isFinished, projectGate } from "../eligibility.ts";
import { type ApprovalId, numberedApprovalId } from "../ids.ts";
import { msOf } from "../instant.ts";
import { isPersonAwaited } from "../project-state.ts";
import type { Approval } from "../schema/items.ts";
import type { ProjectState } from "../schema/project.ts";
import type { Task } from "../schema/task.ts";
import { moved, released } from "./task-moves.ts";
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
  const waiting = waitingFor(state, task, id);
  const isHandedOver = waiting !== task && state.current_task_id === task.id;
  const next = { ...changes, tasks: replaceTask(state.tasks, waiting) };
  if (!isHandedOver) return change(summary, next, { to: state.status });
  const to = hasEligible({ ...state, ...next }) ? "Running" : "AwaitingApproval";
  return change(summary, next, { current: null, to });
}

/** What the request does to its task: one that could start, or is being validated, now waits. */
function waitingFor(state: ProjectState, task: Task, approval_id: ApprovalId): Task {
  if (task.status === "pending") return moved(task, { status: "awaiting_approval", approval_id });
  const isValidated = state.status === "Validating" && state.current_task_id === task.id;
  if (task.status !== "validating" || !isValidated) return task;
  return moved(task, { status: "awaiting_approval", approval_id, attempt: task.attempt });
}

export function approvalGranted(state: ProjectState, event: EventOf<"approval-granted">): Ruling {
  const item = openApproval(state, event.approval_id);
  if (item === undefined) return notOpen(event.approval_id);
  if (item.subject_sha256 !== event.subject_sha256) return otherSubject(item);
  if (item.expires_at !== undefined && msOf(event.at) > msOf(item.expires_at)) {
    return refuse(
      `Approval ${item.id} cannot be granted because it expired at ${item.expires_at}.`,
    );
  }
  const { by, channel, at } = event;
  const granted = { ...item, status: "granted", by, channel, answered_at: at } as const;
  const { changes, ...rest } = close(state, granted);
  const twins = item.kind === "command" ? twinsOf(state, item) : [];
  // The same commands for another task: one yes is one yes.
  const all = twins.reduce<Partial<Body>>((before, twin) => {
    const yes = { ...twin, status: "granted", by, channel, answered_at: at } as const;
    return { ...before, ...close({ ...state, ...before } as ProjectState, yes).changes };
  }, changes);
  const also = twins.map(({ id }) => id).join(", ");
  const more = also === "" ? "" : `, and ${also}, which asks the same`;
  return change(`${by} granted approval ${item.id}${more}`, all, rest);
}

function twinsOf({ approval_items }: ProjectState, item: OpenApproval): OpenApproval[] {
  return approval_items.filter(
    (each): each is OpenApproval =>
      each.status === "open" &&
      each.id !== item.id &&
      each.kind === item.kind &&
      each.subject_sha256 === item.subject_sha256,
  );
}

/** Given before anybody asked: what is asked already is answered, the rest is recorded as asked and answered at once. */
export function gatesApproved(state: ProjectState, event: EventOf<"gates-approved">): Ruling {
  const { at, by, channel, gates } = event;
  let { approval_items, tasks } = state;
  let number = state.counters.approvals;
  for (const request of gates) {
    const task = tasks.find(({ id }) => id === request.task_id);
    if (task === undefined) return refuse("A gate cannot be approved ahead without its task.");
    if (request.kind !== "task-before" && request.kind !== "release") {
      return refuse(`Of ${named(task)} only the start can be approved ahead.`);
    }
    if (isFinished(task)) {
      return refuse(`The start of ${named(task)} needs no yes because it is ${task.status}.`);
    }
    const open = approval_items.find(
      (item): item is OpenApproval =>
        item.status === "open" &&
        item.kind === request.kind &&
        item.task_id === task.id &&
        item.subject_sha256 === request.subject_sha256,
    );
    if (open === undefined) number += 1;
    const asked = open ?? { ...request, id: numberedApprovalId(number), asked_at: at };
    const granted = { ...asked, status: "granted", by, channel, answered_at: at } as const;
    const items = open === undefined ? [...approval_items, granted] : approval_items;
    approval_items = closeItem(items, granted, tasks);
    const allowed = withGrant(task, granted);
    const isHeld = task.status === "awaiting_approval" && task.approval_id === granted.id;
    tasks = replaceTask(tasks, isHeld ? released(allowed, approval_items) : allowed);
  }
  const ids = gates.map(({ task_id }) => task_id);
  if (ids.length === 0) return refuse("No gate was named that could be approved ahead.");
  const summary = `${by} approved the start of ${ids.join(", ")} ahead`;
  return change(summary, {
    approval_items,
    tasks,
    counters: { ...state.counters, approvals: number },
  });
}

export function approvalDenied(state: ProjectState, event: EventOf<"approval-denied">): Ruling {
  const item = openApproval(state, event.approval_id);
  if (item === undefined) return notOpen(event.approval_id);
  if (item.subject_sha256 !== event.subject_sha256) return otherSubject(item);
  const { by, channel, at, denial } = event;
  const denied = { ...item, status: "denied", by, channel, answered_at: at, denial } as const;
  const summary = `${by} denied approval ${item.id}: ${denial}`;
  if (NO_STOPS_NOTHING.has(item.kind)) return change(summary, close(state, denied).changes);
  const approval_items = closeItem(state.approval_items, denied, state.tasks);
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
  const item = openApproval(state, event.approval_id);
  if (item === undefined) return notOpen(event.approval_id);
  if (item.expires_at === undefined || msOf(event.at) < msOf(item.expires_at)) {
    return refuse(`Approval ${item.id} has not expired at ${event.at}.`);
  }
  const { changes, ...rest } = close(state, { ...item, status: "expired", closed_at: event.at });
  return change(`approval ${item.id} expired unanswered`, changes, rest);
}

export function approvalOutdated(state: ProjectState, event: EventOf<"approval-outdated">): Ruling {
  const item = openApproval(state, event.approval_id);
  if (item === undefined) return notOpen(event.approval_id);
  const { changes, ...rest } = close(state, { ...item, status: "withdrawn", closed_at: event.at });
  return change(`approval ${item.id} is no longer valid: ${event.reason}`, changes, rest);
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

/**
 * Closes an approval and lets the task that it held go on, unless another one still holds it. An output that was
 * not denied is validated at once where nothing else is in hand; otherwise when its turn comes.
 */
function close(state: ProjectState, closed: Approval): Pick<Change, "changes" | "current" | "to"> {
  const approval_items = closeItem(state.approval_items, closed, state.tasks);
  const found = closed.task_id === undefined ? undefined : findTask(state, closed.task_id);
  if (found === undefined) return { changes: { approval_items } };
  const task = closed.status === "granted" ? withGrant(found, closed) : found;
  const isHeld = task.status === "awaiting_approval" && task.approval_id === closed.id;
  const attempt = isHeld && closed.status !== "denied" ? task.attempt : undefined;
  if (attempt !== undefined && canValidate(state)) {
    const tasks = replaceTask(state.tasks, moved(task, { status: "validating", attempt }));
    return { changes: { approval_items, tasks }, current: task.id, to: "Validating" };
  }
  const next = isHeld || task.status === "pending" ? released(task, approval_items) : task;
  return { changes: { approval_items, tasks: replaceTask(state.tasks, next) } };
}

function openApproval(state: ProjectState, id: ApprovalId): OpenApproval | undefined {
  const item = state.approval_items.find((each) => each.id === id);
  return item?.status === "open" ? item : undefined;
}

function notOpen(id: ApprovalId): Refusal {
  return refuse(`There is no open approval ${id}.`);
}

function otherSubject({ id }: OpenApproval): Refusal {
  return refuse(
    `Approval ${id} cannot be answered because its subject is not the one that was shown.`,
  );
}

function withGrant(task: Task, item: Extract<Approval, { status: "granted" }>): Task {
  const { kind, subject_sha256, id: approval_id, by, answered_at: at } = item;
  const others = task.grants?.filter(
    (given) => given.kind !== kind || given.subject_sha256 !== subject_sha256,
  );
  return { ...task, grants: [...(others ?? []), { kind, approval_id, subject_sha256, by, at }] };
}
