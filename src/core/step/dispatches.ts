// Delegated work. A dispatch that is out is a valid wait, not a failure; it counts as one attempt.
import type { EventOf } from "../events.ts";
import { type DispatchId, numberedDispatchId } from "../ids.ts";
import { msOf } from "../instant.ts";
import { isResultAwaited } from "../project-state.ts";
import type { Dispatch } from "../schema/items.ts";
import type { ProjectState } from "../schema/project.ts";
import type { Attempt, Task } from "../schema/task.ts";
import { moved, released, type TaskIn } from "./task-moves.ts";
import { canValidate } from "./approvals.ts";
import { whyNotAttempt } from "./attempts.ts";
import { blockTask, retryOrBlock, untilRetried } from "./blockers.ts";
import { spentBudget } from "./budgets.ts";
import {
  closeItem,
  hasEligible,
  type Body,
  type Refusal,
  type Ruling,
  change,
  currentWithout,
  findTask,
  named,
  noSuchTask,
  refuse,
  replaceTask,
} from "./ruling.ts";

type SentDispatch = Extract<Dispatch, { status: "sent" }>;

export function dispatchSent(state: ProjectState, event: EventOf<"dispatch-sent">): Ruling {
  const { dispatch } = event;
  const task = findTask(state, dispatch.task_id);
  if (task === undefined) return noSuchTask(dispatch.task_id);
  const missing = missingTerms(event);
  if (missing !== undefined) {
    return refuse(`The ${named(task)} cannot be delegated without ${missing}.`);
  }
  const attempt = attemptOf(state, task, event);
  if ("ok" in attempt) return attempt;
  const clash = whyNotWorker(state, dispatch, attempt);
  if (clash !== undefined)
    return refuse(`The ${named(task)} cannot be delegated because ${clash}.`);
  const { counters } = state;
  const number = counters.dispatches + 1;
  const id = numberedDispatchId(number);
  const isNew = attempt.number > task.attempts;
  const sent: Dispatch = { ...dispatch, id, status: "sent", sent_at: event.at };
  const delegated = moved(
    { ...task, attempts: attempt.number },
    { status: "awaiting_result", dispatch_id: id, attempt },
  );
  return change(
    dispatch.worker.kind === "session"
      ? `attempt ${attempt.number} of ${named(task)} started in parallel in session ${attempt.session} (${id})`
      : `dispatched ${named(task)} to ${dispatch.owner} as ${id}`,
    {
      tasks: replaceTask(state.tasks, delegated),
      dispatches: [...state.dispatches, sent],
      counters: {
        ...counters,
        dispatches: number,
        sessions: Math.max(counters.sessions, attempt.session),
        attempts: counters.attempts + (isNew ? 1 : 0),
      },
    },
    { current: currentWithout(state, task) },
  );
}

function missingTerms({ dispatch, at }: EventOf<"dispatch-sent">): string | undefined {
  const { owner, objective, worker, returns, checkpoint_at, deadline_at } = dispatch;
  if (owner.trim() === "") return "a named owner";
  if (objective.trim() === "") return "an objective";
  if (worker.kind === "outside" && returns.kind === "exit") return "a return condition";
  if (msOf(checkpoint_at) <= msOf(at)) return "a checkpoint in the future";
  return msOf(deadline_at) < msOf(checkpoint_at) ? "a deadline after its checkpoint" : undefined;
}

/** Two sessions in one workspace, or of one number, could not be told apart. */
function whyNotWorker(
  state: ProjectState,
  { worker }: EventOf<"dispatch-sent">["dispatch"],
  attempt: Attempt,
): string | undefined {
  if (worker.kind !== "session") return undefined;
  if (worker.session !== attempt.session) return `the next session is ${attempt.session}`;
  const other = state.dispatches.find(
    (item) =>
      item.status === "sent" && item.worker.kind === "session" && item.worker.lane === worker.lane,
  );
  return other === undefined ? undefined : `${other.id} is at work in lane ${worker.lane}`;
}

/** The attempt in progress when its own session delegates; otherwise a new one, as a session is. */
function attemptOf(
  state: ProjectState,
  task: Task,
  event: EventOf<"dispatch-sent">,
): Attempt | Refusal {
  if (task.status === "in_progress") return task.attempt;
  const refusal = whyNotAttempt(state, task);
  if (refusal !== undefined) return refusal;
  const spent = spentBudget(state);
  if (spent !== undefined)
    return refuse(`The ${named(task)} cannot be delegated because ${spent}.`);
  return {
    number: task.attempts + 1,
    session: state.counters.sessions + 1,
    run_id: event.run_id,
    started_at: event.at,
  };
}

export function waitBegan(state: ProjectState): Ruling {
  const cannot = "The project cannot wait for a result because";
  if (state.current_task_id !== null) {
    return refuse(`${cannot} task ${state.current_task_id} is in progress.`);
  }
  if (!isResultAwaited(state)) return refuse(`${cannot} no dispatch is out.`);
  if (hasEligible(state)) return refuse(`${cannot} a task is eligible.`);
  return change("waits for a result", {}, { to: "AwaitingResult" });
}

export function resultConsumed(state: ProjectState, event: EventOf<"result-consumed">): Ruling {
  const item = sentDispatch(state, event.dispatch_id);
  if (item === undefined) return notOut(event.dispatch_id);
  const { result, at } = event;
  const returned = { ...item, status: "returned", result, closed_at: at } as const;
  const dispatches = closeItem<Dispatch>(state.dispatches, returned, state.tasks);
  const summary =
    item.worker.kind === "session"
      ? `session ${item.worker.session} is back (${item.id})`
      : `${item.owner} returned ${item.id}`;
  const task = findTask(state, item.task_id);
  if (task?.status !== "awaiting_result") return change(summary, { dispatches });
  if (item.worker.kind === "session") return sessionBack(state, task, dispatches, summary);
  return canValidate(state)
    ? change(
        summary,
        {
          dispatches,
          tasks: replaceTask(
            state.tasks,
            moved(task, { status: "validating", attempt: task.attempt }),
          ),
        },
        { to: "Validating", current: task.id },
      )
    : change(summary, {
        dispatches,
        tasks: replaceTask(state.tasks, released(task, state.approval_items)),
      });
}

/** Its session is in hand again, as one that has just ended: what it left is collected next. */
function sessionBack(
  state: ProjectState,
  task: TaskIn<"awaiting_result">,
  dispatches: Dispatch[],
  summary: string,
): Ruling {
  if (!canValidate(state)) {
    return refuse(
      `The session of ${named(task)} cannot be collected while another task is in progress.`,
    );
  }
  const back = moved(task, { status: "in_progress", attempt: task.attempt });
  const counters = { ...state.counters, session_questions: 0 };
  const tasks = replaceTask(state.tasks, back);
  return change(summary, { dispatches, tasks, counters }, { to: "Running", current: task.id });
}

/** It has not come back; it is looked at again, at the latest when it is given up. */
export function checkpointMoved(state: ProjectState, event: EventOf<"checkpoint-moved">): Ruling {
  const item = sentDispatch(state, event.dispatch_id);
  if (item === undefined) return notOut(event.dispatch_id);
  const { at, checkpoint_at } = event;
  if (msOf(checkpoint_at) <= msOf(at) || msOf(checkpoint_at) > msOf(item.deadline_at)) {
    return refuse(
      `The next look at ${item.id} cannot be at ${checkpoint_at}: it is due after ${at} and until ${item.deadline_at}.`,
    );
  }
  const dispatches = state.dispatches.map((each) =>
    each.id === item.id ? { ...item, checkpoint_at } : each,
  );
  const who =
    item.worker.kind === "session"
      ? `session ${item.worker.session} is still at work (${item.id})`
      : `${item.owner} has not returned ${item.id}`;
  return change(`${who}; next look at ${checkpoint_at}`, {
    dispatches,
  });
}

/** The task waits until a person wants it tried again. */
export function dispatchCancelled(
  state: ProjectState,
  event: EventOf<"dispatch-cancelled">,
): Ruling {
  const item = sentDispatch(state, event.dispatch_id);
  if (item === undefined) return notOut(event.dispatch_id);
  const { by, reason, at } = event;
  const closed = { ...item, status: "cancelled", by, reason, closed_at: at } as const;
  const dispatches = closeItem<Dispatch>(state.dispatches, closed, state.tasks);
  const summary = `cancelled ${item.id}: ${reason}`;
  const task = findTask(state, item.task_id);
  if (task?.status !== "awaiting_result") return change(summary, { dispatches });
  const blocker = untilRetried("dispatch", `${by} cancelled ${item.id}: ${reason}`);
  const { changes } = blockTask({ ...state, dispatches } as ProjectState, task, blocker, at);
  return change(summary, changes);
}

export function dispatchTimedOut(
  state: ProjectState,
  event: EventOf<"dispatch-timed-out">,
): Ruling {
  const item = sentDispatch(state, event.dispatch_id);
  if (item === undefined) return notOut(event.dispatch_id);
  if (msOf(event.at) < msOf(item.deadline_at)) {
    return refuse(
      `Dispatch ${item.id} cannot time out before its deadline at ${item.deadline_at}.`,
    );
  }
  const closed = { ...item, status: "timed_out", closed_at: event.at } as const;
  return withoutResult(state, closed, `${item.owner} did not return ${item.id} in time`, event);
}

export function dispatchLost(state: ProjectState, event: EventOf<"dispatch-lost">): Ruling {
  const item = sentDispatch(state, event.dispatch_id);
  if (item === undefined) return notOut(event.dispatch_id);
  const closed = { ...item, status: "lost", reason: event.reason, closed_at: event.at } as const;
  return withoutResult(state, closed, `${item.id} was lost: ${event.reason}`, event);
}

function withoutResult(
  state: ProjectState,
  closed: Dispatch,
  what: string,
  event: EventOf<"dispatch-timed-out"> | EventOf<"dispatch-lost">,
): Ruling {
  const dispatches = closeItem(state.dispatches, closed, state.tasks);
  const noted: Partial<Body> = { last_error: what, last_error_at: event.at };
  const task = findTask(state, closed.task_id);
  if (task?.status !== "awaiting_result") {
    return change(what, { ...noted, dispatches });
  }
  const { changes } = retryOrBlock(state, task, { kind: "dispatch", what }, event.at);
  return change(what, { ...noted, ...changes, dispatches });
}

function sentDispatch(state: ProjectState, id: DispatchId): SentDispatch | undefined {
  const item = state.dispatches.find((dispatch) => dispatch.id === id);
  return item?.status === "sent" ? item : undefined;
}

function notOut(id: DispatchId): Refusal {
  return refuse(`There is no dispatch ${id} that is out.`);
}
