import { describe, expect, it } from "vitest";
import { limitAfter, MOST_IN_A_ROW, freeAgent, standstill } from "./agent-limits.ts";
import type { Refused, EventOf, ProjectEvent } from "./events.ts";
import { type Instant, instantFromMs, msOf } from "./instant.ts";
import type { AgentLimit } from "./schema/items.ts";
import { minute, after, BY_ADA, BY_STINT, running, taskId } from "../../test/support/machine.ts";
import { refusal, started, T1 } from "../../test/support/events.ts";
import { violations } from "../../test/support/invariants.ts";
import { spentBudget } from "./step/budgets.ts";

const AT = "2026-01-01T00:00:00.000Z" as Instant;
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

function refused(cause: Refused["cause"], more: Partial<Refused> = {}): Refused {
  return { agent: "claude", cause, reason: "no", jitter: 0, ...more };
}

/** Minutes of each wait when the same refusal comes again and again; null where waiting ends. */
function waits(times: number, refusal: Refused): (number | null)[] {
  let limit: AgentLimit | undefined;
  return Array.from({ length: times }, () => {
    limit = limitAfter(limit, refusal, AT);
    return limit.until === undefined ? null : (msOf(limit.until) - msOf(AT)) / MINUTE_MS;
  });
}

describe("a usage limit", () => {
  it("with a reset lasts until a minute after it", () => {
    const reset_at = instantFromMs(msOf(AT) + 5 * 60 * MINUTE_MS);
    expect(waits(1, refused("usage-limit", { reset_at }))).toEqual([301]);
  });

  it.each([
    ["in the past", -1],
    ["now", 0],
    ["more than eight days ahead", 8 * DAY_MS + 1],
  ])("with a reset %s is not believed", (_, aheadMs) => {
    const reset_at = instantFromMs(msOf(AT) + aheadMs);
    expect(waits(1, refused("usage-limit", { reset_at }))).toEqual([15]);
  });

  it("without a reset is tried after 15, 30, then every 60 minutes, 24 times", () => {
    const found = waits(25, refused("usage-limit"));
    expect(found.slice(0, 4)).toEqual([15, 30, 60, 60]);
    expect(found.slice(4, 24)).toEqual(Array.from({ length: 20 }, () => 60));
    expect(found[24]).toBeNull();
  });

  it("with resets that never help ends as well", () => {
    const reset_at = instantFromMs(msOf(AT) + MINUTE_MS);
    const found = waits(25, refused("usage-limit", { reset_at }));
    expect(found.indexOf(null)).toBe(MOST_IN_A_ROW.usage);
  });
});

describe("a provider that is overloaded or slows down", () => {
  it.each(["overloaded", "rate-limit"] as const)(
    "%s: the wait doubles from 30 s to 15 min, 40 times",
    (cause) => {
      const found = waits(41, refused(cause));
      const longest = Array.from({ length: 35 }, () => 15);
      expect(found).toEqual([0.5, 1, 2, 4, 8, ...longest, null]);
    },
  );

  it("may be away for a night before a person is asked, with the shortest waits too", () => {
    const found = waits(40, refused("overloaded", { jitter: 1 }));
    const minutes = found.reduce<number>((sum, wait) => sum + (wait ?? 0), 0);
    expect(minutes).toBeGreaterThan(6 * 60);
  });

  it("is asked again up to a quarter sooner, by chance", () => {
    expect(waits(2, refused("overloaded", { jitter: 1 }))).toEqual([0.375, 0.75]);
    expect(waits(2, refused("overloaded", { jitter: 0.5 }))).toEqual([0.4375, 0.875]);
  });

  it("counts apart from usage limits, so that neither ends the patience for the other", () => {
    let limit: AgentLimit | undefined;
    for (let n = 0; n < 12; n += 1) limit = limitAfter(limit, refused("usage-limit"), AT);
    limit = limitAfter(limit, refused("overloaded"), AT);
    expect(limit).toMatchObject({
      in_a_row: { usage: 12, provider: 1 },
      until: instantFromMs(msOf(AT) + 30_000),
    });
  });
});

it("an agent that is not logged in waits for a person", () => {
  expect(limitAfter(undefined, refused("auth", { unblock: "claude /login" }), AT)).toEqual({
    agent: "claude",
    cause: "auth",
    reason: "no",
    at: AT,
    unblock: "claude /login",
    in_a_row: { usage: 0, provider: 0 },
  });
});

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

const REFUSED: Refused = { agent: "claude", cause: "overloaded", reason: "busy", jitter: 0 };

function cut(attempt: number, more: Partial<EventOf<"attempt-interrupted">>): ProjectEvent {
  const task_id = taskId("t1");
  return { kind: "attempt-interrupted", ...BY_STINT, task_id, attempt, reason: "busy", ...more };
}

const turnedAway = (attempt: number): ProjectEvent =>
  cut(attempt, { excuse: "provider", refused: REFUSED });

describe("a refused session", () => {
  it("is remembered in the revision that ends it, and costs neither attempt nor budget", () => {
    const state = after(running([T1]), started("t1", 1), turnedAway(1));
    expect(state.agent_limits).toMatchObject([
      { agent: "claude", in_a_row: { usage: 0, provider: 1 }, at: minute(1) },
    ]);
    expect(state.counters).toMatchObject({ sessions: 1, refused_sessions: 1 });
    expect(state.tasks[0]).toMatchObject({ status: "pending", attempts: 1, extra_attempts: 1 });
    const tight = { ...state, budgets: { ...state.budgets, sessions: 1 } };
    expect(spentBudget(tight)).toBeUndefined();
    expect(violations(state)).toEqual([]);
  });

  it("counts on through a pause, a signal and a resumption", () => {
    const pause = { kind: "signal", reason: "SIGTERM was received" } as const;
    const state = after(
      running([T1]),
      started("t1", 1),
      turnedAway(1),
      { kind: "paused", ...BY_STINT, pause },
      { kind: "resumed", ...BY_ADA, fence: 2 },
      started("t1", 2),
      turnedAway(2),
    );
    expect(state.agent_limits).toMatchObject([{ in_a_row: { provider: 2 } }]);
  });

  it.each([
    ["a question", cut(2, { excuse: "question", answered_by: "claude" }), []],
    ["a question to another agent", cut(2, { excuse: "question", answered_by: "codex" }), [1]],
    ["a person who stopped it", cut(2, { excuse: "stopped" }), [1]],
  ])("followed by %s", (_, event, left) => {
    const state = after(running([T1]), started("t1", 1), turnedAway(1), started("t1", 2), event);
    expect(state.agent_limits?.map(({ in_a_row }) => in_a_row.provider)).toEqual(left);
  });

  it("is forgotten once a session was answered", () => {
    const state = after(running([T1]), started("t1", 1), turnedAway(1), started("t1", 2), {
      kind: "session-ended",
      ...BY_STINT,
      task_id: taskId("t1"),
      session: 2,
      outcome: "finished",
      progress: "made",
      answered_by: "claude",
    });
    expect(state.agent_limits).toEqual([]);
  });
});

describe("lifting limits", () => {
  const limited = after(running([T1]), started("t1", 1), turnedAway(1));

  it("is a person's decision", () => {
    expect(refusal(limited, { kind: "limits-lifted", ...BY_STINT, which: "all" })).toContain(
      "Only a person may decide that, not stint.",
    );
  });

  it("takes all, or only those that waiting does not help", () => {
    expect(after(limited, { kind: "limits-lifted", ...BY_ADA, which: "all" }).agent_limits).toEqual(
      [],
    );
    expect(refusal(limited, { kind: "limits-lifted", ...BY_ADA, which: "endless" })).toContain(
      "No limit was lifted because no agent has one of that kind.",
    );
    const auth = cut(2, { excuse: "provider", refused: { ...REFUSED, agent: "x", cause: "auth" } });
    const both = after(limited, started("t1", 2), auth);
    const { agent_limits } = after(both, { kind: "limits-lifted", ...BY_ADA, which: "endless" });
    expect(agent_limits?.map(({ agent }) => agent)).toEqual(["claude"]);
  });
});
