// What was spent against what may be spent, and the bookkeeping that changes nothing else.
import type { EventOf, SessionSpending } from "../events.ts";
import type { Counters, ProjectState } from "../schema/project.ts";
import { NOTHING_SPENT, spendingText, type ReportedUsage, withUsage } from "../spending.ts";
import { type Ruling, change, findTask, refuse, replaceTask } from "./ruling.ts";

/** Sessions that count: those that a provider refused do not. */
export function sessionsSpent({
  sessions,
  refused_sessions = 0,
}: Pick<Counters, "sessions" | "refused_sessions">): number {
  return sessions - refused_sessions;
}

/** The first budget that is used up, in words; undefined when work may go on. */
export function spentBudget(
  state: Pick<ProjectState, "budgets" | "spent" | "counters">,
): string | undefined {
  const { budgets, spent, counters } = state;
  if (sessionsSpent(counters) >= budgets.sessions)
    return `all ${budgets.sessions} sessions are used`;
  if (spent.wall_ms >= budgets.wall_ms) return `the ${hours(budgets.wall_ms)} of running are used`;
  if (budgets.tokens !== null && (spent.tokens ?? 0) >= budgets.tokens) {
    return `the ${budgets.tokens} tokens are used`;
  }
  if (budgets.cost_usd !== null && (spent.cost_usd ?? 0) >= budgets.cost_usd) {
    return `the $${budgets.cost_usd.toFixed(2)} are used`;
  }
  return undefined;
}

function hours(ms: number): string {
  return `${Number((ms / 3_600_000).toFixed(2))} h`;
}

export function spendingRecorded(state: ProjectState, event: EventOf<"spending-recorded">): Ruling {
  const { wall_ms, tokens, cost_usd } = event;
  if (wall_ms < 0 || (tokens ?? 0) < 0 || (cost_usd ?? 0) < 0) {
    return refuse("A negative amount cannot be spent.");
  }
  return change(spendingText(event), { spent: withSpending(state, event) }, { to: state.status });
}

function withSpending(
  { spent }: Pick<ProjectState, "spent">,
  more: ReportedUsage & { readonly wall_ms: number },
): ProjectState["spent"] {
  return { ...withUsage(spent, more), wall_ms: spent.wall_ms + more.wall_ms };
}

/** What a session spent counts for the project and for its task. */
export function withSessionSpending(state: ProjectState, spent: SessionSpending): ProjectState {
  const task = findTask(state, spent.task_id);
  const own = task && { ...task, spent: withUsage(task.spent ?? NOTHING_SPENT, spent) };
  return {
    ...state,
    spent: withSpending(state, spent),
    ...(own === undefined ? {} : { tasks: replaceTask(state.tasks, own) }),
  };
}

export function budgetsChanged(state: ProjectState, event: EventOf<"budgets-changed">): Ruling {
  return change("budgets changed", { budgets: event.budgets }, { to: state.status });
}

export function watchdogInstalled(state: ProjectState): Ruling {
  return change(
    "watchdog installed",
    { watchdog: { ...state.watchdog, installed: true } },
    { to: state.status },
  );
}
