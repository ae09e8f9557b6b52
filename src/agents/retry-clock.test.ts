import { describe, expect, it } from "vitest";
import type { AgentEvent } from "./agent.ts";
import { RetryClock } from "./retry-clock.ts";

const MINUTE_MS = 60_000;
const RETRY: AgentEvent = { kind: "retrying", attempt: 1, cause: "overloaded", message: "again" };
const USED = { kind: "usage", input: 1, output: 1, cached: 0, costUsd: null } as const;

/** Hears these, a minute apart. @returns after how many minutes the limit of ten was over */
function overAfter(events: readonly (AgentEvent | null)[]): number | null {
  let now = 0;
  const clock = new RetryClock(10 * MINUTE_MS, () => now);
  for (const [minute, event] of events.entries()) {
    now = minute * MINUTE_MS;
    if (event !== null) clock.hear(event);
    if (clock.isOver()) return minute;
  }
  return null;
}

const silence = (minutes: number): readonly null[] => Array.from({ length: minutes }, () => null);
const retries = (minutes: number): readonly AgentEvent[] =>
  Array.from({ length: minutes }, () => RETRY);

describe("a session that does nothing but retry", () => {
  it("is over its limit ten minutes after the first retry, however many follow", () => {
    expect(overAfter(retries(20))).toBe(10);
    expect(overAfter([RETRY, ...silence(20)])).toBe(10);
  });

  it("has no limit before its first retry: for silence there is another", () => {
    expect(overAfter(silence(100))).toBe(null);
    expect(overAfter([...silence(30), ...retries(20)])).toBe(40);
  });

  it.each<readonly [string, AgentEvent]>([
    ["a text", { kind: "text", text: "Next" }],
    ["a tool call", { kind: "tool-call", tool: "shell", detail: "ls" }],
    ["a tool's result", { kind: "tool-result", ok: false, detail: "" }],
    ["a refused command", { kind: "denied", command: "git clean" }],
    ["tokens", USED],
  ])("begins anew after %s", (_, event) => {
    expect(overAfter([...retries(9), event, ...retries(20)])).toBe(20);
    expect(overAfter([...retries(9), event, ...silence(20)])).toBe(null);
  });

  it.each<readonly [string, AgentEvent]>([
    ["an error", { kind: "error", cause: null, message: "no" }],
    ["a limit", { kind: "limit", resetAt: null }],
    ["no tokens", { ...USED, input: 0, output: 0 }],
    ["an empty text", { kind: "text", text: " \n" }],
    ["the beginning of a step", { kind: "step", isLast: false, reason: "" }],
    ["a damaged line", { kind: "unreadable" }],
  ])("goes on over %s", (_, event) => {
    expect(overAfter([...retries(9), event, ...retries(20)])).toBe(10);
  });

  it("has time to leave after its result", () => {
    const result = { kind: "result", ok: false, cause: null, reason: "" } as const;
    expect(overAfter([...retries(9), result, ...silence(20)])).toBe(null);
  });
});
