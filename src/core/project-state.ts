// What every rule knows of a state: which statuses are final, S4's word for each, the task in hand, whether
// somebody is awaited, which tasks the next commit is made for, and what is told of it in state.json.
import type { ProjectState, ProjectStatus } from "./schema/project.ts";
import type { Task } from "./schema/task.ts";
import { hasGrant, type TaskIn } from "./step/task-moves.ts";
import { DERIVED_LIST_LENGTH } from "./written/bounds.ts";

/** How a session ended whose end no run saw: what it left is collected and checked by the next one. */
export const UNSEEN_END = "the run ended while it worked";
/** The same of one by hand, which no run had started. */
export const UNSEEN_BY_HAND = "was left without a word about its end";

export const ROUND_STATUS = {
  Draft: "paused",
  Ready: "paused",
  Running: "running",
  AwaitingResult: "awaiting-result",
  Validating: "running",
  AwaitingApproval: "paused",
  Blocked: "blocked",
  Paused: "paused",
  Done: "complete",
  // Abandoned ended without completion, so it must never read as complete (S4-25).
  Abandoned: "blocked",
} as const satisfies Record<ProjectStatus, string>;

export const PHASE = {
  Draft: "plan",
  Ready: "plan",
  Running: "execute",
  AwaitingResult: "wait",
  Validating: "validate",
  AwaitingApproval: "gate",
  Blocked: "gate",
  Paused: "gate",
  Done: "closed",
  Abandoned: "closed",
} as const satisfies Record<ProjectStatus, string>;

/** At work, or about to be. */
export function isActive({ status }: ProjectState): boolean {
  return status === "Ready" || status === "Running" || status === "Validating";
}

/** Neither before its approval, nor paused, nor over. */
export function isOpen(state: ProjectState): boolean {
  return isActive(state) || isStandingStill(state);
}

/** What only waits may go on by an answer; what is paused or over may not. */
export function isStandingStill({ status }: ProjectState): boolean {
  return status === "AwaitingApproval" || status === "Blocked" || status === "AwaitingResult";
}

export function isTerminal(state: ProjectState): boolean {
  return state.status === "Done" || state.status === "Abandoned";
}

/** The task in hand. */
export function currentTask(
  state: Pick<ProjectState, "current_task_id" | "tasks">,
): Task | undefined {
  return state.tasks.find((task) => task.id === state.current_task_id);
}

export function isPersonAwaited(
  state: Pick<ProjectState, "approval_items" | "questions">,
): boolean {
  return [...state.approval_items, ...state.questions].some((item) => item.status === "open");
}

export function isResultAwaited(state: Pick<ProjectState, "dispatches">): boolean {
  return state.dispatches.some((item) => item.status === "sent");
}

export type DoneTask = Extract<Task, { status: "done" }>;

/** Done by work of this project, but box, commit or push are not recorded yet. */
export function unfinishedTasks(tasks: readonly Task[]): DoneTask[] {
  return tasks.filter(
    (task): task is DoneTask =>
      task.status === "done" &&
      task.commit === undefined &&
      task.evidence.some((evidence) => evidence.kind !== "person"),
  );
}

/** The tasks that one commit is made for: one that a person said yes to has its own. */
export function nextToFinish({ tasks }: Pick<ProjectState, "tasks">): DoneTask[] {
  const unfinished = unfinishedTasks(tasks);
  const [first] = unfinished;
  if (first !== undefined && hasGrant(first, "task-after")) return [first];
  return unfinished.filter((task) => !hasGrant(task, "task-after"));
}

/**
 * The fields of state.json that are computed at every write and ignored at every read. One pass over
 * the tasks; lists hold the last few and a total, so that the file stays bounded.
 */
export function derivedFields(state: ProjectState) {
  const current = currentTask(state);
  const waitingFor = [...state.approval_items, ...state.questions]
    .filter((item) => item.status === "open")
    .map((item) => item.id);
  return {
    round_status: ROUND_STATUS[state.status],
    phase: PHASE[state.status],
    current_step: current === undefined ? null : `${current.id} ${current.title}`,
    completed_work: completedWork(state),
    blocked_reason: state.blockers[0]?.reason ?? null,
    awaiting_approval: { total: waitingFor.length, last: waitingFor.slice(-DERIVED_LIST_LENGTH) },
    retry_count: Math.max(0, (current?.attempts ?? 0) - 1),
    max_retries: state.budgets.attempts_per_task + (current?.extra_attempts ?? 0) - 1,
    interrupted: state.status === "Paused" && state.current_task_id !== null,
    active_loop: ROUND_STATUS[state.status] === "running",
    sessions: { total: state.counters.sessions },
  };
}

/** The tasks completed last, oldest first, without sorting all of them. */
function completedWork(state: ProjectState) {
  let total = 0;
  const last: TaskIn<"done">[] = [];
  for (const task of state.tasks) {
    if (task.status !== "done") continue;
    total += 1;
    const oldest = last[0];
    if (last.length === DERIVED_LIST_LENGTH && oldest && task.done_at < oldest.done_at) continue;
    const after = last.findLastIndex((other) => other.done_at <= task.done_at);
    last.splice(after + 1, 0, task);
    if (last.length > DERIVED_LIST_LENGTH) last.shift();
  }
  return { total, last: last.map(({ id, title, done_at }) => ({ id, title, done_at })) };
}
