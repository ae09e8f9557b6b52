import { describe, expect, it } from "vitest";
import { refusal, started, T1 } from "../../../test/support/events.ts";
import { after, BY_ADA, BY_STINT, minute, running, taskId } from "../../../test/support/machine.ts";
import type { EventOf, ProjectEvent, Refused } from "../events.ts";
import { violations } from "../../../test/support/invariants.ts";
import { spentBudget } from "./budgets.ts";

const REFUSED: Refused = { agent: "claude", cause: "overloaded", reason: "busy", jitter: 0 };

function cut(attempt: number, more: Partial<EventOf<"attempt-interrupted">>): ProjectEvent {
  const task_id = taskId("t1");
  return { kind: "attempt-interrupted", ...BY_STINT, task_id, attempt, reason: "busy", ...more };
}

const refused = (attempt: number): ProjectEvent =>
  cut(attempt, { excuse: "provider", refused: REFUSED });

describe("a refused session", () => {
  it("is remembered in the revision that ends it, and costs neither attempt nor budget", () => {
    const state = after(running([T1]), started("t1", 1), refused(1));
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
      refused(1),
      { kind: "paused", ...BY_STINT, pause },
      { kind: "resumed", ...BY_ADA, fence: 2 },
      started("t1", 2),
      refused(2),
    );
    expect(state.agent_limits).toMatchObject([{ in_a_row: { provider: 2 } }]);
  });

  it.each([
    ["a question", cut(2, { excuse: "question", answered_by: "claude" }), []],
    ["a question to another agent", cut(2, { excuse: "question", answered_by: "codex" }), [1]],
    ["a person who stopped it", cut(2, { excuse: "stopped" }), [1]],
  ])("followed by %s", (_, event, left) => {
    const state = after(running([T1]), started("t1", 1), refused(1), started("t1", 2), event);
    expect(state.agent_limits?.map(({ in_a_row }) => in_a_row.provider)).toEqual(left);
  });

  it("is forgotten once a session was answered", () => {
    const state = after(running([T1]), started("t1", 1), refused(1), started("t1", 2), {
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
  const limited = after(running([T1]), started("t1", 1), refused(1));

  it("is a person's decision", () => {
    expect(refusal(limited, { kind: "limits-lifted", ...BY_STINT, which: "all" })).toContain(
      '"limits-lifted" is a person\'s decision, not that of stint.',
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
