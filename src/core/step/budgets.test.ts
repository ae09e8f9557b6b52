import { describe, expect, it } from "vitest";
import { allowanceOf, NOTHING_SPENT, overspent, unguarded, withUsage } from "./budgets.ts";

const told = (tokens: number | null, cost_usd: number | null) => ({ tokens, cost_usd });

describe("what sessions cost", () => {
  it("adds up what is told and counts what is not", () => {
    const spent = [told(100, 0.5), told(50, null), told(null, null)].reduce(
      withUsage,
      NOTHING_SPENT,
    );
    expect(spent).toEqual({ tokens: 150, cost_usd: 0.5, unknown_tokens: 1, unknown_cost: 2 });
  });

  it("is unknown, not nothing, while no session told it", () => {
    expect(withUsage(NOTHING_SPENT, told(null, null))).toMatchObject(told(null, null));
    expect(withUsage(NOTHING_SPENT, told(0, 0))).toEqual(told(0, 0));
  });
});

describe("a session's share of the budgets", () => {
  const budgets = { tokens: 1000, cost_usd: 2, wall_ms: 60_000 };

  it("is what is left of them", () => {
    const spent = { ...told(400, null), wall_ms: 20_000 };
    expect(allowanceOf(budgets, spent)).toEqual({ tokens: 600, cost_usd: 2, wall_ms: 40_000 });
    expect(allowanceOf({ ...budgets, tokens: null, cost_usd: null }, spent)).toEqual({
      tokens: null,
      cost_usd: null,
      wall_ms: 40_000,
    });
  });

  it.each([
    [told(599, 1.99), undefined],
    [told(600, 0), "the 600 tokens that were left are used"],
    [told(0, 2), "the $2.00 that were left are used"],
    [told(null, null), undefined],
  ])("with %j told, the session is ended: %s", (usage, why) => {
    expect(overspent({ tokens: 600, cost_usd: 2, wall_ms: 1 }, usage)).toBe(why);
  });

  it("cannot be guarded where the agent does not tell", () => {
    expect(unguarded(budgets, told(1, null))).toEqual(["cost_usd"]);
    expect(unguarded({ tokens: null, cost_usd: null }, told(null, null))).toEqual([]);
  });
});
