// What a person adds to the budgets of a project: `sessions=10`, `hours=5,usd=20`.
import type { Budgets } from "../../core/written/bounds.ts";
import { StintError } from "../../core/stint-error.ts";

const KINDS = ["sessions", "hours", "tokens", "usd"] as const;

export type Grant = Readonly<Partial<Record<(typeof KINDS)[number], number>>>;

export function parseGrant(text: string): Grant {
  const parts = text.split(",").map((part) => {
    const [, name, amount] = /^\s*([a-z]+)=(\d{1,12}(?:\.\d{1,6})?)\s*$/.exec(part) ?? [];
    const kind = KINDS.find((each) => each === name);
    const isWhole = kind === "usd" || kind === "hours" || /^\d+$/.test(amount ?? "");
    if (kind === undefined || amount === undefined || !isWhole) {
      throw new StintError(
        "bad-input",
        `"${text}" grants nothing: it is no list of ${KINDS.join(", ")} with amounts`,
        "Right is, for example: --grant sessions=10 or --grant hours=5,usd=20",
      );
    }
    return [kind, Number(amount)] as const;
  });
  return Object.fromEntries(parts);
}

/** What was not limited stays so. */
export function granted(budgets: Budgets, grant: Grant): Budgets {
  const { sessions = 0, hours = 0, tokens = 0, usd = 0 } = grant;
  return {
    ...budgets,
    sessions: budgets.sessions + sessions,
    wall_ms: budgets.wall_ms + Math.round(hours * 60 * 60 * 1000),
    tokens: budgets.tokens === null ? null : budgets.tokens + tokens,
    cost_usd: budgets.cost_usd === null ? null : budgets.cost_usd + usd,
  };
}
