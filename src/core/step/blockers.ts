// Blocking and unblocking: of one task, while the others go on, and of the whole project.
import type { BlockerFound, EventOf } from "../events.ts";
import { isFinished } from "../eligibility.ts";
import type { TaskId } from "../ids.ts";
import type { Instant } from "../instant.ts";
import { currentTask, isResultAwaited } from "../project-state.ts";
import type { Blocker } from "../schema/items.ts";
import type { Counters, ProjectState } from "../schema/project.ts";
import type { Task } from "../schema/task.ts";
import { counted } from "../words/amounts.ts";
import {
  attemptsLeft,
  moved,
  released,
  undone,
  withoutGrants,
  withoutOutputGrants,
} from "./task-moves.ts";
import {
  withdrawDispatches,
  hasEligible,
  type Body,
  type Change,
  type Ruling,
  change,
  currentWithout,
  named,
  refuse,
  replaceTask,
} from "./ruling.ts";

/** Blocks one task whatever it is doing; the caller says what that means for the project. */
export function blockTask(
  state: ProjectState,
  task: Task,
  found: BlockerFound,
  at: Instant,
): Pick<Change, "changes" | "current"> {
  const { reason } = found;
  // Whatever it left is looked at anew once somebody wants it tried again.
  const blocked = moved(withoutOutputGrants(task), { status: "blocked", reason, blocked_at: at });
  return {
    changes: {
      tasks: replaceTask(state.tasks, blocked),
      blockers: [...state.blockers, { ...found, task_id: task.id, at }],
      dispatches: withdrawDispatches(state, (id) => id === task.id, reason, at),
    },
    current: currentWithout(state, task),
  };
}

/** Failures after which another session would end like the last one. The signature of such a failure begins with its word. */
export const REPEATING = {
  passesUnchanged: "passes-unchanged",
  onlyDocs: "only-docs",
  onlyIgnored: "ignored",
} as const;

const BY_DOCS_ONLY = "if documents are the task, write docs-only below it in the manifest";

/** Whether the last failure of a task is one of these. */
export function failedBy(task: Task, failure: keyof typeof REPEATING): boolean {
  return task.last_failure?.signature.split(" ", 1)[0] === REPEATING[failure];
}

/** What a person can do about such a failure. */
function wayOut(task: Task): string | undefined {
  if (failedBy(task, "passesUnchanged")) {
    return `check its box in the manifest, or give it a check that fails today, or: stint skip ${task.id} --reason "…"`;
  }
  if (failedBy(task, "onlyDocs")) return BY_DOCS_ONLY;
  if (failedBy(task, "onlyIgnored")) {
    return "if the ignored files are the task, write ignored: ok below it in the manifest";
  }
  return undefined;
}

type Unblock = Pick<BlockerFound, "unblock">;

/** A retry alone repeats the failure, so something else comes first. */
export function waysOut(task: Task): Unblock | undefined {
  const way = wayOut(task);
  return way === undefined ? undefined : first(way);
}

/** Where sessions changed documents and nothing else, whatever failed after them. */
export function wayOfDocs(): Unblock {
  return first(BY_DOCS_ONLY);
}

function first(way: string): Unblock {
  return { unblock: `${way}; then: stint resume --retry` };
}

/** Of a task that a person edited since: where the advice was to edit it, a retry is left. */
export function advisedNoMore(blocker: Blocker): Blocker {
  const isAdvised = /\b(?:edit the task|in the manifest)\b.*\bthen: /.test(blocker.unblock);
  return isAdvised ? { ...blocker, ...untilRetried(blocker.kind, blocker.reason) } : blocker;
}

/** Back to pending while attempts remain, blocked when they are used up. */
export function retryOrBlock(
  state: ProjectState,
  task: Task,
  { kind, what }: { readonly kind: Blocker["kind"]; readonly what: string },
  at: Instant,
): Pick<Change, "changes" | "current"> {
  if (attemptsLeft(task, state.budgets.attempts_per_task) > 0) {
    return {
      changes: { tasks: replaceTask(state.tasks, released(task, state.approval_items)) },
      current: currentWithout(state, task),
    };
  }
  const reason = `${capital(named(task))} used its ${counted(task.attempts, "attempt")}; ${what}`;
  return blockTask(state, task, { ...untilRetried(kind, reason), ...waysOut(task) }, at);
}

/** What only a person clears, who wants the task tried again. */
export function untilRetried(kind: Blocker["kind"], reason: string): BlockerFound {
  return { kind, reason, unblock: "stint resume --retry" };
}

/** What is independent, or delegated, goes on after a task was blocked; with none left, the project is Blocked itself. */
export function afterBlocking(state: ProjectState, changes: Partial<Body>): "Running" | "Blocked" {
  const next = { ...state, ...changes };
  const isBlocking = changes.blockers !== undefined;
  return isBlocking && !hasEligible(next) && !isResultAwaited(next) ? "Blocked" : "Running";
}

/** The counters of what happened in a row, ended by success or by a person. */
export function withoutStreaks(counters: Counters): Counters {
  return { ...counters, no_progress: 0, planning_only: 0 };
}

export function taskBlocked(
  state: ProjectState,
  event: EventOf<"task-blocked">,
  task: Task,
): Ruling {
  if (isFinished(task) || task.status === "blocked") {
    return refuse(`The ${named(task)} cannot be blocked because it is ${task.status}.`);
  }
  if (state.status === "Validating" && state.current_task_id !== task.id) {
    return refuse(
      `The ${named(task)} cannot be blocked while task ${state.current_task_id} is being validated.`,
    );
  }
  const { changes, ...rest } = blockTask(state, task, event.blocker, event.at);
  return change(`blocked ${named(task)}: ${event.blocker.reason}`, changes, rest);
}

/** Takes back a "done" that turned out not to hold before anybody could rely on it. */
export function taskReopened(
  state: ProjectState,
  event: EventOf<"task-reopened">,
  task: Task,
): Ruling {
  if (task.status !== "done" || task.commit !== event.commit) {
    const why = task.status === "done" ? "committed" : task.status;
    return refuse(`The ${named(task)} cannot be reopened by the run because it is ${why}.`);
  }
  const { changes } = blockTask(state, { ...task, ...undone(task) }, event.blocker, event.at);
  const without = unproven(state, `${task.id} is no longer done`, event.at);
  const summary = `reopened ${named(task)}: ${event.blocker.reason}`;
  return change(summary, { ...changes, ...without }, { to: state.status });
}

/** What a fresh clone said was about other commits, or about a task that is not done: it says nothing any more. */
export function unproven(
  { proof, project_id }: ProjectState,
  why: string,
  at: Instant,
): Pick<Partial<Body>, "proof"> {
  if (proof === undefined) return {};
  const hint = `Prove it again: stint verify --fresh ${project_id}`;
  return { proof: { kind: "not-proven", commit: null, at, why, hint } };
}

export function projectBlocked(state: ProjectState, event: EventOf<"blocked">): Ruling {
  const task = currentTask(state);
  const found = event.blocker;
  const blockers =
    found === undefined ? state.blockers : [...state.blockers, { ...found, at: event.at }];
  const wholeProject = blockers.findLast((blocker) => blocker.task_id === undefined);
  const why = (wholeProject ?? blockers[0])?.reason;
  if (why === undefined) return refuse("The project cannot be Blocked because it has no blocker.");
  if (wholeProject === undefined && task !== undefined) {
    return refuse(
      `The project cannot be Blocked for its blocked tasks while ${named(task)} is ${task.status}.`,
    );
  }
  if (wholeProject === undefined && hasEligible(state)) {
    return refuse("The project cannot be Blocked for its blocked tasks while others are eligible.");
  }
  const tasks =
    task === undefined
      ? state.tasks
      : replaceTask(state.tasks, released(task, state.approval_items));
  return change(`blocked: ${why}`, { tasks, blockers }, { to: "Blocked", current: null });
}

export function unblocked(state: ProjectState, event: EventOf<"unblocked">): Ruling {
  const blockers = state.blockers.filter((blocker) => blocker.task_id !== undefined);
  if (blockers.length === state.blockers.length) {
    return refuse(
      "Nothing was unblocked because no blocker concerns the whole project; a blocked task is retried or skipped.",
    );
  }
  return change(`unblocked: ${event.reason}`, {
    blockers,
    counters: withoutStreaks(state.counters),
  });
}

export function taskRetried(
  state: ProjectState,
  event: EventOf<"task-retried">,
  task: Task,
): Ruling {
  if (task.status !== "blocked" && task.status !== "skipped") {
    return refuse(
      `The ${named(task)} cannot be retried because it is ${task.status}, neither blocked nor skipped.`,
    );
  }
  const missing = 1 - attemptsLeft(task, state.budgets.attempts_per_task);
  const extra = (task.extra_attempts ?? 0) + Math.max(0, missing);
  const { same_failure: _s, question_sessions: _q, ...fresh } = task;
  const tried: Task = { ...fresh, tried_again: (task.tried_again ?? 0) + 1 };
  const granted: Task = extra === 0 ? tried : { ...tried, extra_attempts: extra };
  const isSkipped = task.status === "skipped";
  const again = isSkipped ? "done after all" : "tried again";
  return change(`${event.by} wants ${named(task)} ${again}`, {
    // Whatever somebody allowed for a task that was then left out, they are asked once more.
    tasks: replaceTask(
      state.tasks,
      released(isSkipped ? withoutGrants(granted) : granted, state.approval_items),
    ),
    blockers: withoutBlockersOf(state, (id) => id === task.id),
    // A person stepped in, so whatever happened in a row has ended.
    counters: withoutStreaks(state.counters),
  });
}

export function withoutBlockersOf(
  state: Pick<Body, "blockers">,
  concerns: (id: TaskId) => boolean,
): Blocker[] {
  return state.blockers.filter(({ task_id }) => task_id === undefined || !concerns(task_id));
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
