// What sessions cost against what they may cost. What an agent does not tell is counted as unknown and never
// taken for nothing.
import type { EventOf, SessionSpending } from "../events.ts";
import type { Counters, ProjectState } from "../schema/project.ts";
import type { Task } from "../schema/task.ts";
import { money, tokenCount } from "../words/amounts.ts";
import { type Ruling, change, findTask, refuse, replaceTask } from "./ruling.ts";
import type { Budgets } from "../written/bounds.ts";

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
    return `the ${tokenCount(budgets.tokens)} tokens are used`;
  }
  if (budgets.cost_usd !== null && (spent.cost_usd ?? 0) >= budgets.cost_usd) {
    return `the ${money(budgets.cost_usd)} are used`;
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
  more: Spending,
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

/** Null where the agent does not say. */
export type ReportedUsage = Readonly<Pick<ProjectState["spent"], "tokens" | "cost_usd">>;
export type Spending = ReportedUsage & Readonly<Pick<ProjectState["spent"], "wall_ms">>;

type Spent = NonNullable<Task["spent"]>;
export const NOTHING_SPENT: Readonly<Spent> = { tokens: null, cost_usd: null };

export function withUsage<Before extends Readonly<Spent>>(
  before: Before,
  told: ReportedUsage,
): Before {
  return {
    ...before,
    ...unknown("unknown_tokens", before.unknown_tokens, told.tokens),
    ...unknown("unknown_cost", before.unknown_cost, told.cost_usd),
    tokens: sum(before.tokens, told.tokens),
    cost_usd: sum(before.cost_usd, told.cost_usd),
  };
}

export function spendingText({ tokens, cost_usd, wall_ms }: Spending): string {
  const told = [
    ...(tokens === null ? [] : [`${tokenCount(tokens)} tokens`]),
    ...(cost_usd === null ? [] : [money(cost_usd)]),
  ];
  return `spent ${[...told, `${wall_ms} ms`].join(", ")}`;
}

/** Null means "not known", which a known amount ends. */
function sum(before: number | null, more: number | null): number | null {
  return more === null ? before : (before ?? 0) + more;
}

function unknown(key: "unknown_tokens" | "unknown_cost", before = 0, told: number | null) {
  return told === null ? { [key]: before + 1 } : {};
}

/** What a session may still spend; null: as much as it likes. */
export type Allowance = Spending;

export function allowanceOf(
  budgets: Pick<Budgets, "tokens" | "cost_usd" | "wall_ms">,
  spent: Spending,
): Allowance {
  return {
    tokens: budgets.tokens === null ? null : budgets.tokens - (spent.tokens ?? 0),
    cost_usd: budgets.cost_usd === null ? null : budgets.cost_usd - (spent.cost_usd ?? 0),
    wall_ms: Math.max(1, budgets.wall_ms - spent.wall_ms),
  };
}

/** Why a session that told this must not go on; undefined where it may. */
export function overspent(allowance: Allowance, told: ReportedUsage): string | undefined {
  if (allowance.tokens !== null && (told.tokens ?? 0) >= allowance.tokens) {
    return `the ${tokenCount(allowance.tokens)} tokens that were left are used`;
  }
  if (allowance.cost_usd !== null && (told.cost_usd ?? 0) >= allowance.cost_usd) {
    return `the ${money(allowance.cost_usd)} that were left are used`;
  }
  return undefined;
}

/** Budgets that a session which told this leaves unguarded. */
export function unguarded(
  budgets: Pick<Budgets, "tokens" | "cost_usd">,
  told: ReportedUsage,
): ("tokens" | "cost_usd")[] {
  return (["tokens", "cost_usd"] as const).filter(
    (kind) => budgets[kind] !== null && told[kind] === null,
  );
}
