// REPORT: what was persisted, as it was persisted. It takes nothing else.
import type { ProjectEvent } from "../../core/events.ts";
import type { ProjectState } from "../../core/schema/project.ts";
import { spendingText } from "../../core/spending.ts";
import { persist, type Persisted } from "./persist.ts";
import type { RunPlace } from "../../core/news.ts";
import type { RunContext } from "./run-context.ts";

export function reportRound(
  context: Pick<RunContext, "tell" | "notices">,
  persisted: Persisted,
): void {
  const { state, event, summary } = persisted;
  context.tell({
    kind: "persisted",
    revision: state.revision,
    event: event.kind,
    summary,
    status: state.status,
    place: placeOf(state),
  });
  const { spent } = event;
  // Time alone is on every clock; tokens and money are worth a line.
  if (spent !== undefined && (spent.tokens ?? spent.cost_usd) !== null) {
    context.tell({ kind: "notice", text: spendingText(spent) });
  }
  context.notices?.persisted(state);
}

/** PERSIST, then REPORT: the way of every event of a run. */
export function save(
  context: RunContext,
  event: ProjectEvent,
  rows?: readonly string[],
): Persisted {
  const persisted = persist(context, event, rows);
  reportRound(context, persisted);
  return persisted;
}

export function placeOf(state: ProjectState): RunPlace {
  const live = state.tasks.filter((task) => task.status !== "superseded");
  const task = live.find(({ id }) => id === state.current_task_id);
  return {
    done: live.filter(({ status }) => status === "done").length,
    total: live.length,
    sessions: state.counters.sessions,
    task:
      task === undefined
        ? null
        : {
            id: task.id,
            title: task.title,
            status: task.status,
            attempt: task.attempts,
            attempts: state.budgets.attempts_per_task + (task.extra_attempts ?? 0),
          },
    spent: state.spent,
    allowed: state.budgets,
  };
}
