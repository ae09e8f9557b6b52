import { describe, expect, it } from "vitest";
import { type BudgetKind, BUDGET_LIMITS, budgetProblem, readBudgets } from "./bounds.ts";

describe("budgets as a person writes them", () => {
  it("are read together, and what is not written is not set", () => {
    expect(readBudgets({ cost: "20.5", tokens: "5000000", sessions: "20", wall: "8h" })).toEqual({
      set: { cost_usd: 20.5, tokens: 5_000_000, sessions: 20, wall_ms: 28_800_000 },
    });
    expect(readBudgets({})).toEqual({ set: {} });
  });

  it.each<[BudgetKind, string]>([
    ...(["sessions", "tokens", "cost"] as const).flatMap((kind) =>
      ["-1", "0", "NaN", "Infinity", "", " 1", "1e3", "many", "0x10", "99999999999999"].map(
        (text): [BudgetKind, string] => [kind, text],
      ),
    ),
    ["sessions", "1.5"],
    ["tokens", "1.5"],
    ["cost", "0.001"],
    ["cost", "1000001"],
    ["wall", "8"],
    ["wall", "0s"],
    ["wall", "-1h"],
    ["wall", "9999d"],
  ])("%s: %j is none", (kind, text) => {
    expect(readBudgets({ [kind]: text }).wrong).toBe(kind);
  });

  it("have examples that are right", () => {
    for (const { read, example } of Object.values(BUDGET_LIMITS)) {
      expect(read(example)).toBeDefined();
    }
  });

  it.each([
    ["cost", "5 USD", "US dollars from 0.01 to 1000000, such as 5", "5"],
    ["cost", "$5", "US dollars from 0.01 to 1000000, such as 5", "5"],
    ["cost", "5$", "US dollars from 0.01 to 1000000, such as 5", "5"],
    ["cost", "US$ 7.50", "US dollars from 0.01 to 1000000, such as 7.50", "7.50"],
    ["cost", "5 EUR", "US dollars from 0.01 to 1000000, such as 20", undefined],
    ["cost", "$0", "US dollars from 0.01 to 1000000, such as 20", undefined],
    ["cost", null, "US dollars from 0.01 to 1000000, such as 20", undefined],
    ["wall", "1.5h", "a duration up to 24d, such as 1h30m", "1h30m"],
    ["wall", "2 hours", "a duration up to 24d, such as 2h", "2h"],
    ["wall", "90 min", "a duration up to 24d, such as 1h30m", "1h30m"],
    ["wall", 8, "a duration up to 24d, such as 8h", undefined],
    ["sessions", -3, "a whole number from 1 to 1000000, such as 20", undefined],
    ["sessions", "20 sessions", "a whole number from 1 to 1000000, such as 20", "20"],
    ["tokens", "5M", "a whole number from 1 to 1000000000000, such as 5000000", "5000000"],
    ["tokens", "1.5m", "a whole number from 1 to 1000000000000, such as 1500000", "1500000"],
    ["tokens", "200k tokens", "a whole number from 1 to 1000000000000, such as 200000", "200000"],
    ["tokens", "1,000,000", "a whole number from 1 to 1000000000000, such as 1000000", "1000000"],
  ])("%s: %j is said to be wrong, with what is expected", (kind, amount, expected, meant) => {
    expect(budgetProblem(kind, amount)).toEqual({
      problem: `${kind} "${amount}" is not a valid amount: write ${expected}`,
      kind,
      ...(meant !== undefined && { meant }),
    });
  });

  it("have names, and a name that is nearly one is recognised", () => {
    expect(budgetProblem("costs", 5)).toEqual({
      problem: '"costs" is not a budget; did you mean cost?',
      kind: "cost",
      meant: "5",
    });
    expect(budgetProblem("lines", 5)).toEqual({
      problem: '"lines" is not a budget; known are sessions, wall, tokens and cost',
    });
    expect(budgetProblem("cost", 5)).toBeUndefined();
  });
});
