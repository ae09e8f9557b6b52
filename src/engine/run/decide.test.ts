import { describe, expect, it } from "vitest";
import type { ProjectEvent } from "../../core/events.ts";
import { instantFromMs, msOf } from "../../core/instant.ts";
import type { ProjectState } from "../../core/schema/project.ts";
import { step } from "../../core/step/step.ts";
import {
  asked,
  completed,
  dispatched,
  ended,
  failures,
  FREE,
  gate,
  granted,
  pausedBy,
  planApproved,
  request,
  started,
  T1,
  T2,
  work,
} from "../../../test/support/events.ts";
import {
  after,
  BY_ADA,
  BY_STINT,
  draft,
  intent,
  minute,
  running,
} from "../../../test/support/machine.ts";
import { decide } from "./decide.ts";

const NOW = {
  ...BY_STINT,
  fence: 1,
  agentsFor: () => ["claude"],
  consent: { missing: () => [] },
  release: "ask" as const,
  unresolved: [],
};
const next = (state: ProjectState) => decide(state, NOW);

describe("what comes next", () => {
  it("a draft waits for its approval", () => {
    expect(next(draft([T1]))).toEqual({ kind: "stop", why: "the plan waits for approval" });
  });

  it("S3-38 a ready project starts", () => {
    const ready = after(draft([T1]), planApproved());
    expect(next(ready)).toMatchObject({ kind: "persist", event: { kind: "work-started" } });
  });

  it("S0-15 the first incomplete task in document order is attempted", () => {
    expect(next(running([T1, T2]))).toEqual(act("attempt", "t1"));
    expect(next(after(running([T1, T2]), ...work("t1", 1)))).toEqual(act("attempt", "t2"));
  });

  it("S0-25 a task with a command of its own is run without a session", () => {
    expect(next(running([intent("t1", { run: "make notes" })]))).toEqual(act("logistics", "t1"));
  });

  it("S4-15 a session that is not recorded yet is collected before anything else", () => {
    expect(next(after(running([T1, FREE]), started("t1", 1)))).toEqual(act("collect", "t1"));
  });

  it("an ended session is validated", () => {
    const state = after(running([T1]), started("t1", 1), ended("t1", 1));
    expect(next(state)).toEqual(act("validate", "t1"));
  });

  it("S3-31 a release step asks before it starts, and shows what it would execute", () => {
    const publish = intent("t1", { title: "Publish it", run: "npm publish" });
    expect(next(running([publish]))).toMatchObject({
      event: {
        kind: "approval-requested",
        approval: { kind: "release", task_id: "t1", subject: "start t1: Publish it\nnpm publish" },
      },
    });
    const reviewed = intent("t1", { title: "Publish it", approve: "after" });
    expect(next(running([reviewed]))).toEqual(act("attempt", "t1"));
    expect(decide(running([publish]), { ...NOW, release: "auto" })).toEqual(act("logistics", "t1"));
  });

  it("a yes to a start is a yes to the task as it was shown", () => {
    const gated = intent("t1", { approve: "before" });
    const asking = next(running([gated]));
    if (asking.kind !== "persist" || asking.event.kind !== "approval-requested") {
      throw new Error("nothing was asked");
    }
    const { subject_sha256 } = asking.event.approval;
    const yes = after(running([gated]), asking.event, granted(1, subject_sha256));
    expect(next(yes)).toEqual(act("attempt", "t1"));
    const tasks = yes.tasks.map((task) => ({ ...task, title: "Something else" }));
    expect(next({ ...yes, tasks })).toMatchObject({
      event: { kind: "approval-requested", approval: { subject: "start t1: Something else" } },
    });
  });

  it("asks for as long as a person wants to be asked", () => {
    const gated = intent("t1", { approve: "before" });
    const expireMs = 3 * 24 * 3_600_000;
    expect(decide(running([gated]), { ...NOW, expireMs })).toMatchObject({
      event: { approval: { expires_at: instantFromMs(msOf(NOW.at) + expireMs) } },
    });
  });

  it("a task that needs a yes before it starts asks for it, once, and others go on", () => {
    const gated = intent("t1", { approve: "before", after: [] });
    const asking = next(running([gated, FREE]));
    expect(asking).toMatchObject({
      kind: "persist",
      event: { kind: "approval-requested", approval: { kind: "task-before", task_id: "t1" } },
    });
    if (asking.kind !== "persist") throw new Error("nothing was asked");
    expect(next(after(running([gated, FREE]), asking.event))).toEqual(act("attempt", "free"));
    const waiting = after(running([gated]), asking.event);
    expect(next(waiting)).toMatchObject({ event: { kind: "gate-reached" } });
  });

  it("S3-8 with an open question and nothing eligible the gate is reached, and the stop says what is asked", () => {
    const state = after(running([T1]), asked("Which port?", undefined, "t1"));
    expect(next(state)).toMatchObject({ event: { kind: "gate-reached" } });
    expect(next(after(state, gate))).toEqual({
      kind: "stop",
      why: "a person is needed: q1 Which port?",
    });
  });

  it("S4-10 with work delegated and nothing eligible it waits", () => {
    const state = after(running([T1]), dispatched("t1"));
    expect(next(state)).toMatchObject({ event: { kind: "wait-began" } });
    const waiting = after(state, { kind: "wait-began", ...BY_STINT });
    expect(next(waiting)).toEqual({ kind: "stop", why: "a result is awaited" });
  });

  it("S0-26 with every task finished it is completed", () => {
    const state = after(running([T1]), ...work("t1", 1));
    expect(next(state)).toMatchObject({ event: { kind: "completed" } });
    expect(next(after(state, completed()))).toEqual({ kind: "stop", why: "every task is done" });
  });

  it("S2-27 with an item that no log says to be resolved it is blocked, with what is missing", () => {
    const state = after(running([T1]), ...work("t1", 1));
    expect(decide(state, { ...NOW, unresolved: ["DOC-002 (t1)"] })).toMatchObject({
      event: { kind: "blocked", blocker: { reason: expect.stringContaining("DOC-002 (t1)") } },
    });
    expect(next(state)).toMatchObject({ event: { resolution_log_updated: true } });
  });

  it("an open proposal keeps it from being completed", () => {
    const state = after(running([T1]), request("proposal"), ...work("t1", 1));
    expect(next(state)).toMatchObject({ event: { kind: "gate-reached" } });
  });

  it("a blocked project stops with its reason", () => {
    const state = after(running([T1]), ...failures(3, "made"));
    expect(state.status).toBe("Blocked");
    expect(next(state)).toMatchObject({ kind: "stop", why: /used its 3 attempts/ });
  });

  it("a paused and an abandoned project stop", () => {
    expect(next(after(running([T1]), pausedBy("requested")))).toEqual({
      kind: "stop",
      why: "Enough for now.",
    });
    const abandoned = after(running([T1]), { kind: "abandoned", ...BY_ADA, reason: "no longer" });
    expect(next(abandoned)).toEqual({ kind: "stop", why: "the project was abandoned" });
  });

  describe("while agents are limited", () => {
    const refused = (agent: string, attempt: number, more: object = {}): ProjectEvent => ({
      kind: "attempt-interrupted",
      ...BY_STINT,
      task_id: T1.id,
      attempt,
      reason: "busy",
      excuse: "provider",
      refused: { agent, cause: "overloaded", reason: "busy", jitter: 0, ...more },
    });
    const chain = { ...NOW, agentsFor: () => ["claude", "codex"] };
    const limited = after(running([T1, FREE]), started("t1", 1), refused("claude", 1));

    it("the next of the chain takes over, and the first comes back", () => {
      expect(decide(limited, chain)).toEqual(act("attempt", "t1", "codex"));
      expect(decide(limited, { ...chain, at: minute(2) })).toEqual(act("attempt", "t1"));
    });

    it("a task of another agent goes first, and nobody waits while there is work", () => {
      const agentsFor = ({ id }: { id: string }) => [id === "t1" ? "claude" : "codex"];
      expect(decide(limited, { ...NOW, agentsFor })).toEqual(act("attempt", "free", "codex"));
    });

    it("all of them: the soonest is waited for", () => {
      const both = after(limited, started("t1", 2), refused("codex", 2, { cause: "usage-limit" }));
      expect(decide(both, chain)).toMatchObject({
        kind: "persist",
        event: {
          kind: "paused",
          pause: { kind: "provider", resume_at: instantFromMs(msOf(minute(1)) + 30_000) },
        },
      });
    });

    it("for good: the project is blocked until a person did something", () => {
      const auth = { cause: "auth", unblock: "codex login" };
      const login = after(running([T1]), started("t1", 1), refused("claude", 1, auth));
      expect(next(login)).toMatchObject({
        kind: "persist",
        event: {
          kind: "blocked",
          blocker: { kind: "missing-access", unblock: "codex login, then: stint resume" },
        },
      });
    });

    it("nobody is waited for where the budget is spent", () => {
      const spent = { ...limited, budgets: { ...limited.budgets, wall_ms: 1 } };
      const used = { ...spent, spent: { ...spent.spent, wall_ms: 1 } };
      expect(next(used)).toMatchObject({ event: { pause: { kind: "budget" } } });
    });
  });

  it("a spent budget pauses", () => {
    const state = running([T1]);
    const spent = { ...state, budgets: { ...state.budgets, sessions: 1 } };
    const used = { ...spent, counters: { ...state.counters, sessions: 1 } };
    expect(next(used)).toMatchObject({ event: { kind: "paused", pause: { kind: "budget" } } });
  });

  it("every event that it decides on is legal", () => {
    const gated = intent("t1", { approve: "before" });
    const states = [
      after(draft([T1]), planApproved()),
      running([gated]),
      after(running([T1]), asked("?", undefined, "t1")),
      after(running([T1]), dispatched("t1")),
      after(running([T1]), ...work("t1", 1)),
    ];
    for (const state of states) {
      const decision = next(state);
      if (decision.kind !== "persist") throw new Error("an event was expected");
      expect(step(state, decision.event)).toMatchObject({ ok: true });
    }
  });
});

function act(kind: string, task_id: string, agent = "claude") {
  return { kind: "act", act: { kind, task_id, ...(kind === "attempt" ? { agent } : {}) } };
}
