// What sessions cost, as far as their agents tell. What an agent does not tell is counted as unknown
// and never taken for nothing.
import type { Budgets } from "./written/bounds.ts";

/** Null where the agent does not say. */
export interface ReportedUsage {
  readonly tokens: number | null;
  readonly cost_usd: number | null;
}

export interface Spent extends ReportedUsage {
  /** Sessions that did not say; absent where all did. */
  readonly unknown_tokens?: number | undefined;
  readonly unknown_cost?: number | undefined;
}

export const NOTHING_SPENT: Spent = { tokens: null, cost_usd: null };

export function withUsage<Before extends Spent>(before: Before, told: ReportedUsage): Before {
  return {
    ...before,
    ...unknown("unknown_tokens", before.unknown_tokens, told.tokens),
    ...unknown("unknown_cost", before.unknown_cost, told.cost_usd),
    tokens: sum(before.tokens, told.tokens),
    cost_usd: sum(before.cost_usd, told.cost_usd),
  };
}

export function spendingText({
  tokens,
  cost_usd,
  wall_ms,
}: ReportedUsage & { readonly wall_ms: number }): string {
  const told = [
    ...(tokens === null ? [] : [`${tokens} tokens`]),
    ...(cost_usd === null ? [] : [`$${cost_usd.toFixed(4)}`]),
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
export interface Allowance {
  readonly tokens: number | null;
  readonly cost_usd: number | null;
  readonly wall_ms: number;
}

export function allowanceOf(
  budgets: Pick<Budgets, "tokens" | "cost_usd" | "wall_ms">,
  spent: ReportedUsage & { readonly wall_ms: number },
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
    return `the ${allowance.tokens} tokens that were left are used`;
  }
  if (allowance.cost_usd !== null && (told.cost_usd ?? 0) >= allowance.cost_usd) {
    return `the $${allowance.cost_usd.toFixed(2)} that were left are used`;
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
