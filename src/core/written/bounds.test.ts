import { describe, expect, it } from "vitest";
import { type BudgetKind, BUDGET_LIMITS, readBudgets } from "./bounds.ts";

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
});
