// REPORT: what was persisted, as it was persisted. It takes nothing else.
import type { ProjectEvent } from "../../core/events.ts";
import type { ProjectState } from "../../core/schema/project.ts";
import { spendingText } from "../../core/step/budgets.ts";
import { persist, type Persisted } from "./persist.ts";
import type { RunPlace } from "../../core/news.ts";
import type { RunContext } from "./run-context.ts";
import type { Steps } from "./steps.ts";

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

/** Each step is durable and told before the act goes on. @returns what the act came to, and how many there were */
export async function saveEach<T>(
  context: RunContext,
  steps: Steps<T>,
): Promise<{ readonly value: T; readonly saved: number }> {
  for (let saved = 0; ; saved += 1) {
    // One after another: each act goes on from what was persisted.
    // oxlint-disable-next-line no-await-in-loop
    const next = await steps.next();
    if (next.done === true) return { value: next.value, saved };
    try {
      save(context, next.value.event, next.value.rows);
    } catch (error) {
      // The act hears it where it stands, so that it ends what it has begun.
      // oxlint-disable-next-line no-await-in-loop
      await steps.throw(error);
      throw error;
    }
  }
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
