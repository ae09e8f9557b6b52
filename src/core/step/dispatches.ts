// Delegated work. A dispatch that is out is a valid wait, not a failure; it counts as one attempt.
import type { EventOf } from "../events.ts";
import { type DispatchId, numberedDispatchId } from "../ids.ts";
import { msOf } from "../instant.ts";
import { isResultAwaited } from "../project-state.ts";
import type { Dispatch } from "../schema/items.ts";
import type { ProjectState } from "../schema/project.ts";
import type { Attempt, Task } from "../schema/task.ts";
import { moved, released } from "./task-moves.ts";
import { canValidate } from "./approvals.ts";
import { whyNotAttempt } from "./attempts.ts";
import { retryOrBlock } from "./blockers.ts";
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
    `dispatched ${named(task)} to ${dispatch.owner} as ${id}`,
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
  if (dispatch.owner.trim() === "") return "a named owner";
  if (dispatch.objective.trim() === "") return "an objective";
  if (dispatch.return_condition.trim() === "") return "a return condition";
  return msOf(dispatch.checkpoint_at) > msOf(at) ? undefined : "a checkpoint in the future";
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
  const dispatches = closeItem<Dispatch>(state.dispatches, {
    ...item,
    status: "returned",
    result,
    closed_at: at,
  });
  const summary = `${item.owner} returned ${item.id}`;
  const task = findTask(state, item.task_id);
  if (task?.status !== "awaiting_result") return change(summary, { dispatches });
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

export function dispatchTimedOut(
  state: ProjectState,
  event: EventOf<"dispatch-timed-out">,
): Ruling {
  const item = sentDispatch(state, event.dispatch_id);
  if (item === undefined) return notOut(event.dispatch_id);
  if (msOf(event.at) < msOf(item.checkpoint_at)) {
    return refuse(
      `Dispatch ${item.id} cannot time out before its checkpoint at ${item.checkpoint_at}.`,
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
  const dispatches = closeItem(state.dispatches, closed);
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
