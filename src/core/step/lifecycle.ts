// The moves of the project as a whole: from plan to start, through gates and pauses, to its end.
import { isNonEmpty } from "../ids.ts";
import {
  hasEligible,
  type Ruling,
  type StateIn,
  change,
  currentWithout,
  findTask,
  named,
  noSuchTask,
  refuse,
  replaceTask,
  pruned,
  withdrawItems,
} from "./ruling.ts";
import type { EventOf } from "../events.ts";
import { isFinished } from "../eligibility.ts";
import { currentTask, isPersonAwaited, isResultAwaited } from "../project-state.ts";
import type { Approval } from "../schema/items.ts";
import type { ProjectState } from "../schema/project.ts";
import type { Task } from "../schema/task.ts";
import { doneWords } from "../words/task-standing.ts";
import { moved, reopened } from "./task-moves.ts";
import { checksRecorded } from "./checks.ts";
import { withoutBlockersOf, withoutStreaks } from "./blockers.ts";

export function planApproved(state: ProjectState, event: EventOf<"plan-approved">): Ruling {
  const cannot = "The plan cannot be approved because";
  if (state.goal.trim() === "") return refuse(`${cannot} it has no goal.`);
  if (!state.tasks.some((task) => task.status !== "superseded")) {
    return refuse(`${cannot} it has no tasks.`);
  }
  if (event.lint_errors > 0) {
    return refuse(`${cannot} the manifest has ${event.lint_errors} lint errors.`);
  }
  const { by, at, channel, digest } = event;
  const approval_items = pruned(
    state.approval_items.map((item): Approval =>
      item.status === "open" && item.kind === "plan"
        ? { ...item, status: "granted", by, channel, answered_at: at }
        : item,
    ),
  );
  const plan = { approved_by: by, approved_at: at, digest };
  return change(`${by} approved the plan`, { plan, approval_items }, { to: "Ready" });
}

/** What a person allows later on is remembered as the plan was: by the digest of the whole text. */
export function commandsConsented(
  state: ProjectState,
  event: EventOf<"commands-consented">,
): Ruling {
  if (state.plan === null) {
    return refuse("Its commands cannot be allowed because the plan was not approved.");
  }
  const { by, at, digest } = event;
  const plan = { approved_by: by, approved_at: at, digest };
  return change(`${by} allowed the commands of the manifest`, { plan }, { to: state.status });
}

export function workStarted(state: ProjectState, event: EventOf<"work-started">): Ruling {
  if (event.fence <= 0) return refuse("Work cannot start because the lease is not held.");
  if (!hasEligible(state)) return refuse("Work cannot start because no task is eligible.");
  return change("work started", {}, { to: "Running" });
}

export function gateReached(state: ProjectState): Ruling {
  const cannot = "The project cannot wait for a person because";
  if (state.current_task_id !== null) {
    return refuse(`${cannot} task ${state.current_task_id} is in progress.`);
  }
  if (!isPersonAwaited(state)) return refuse(`${cannot} no approval or question is open.`);
  if (hasEligible(state)) return refuse(`${cannot} a task is eligible.`);
  return change("waits for a person", {}, { to: "AwaitingApproval" });
}

export function paused(_state: ProjectState, { pause, at }: EventOf<"paused">): Ruling {
  return change(
    `paused: ${pause.reason}`,
    {},
    { to: "Paused", pause: { ...pause, paused_at: at } },
  );
}

/** An attempt that was being validated is in progress again, so that RECOVER looks at it afresh. */
export function resumed(state: ProjectState, event: EventOf<"resumed">): Ruling {
  if (event.fence <= 0) return refuse("Work cannot resume because the lease is not held.");
  const task = currentTask(state);
  const tasks =
    task?.status === "validating"
      ? replaceTask(state.tasks, moved(task, { status: "in_progress", attempt: task.attempt }))
      : state.tasks;
  return change("resumed", { tasks }, { to: "Running" });
}

export function completed(state: ProjectState, event: EventOf<"completed">): Ruling {
  return state.status === "Validating" ? withLastChecks(state, event) : whetherDone(state, event);
}

function whetherDone(state: ProjectState, event: EventOf<"completed">): Ruling {
  const unfinished = state.tasks.filter((task) => !isFinished(task));
  const cannot = "The project cannot be Done because";
  if (isNonEmpty(unfinished)) {
    const [task] = unfinished;
    const others = unfinished.length > 1 ? `, and ${unfinished.length - 1} more are not done` : "";
    return refuse(`${cannot} ${named(task)} is ${task.status}${others}.`);
  }
  if (!state.tasks.some((task) => task.status !== "superseded")) {
    return refuse(`${cannot} it has no tasks.`);
  }
  if (isPersonAwaited(state)) return refuse(`${cannot} an approval or question is open.`);
  if (isResultAwaited(state)) return refuse(`${cannot} a dispatch is out.`);
  if (isNonEmpty(state.blockers)) return refuse(`${cannot} of this: ${state.blockers[0].reason}`);
  if (!event.resolution_log_updated) return refuse(`${cannot} its resolution log is not updated.`);
  return change(
    doneWords(state.tasks),
    { ...unwatched(state), next_checkpoint: null },
    { to: "Done", current: null },
  );
}

/** The last checks and completion in one step, so that no state in between can be lost. */
function withLastChecks(state: StateIn<"Validating">, event: EventOf<"completed">): Ruling {
  const { checks } = event;
  if (checks === undefined) {
    return refuse(
      `The project cannot be Done because the checks of task ${state.current_task_id} are not recorded.`,
    );
  }
  const { task_id, attempt, ...result } = checks;
  const { at, by } = event;
  const task = findTask(state, task_id);
  if (task === undefined) return noSuchTask(task_id);
  const recorded = { kind: "checks-recorded", at, by, task_id, attempt, result } as const;
  const last = checksRecorded(state, recorded, task);
  if (!last.ok) return last;
  const end = whetherDone({ ...state, ...last.changes }, event);
  if (!end.ok) return end;
  return change(end.summary, { ...last.changes, ...end.changes }, { to: "Done", current: null });
}

export function abandoned(state: ProjectState, event: EventOf<"abandoned">): Ruling {
  const tasks = state.tasks.map((one) =>
    isUnderway(one) ? moved(one, { status: "pending" }) : one,
  );
  return change(
    `${event.by} abandoned the project: ${event.reason}`,
    {
      ...withdrawItems(state, () => true, "the project was abandoned", event.at),
      tasks,
      ...unwatched(state),
      next_checkpoint: null,
    },
    { to: "Abandoned", current: null },
  );
}

function isUnderway(task: Task): boolean {
  return !isFinished(task) && task.status !== "pending" && task.status !== "blocked";
}

export function projectReopened(state: ProjectState, event: EventOf<"reopened">): Ruling {
  const ids = new Set(event.task_ids);
  for (const id of ids) {
    const task = findTask(state, id);
    if (task === undefined) return noSuchTask(id);
    if (task.status !== "done" && task.status !== "skipped") {
      return refuse(`The ${named(task)} cannot be reopened because it is ${task.status}.`);
    }
  }
  return change(
    `${event.by} reopened the project: ${event.reason}`,
    {
      tasks: state.tasks.map((task) => (ids.has(task.id) ? reopened(task, event) : task)),
      counters: withoutStreaks(state.counters),
      // As when it was created; the next run takes it away again where the settings say so.
      ...watched(state),
    },
    { to: "Ready" },
  );
}

export function taskSkipped(
  state: ProjectState,
  event: EventOf<"task-skipped">,
  task: Task,
): Ruling {
  if (isFinished(task)) {
    return refuse(`The ${named(task)} cannot be skipped because it is ${task.status}.`);
  }
  const { by, reason, at } = event;
  const concerns = (id: Task["id"] | undefined) => id === task.id;
  return change(
    `${by} skipped ${named(task)}: ${reason}`,
    {
      ...withdrawItems(state, concerns, "its task was skipped", at),
      tasks: replaceTask(
        state.tasks,
        moved(task, { status: "skipped", by, reason, skipped_at: at }),
      ),
      blockers: withoutBlockersOf(state, concerns),
    },
    { current: currentWithout(state, task) },
  );
}

/** A project has a watchdog from its creation until it is over; `watchdog: off` in the settings leaves it out. */
export function watchdogInstalled(state: ProjectState): Ruling {
  return change("the watchdog watches it", watched(state), { to: state.status });
}

export function watchdogRemoved(state: ProjectState): Ruling {
  return change("the watchdog no longer watches it", unwatched(state), { to: state.status });
}

function watched({ watchdog }: ProjectState): Pick<ProjectState, "watchdog"> {
  return { watchdog: { ...watchdog, installed: true } };
}

function unwatched({ watchdog }: ProjectState): Pick<ProjectState, "watchdog"> {
  return { watchdog: { ...watchdog, installed: false } };
}
