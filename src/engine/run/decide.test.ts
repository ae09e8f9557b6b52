import { describe, expect, it } from "vitest";
import type { ProjectEvent } from "../../core/events.ts";
import { instantFromMs, msOf } from "../../core/instant.ts";
import type { ProjectState } from "../../core/schema/project.ts";
import type { TaskIntent } from "../../core/schema/task.ts";
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
  sentTo,
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
  taskId,
} from "../../../test/support/machine.ts";
import { type Beside, decide } from "./decide.ts";

const NOW = {
  ...BY_STINT,
  fence: 1,
  agentsFor: () => ["claude"],
  consent: { missing: () => [] },
  release: "ask" as const,
  scripts: { dirOf: () => "", trees: [() => undefined] },
  unresolved: [],
  isProofDue: false,
  beside: { parallel: 1, parallelOf: {}, atWork: [], hasLanes: true, isClosing: false } as Beside,
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

  it("a task that only its scripts make a release asks too, in the folder it starts in", () => {
    const texts: Record<string, string> = {
      "web/package.json": '{"scripts": {"up": "npm publish"}}',
    };
    const tree = (path: string) => (Object.hasOwn(texts, path) ? texts[path] : undefined);
    const up = intent("t1", { title: "Finish", run: "npm run up" });
    const asked = {
      event: { approval: { kind: "release", subject: "start t1: Finish\nnpm run up" } },
    };
    const seen = { ...NOW, scripts: { dirOf: () => "web", trees: [() => undefined, tree] } };
    expect(decide(running([up]), seen)).toMatchObject(asked);
    const elsewhere = { ...NOW, scripts: { dirOf: () => "", trees: [tree] } };
    expect(decide(running([up]), elsewhere)).toEqual(act("logistics", "t1"));
    const checked = intent("t1", {
      title: "Finish",
      checks: [{ kind: "command", command: "npm run up" }],
    });
    expect(decide(running([checked]), seen)).toMatchObject(asked);
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

  it("sends what somebody outside does before it starts a session, and asks its gate first", () => {
    const outside = { delegate: "ada", returns: { kind: "message" as const }, after: [] };
    const state = running([intent("t1"), intent("t2", outside)]);
    expect(next(state)).toEqual({ kind: "act", act: { kind: "send", task_id: "t2" } });
    // What a session left of several tasks is judged first.
    expect(decide(state, { ...NOW, isInBatch: true })).toMatchObject({ act: { task_id: "t1" } });
    const gated = running([intent("t1"), intent("t2", { ...outside, approve: "before" })]);
    expect(next(gated)).toMatchObject({ event: { kind: "approval-requested" } });
  });

  it("gives a delegated session a lane of its own, and goes on with the next one in hand", () => {
    const delegated = intent("t1", { delegate: "codex", after: [] });
    const state = running([delegated, intent("t2", { after: [] })]);
    // It leaves the one in hand its part of what may be spent.
    expect(next(state)).toMatchObject({
      act: { kind: "dispatch", task_id: "t1", lane: 1, sharers: 2 },
    });
    const out = after(state, sentTo("t1", 1, 1));
    const atWork = [{ lane: 1, agent: "codex", isDelegated: true }];
    const beside = { ...NOW.beside, atWork };
    expect(decide(out, { ...NOW, beside })).toMatchObject({
      act: { kind: "attempt", task_id: "t2" },
    });
    const inPlace = { ...NOW, beside: { ...NOW.beside, hasLanes: false } };
    expect(decide(state, inPlace)).toMatchObject({ act: { kind: "attempt", task_id: "t1" } });
  });

  it("S4-10 with work delegated and nothing eligible it waits", () => {
    const state = after(running([T1]), dispatched("t1"));
    expect(next(state)).toMatchObject({ event: { kind: "wait-began" } });
    const waiting = after(state, { kind: "wait-began", ...BY_STINT });
    expect(next(waiting)).toEqual({
      kind: "stop",
      why: "a result is awaited: worker-1 has t1 (d1, next look at 2026-01-01T00:30:00.000Z)",
    });
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

  it("what is committed is proven before it is completed, and before a release is asked about", () => {
    const due = { ...NOW, isProofDue: true };
    const prove = { kind: "act", act: { kind: "prove" } };
    const over = after(running([T1]), ...work("t1", 1));
    expect(decide(over, due)).toEqual(prove);
    const publish = intent("t2", { title: "Publish it", run: "npm publish" });
    const before = after(running([T1, publish]), ...work("t1", 1));
    expect(decide(before, due)).toEqual(prove);
    expect(next(before)).toMatchObject({ event: { kind: "approval-requested" } });
    // What is next puts nothing in front of others.
    expect(decide(after(running([T1, T2]), ...work("t1", 1)), due)).toEqual(act("attempt", "t2"));
    // Nothing was done here.
    const marked = after(draft([T1], { checked: ["t1"] }), planApproved());
    expect(decide(marked, due)).toMatchObject({ event: { kind: "completed" } });
    const atWork = [{ lane: 1, agent: "claude" }];
    const beside = { ...NOW.beside, atWork };
    expect(decide(over, { ...due, beside })).toEqual({ kind: "wait" });
  });

  it("an open proposal keeps it from being completed", () => {
    const state = after(running([T1]), request("proposal"), ...work("t1", 1));
    expect(next(state)).toMatchObject({ event: { kind: "gate-reached" } });
  });

  it("a blocked project stops with its reason", () => {
    const state = after(running([T1]), ...failures(3, "made"));
    expect(state.status).toBe("Blocked");
    expect(next(state)).toMatchObject({ kind: "stop", why: /used its 3 attempts/ });
    const once = after(running([T1], { attempts: 1 }), ...failures(1, "made"));
    expect(next(once)).toMatchObject({ kind: "stop", why: /used its 1 attempt;/ });
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

describe("sessions beside each other", () => {
  const THREE = [FREE, intent("t2", { after: [] }), intent("t3", { after: [] })];
  const at = (lane: number, agent = "claude") => ({ lane, agent });
  const beside = (more: Partial<typeof NOW.beside>) => ({
    ...NOW,
    beside: { ...NOW.beside, parallel: 3, ...more },
  });

  it("keep a part for each that may yet begin beside them, ready or not, delegated or not", () => {
    const later = intent("t4", { after: [taskId("free")] });
    const delegated = intent("t5", { delegate: "`make film`", after: [taskId("free")] });
    const outside = intent("t6", { delegate: "ci", returns: { kind: "message" }, after: [] });
    const shares = (parallel: number, ...tasks: readonly TaskIntent[]) =>
      decide(running([FREE, ...tasks]), beside({ parallel, hasLanes: true }));
    expect(shares(3, later)).toMatchObject({ act: { sharers: 2 } });
    expect(shares(2, ...THREE.slice(1), later)).toMatchObject({ act: { sharers: 2 } });
    expect(shares(2, ...THREE.slice(1), delegated)).toMatchObject({ act: { sharers: 3 } });
    expect(shares(2, delegated, outside)).toMatchObject({ act: { kind: "send" } });
  });

  it("a task goes to the first lane that is free, with its share of what is left", () => {
    expect(decide(running(THREE), beside({}))).toEqual({
      kind: "act",
      act: { kind: "dispatch", task_id: "free", agent: "claude", lane: 1, sharers: 3 },
    });
    expect(decide(running(THREE), beside({ atWork: [at(1), at(3)] }))).toMatchObject({
      act: { kind: "dispatch", lane: 2, sharers: 1 },
    });
  });

  it("nothing begins where no lane is free, or somebody wants it to end", () => {
    const full = [at(1), at(2), at(3)];
    expect(decide(running(THREE), beside({ atWork: full }))).toEqual({ kind: "wait" });
    const closing = { atWork: [at(1)], isClosing: true };
    expect(decide(running(THREE), beside(closing))).toEqual({ kind: "wait" });
  });

  it("nothing is concluded from having nothing to do while one is at work", () => {
    const out = after(running([T1]), sentTo("t1", 1, 1));
    expect(decide(out, beside({ atWork: [at(1)] }))).toEqual({ kind: "wait" });
  });

  it("an exclusive task waits for the others, and is then in hand", () => {
    const alone = [intent("t1", { after: [], exclusive: true }), FREE];
    expect(decide(running(alone), beside({ atWork: [at(1)] }))).toEqual({ kind: "wait" });
    expect(decide(running(alone), beside({}))).toEqual(act("attempt", "t1"));
  });

  it("an agent has no more of them than it may; another takes over, or they wait", () => {
    const most = { parallelOf: { claude: 1 }, atWork: [at(1)] };
    expect(decide(running(THREE), beside(most))).toEqual({ kind: "wait" });
    const two = { ...beside(most), agentsFor: () => ["claude", "codex"] };
    expect(decide(running(THREE), two)).toMatchObject({ act: { agent: "codex", lane: 2 } });
  });

  it("an act of the manifest is done beside them", () => {
    const own = [intent("t1", { after: [], run: "make notes" })];
    expect(decide(running(own), beside({ atWork: [at(1)] }))).toEqual(act("logistics", "t1"));
  });
});
