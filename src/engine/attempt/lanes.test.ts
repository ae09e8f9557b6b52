import { describe, expect, it } from "vitest";
import { sharedOut } from "./lanes.ts";

const LEFT = { tokens: 1000, cost_usd: 10, wall_ms: 60_000 };

describe("what a session beside others may spend", () => {
  it("is an equal part of what is left, whoever begins first", () => {
    const first = sharedOut(LEFT, [], 4);
    expect(first).toEqual({ tokens: 250, cost_usd: 2.5, wall_ms: 15_000 });
    const second = sharedOut(LEFT, [first], 3);
    expect(second).toEqual(first);
    const last = sharedOut(LEFT, [first, second, first], 1);
    expect(last).toEqual(first);
  });

  it("is all of it where nobody else begins", () => {
    expect(sharedOut(LEFT, [], 1)).toEqual(LEFT);
  });

  it("is nothing that is given to others already", () => {
    expect(sharedOut(LEFT, [LEFT], 1)).toEqual({ tokens: 0, cost_usd: 0, wall_ms: 1 });
  });

  it("has no bound where the project has none", () => {
    const open = { tokens: null, cost_usd: null, wall_ms: 100 };
    expect(sharedOut(open, [open], 2)).toEqual({ tokens: null, cost_usd: null, wall_ms: 1 });
  });
});
