import { describe, expect, it } from "vitest";
import { minute } from "../../test/support/machine.ts";
import { freeAgent, standstill } from "./agent-choice.ts";
import type { AgentLimit } from "./schema/items.ts";

const CHAIN = ["claude", "codex"];

function limit(agent: string, more: Partial<AgentLimit> = {}): AgentLimit {
  const in_a_row = { usage: 1, provider: 0 };
  return { agent, cause: "usage-limit", reason: "used up", at: minute(0), in_a_row, ...more };
}

describe("who works", () => {
  it("the first, while nothing holds it", () => {
    expect(freeAgent(undefined, CHAIN, minute(1))).toBe("claude");
    expect(freeAgent([limit("gemini", { until: minute(9) })], CHAIN, minute(1))).toBe("claude");
  });

  it("the next one while the first is limited, and the first again from then on", () => {
    const limits = [limit("claude", { until: minute(9) })];
    expect(freeAgent(limits, CHAIN, minute(8))).toBe("codex");
    expect(freeAgent(limits, CHAIN, minute(9))).toBe("claude");
  });

  it("nobody while all are limited", () => {
    const limits = [limit("claude", { until: minute(9) }), limit("codex")];
    expect(freeAgent(limits, CHAIN, minute(8))).toBeUndefined();
  });

  it("the first, where the clock was set back and its limit lies weeks ahead", () => {
    const limits = [limit("claude", { until: minute(60 * 24 * 30) })];
    expect(freeAgent(limits, CHAIN, minute(1))).toBe("claude");
  });
});

describe("where nobody can work", () => {
  it("the soonest is waited for, also beside one that needs a person", () => {
    const limits = [
      limit("claude", { cause: "auth", reason: "log in" }),
      limit("codex", { until: minute(9), cause: "overloaded", reason: "busy" }),
      limit("gemini", { until: minute(10) }),
    ];
    expect(standstill(limits, [...CHAIN, "gemini"], minute(1))).toEqual({
      kind: "wait",
      pause: {
        kind: "provider",
        reason: "claude: log in; codex: busy; gemini: used up",
        resume_at: minute(9),
      },
    });
  });

  it("a person is told how to log in, for each of them", () => {
    const auth = { cause: "auth", reason: "not logged in" } as const;
    const limits = [
      limit("claude", { ...auth, unblock: "claude /login" }),
      limit("codex", { ...auth, unblock: "codex login" }),
    ];
    expect(standstill(limits, CHAIN, minute(1))).toEqual({
      kind: "person",
      blocker: {
        kind: "missing-access",
        reason: "claude: not logged in; codex: not logged in",
        unblock: "claude /login, then: codex login, then: stint resume",
      },
    });
  });

  it("a person is told that it was tried often enough", () => {
    const limits = [limit("claude", { in_a_row: { usage: 25, provider: 0 } })];
    expect(standstill(limits, ["claude"], minute(1))).toEqual({
      kind: "person",
      blocker: {
        kind: "provider",
        reason: "refused 25 times in a row: claude: used up",
        unblock: "stint resume",
      },
    });
  });
});
