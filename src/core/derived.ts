// The fields of state.json that are computed at every write and ignored at every read. One pass over
// the tasks; lists hold the last few and a total, so that the file stays bounded.
import { DERIVED_LIST_LENGTH } from "./written/bounds.ts";
import { PHASE, ROUND_STATUS, currentTask } from "./project-state.ts";
import type { ProjectState } from "./schema/project.ts";
import type { TaskIn } from "./step/task-moves.ts";

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
