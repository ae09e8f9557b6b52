import { describe, expect, it } from "vitest";
import {
  BY_STINT,
  draft,
  intent,
  minute,
  taskId,
  CHECK_EVIDENCE,
  OTHER_DIGEST,
  after,
  running,
} from "../../../test/support/machine.ts";
import { violations } from "../../../test/support/invariants.ts";
import { projectState } from "../schema/project.ts";
import {
  T1,
  T2,
  FREE,
  started,
  ended,
  asked,
  gate,
  pausedBy,
  resumed,
  statusOf,
  refusal,
  work,
  adopted,
} from "../../../test/support/events.ts";

describe("an edit of a blocked task", () => {
  it("leaves the retry as what clears its blocker, and the advice to others as it is", () => {
    const advised = "write docs-only below it in the manifest; then: stint resume --retry";
    const block = (id: string) => ({
      kind: "task-blocked" as const,
      ...BY_STINT,
      task_id: taskId(id),
      blocker: { kind: "breaker" as const, reason: "only documents", unblock: advised },
    });
    const blocked = after(running([T1, FREE]), block("t1"), block("free"));
    const intents = [intent("t1", { docs_only: true }), FREE];
    const state = after(blocked, adopted(...intents.map((each) => ({ intent: each }))));
    expect(state.blockers.map(({ task_id, unblock }) => [task_id, unblock])).toEqual([
      ["t1", "stint resume --retry"],
      ["free", advised],
    ]);
  });
});

describe("a new project", () => {
  it("S1-4 is a Draft at revision 0 whose unstarted tasks are pending", () => {
    const state = draft([intent("t1"), intent("t7")]);
    expect(state).toMatchObject({ status: "Draft", revision: 0, plan: null });
    expect(state.tasks.map(({ status }) => status)).toEqual(["pending", "pending"]);
    expect(state.counters.tasks).toBe(7);
  });

  it("S0-9 takes a box that is already checked as done, marked by a person", () => {
    const state = draft([intent("t1"), intent("t2")], { checked: ["t1"] });
    expect(state.tasks[0]).toMatchObject({
      status: "done",
      evidence: [{ kind: "person", who: "a person" }],
      done_at: minute(0),
    });
  });

  it("S4-5 is whole: the schema accepts it and nothing is wrong with it", () => {
    const state = draft([intent("t1")]);
    expect(projectState.safeParse(state).success).toBe(true);
    expect(violations(state)).toEqual([]);
    expect(state.next_action).toBe("Approve the plan.");
  });

  it("is not made of tasks that share an id or follow one that does not exist", () => {
    expect(() => draft([intent("t1"), intent("t1")])).toThrow("two tasks have the id t1");
    expect(() => draft([intent("t1", { after: [taskId("t9")] })])).toThrow(
      "task t1 comes after t9",
    );
  });
});

describe("pausing and the manifest", () => {
  it("S4-11 resumes to Running and meets the same gate again", () => {
    const waiting = after(running([T1]), asked("Which?", undefined, "t1"), gate);
    const back = after(waiting, pausedBy("requested"), resumed);
    expect(back.status).toBe("Running");
    expect(refusal(back, started("t1", 1))).toContain("cannot be started because it waits for q1.");
    expect(after(back, gate).status).toBe("AwaitingApproval");
  });

  it("keeps the attempt of a task paused in its validation", () => {
    const validating = after(running([T1]), started("t1", 1), ended("t1", 1));
    const back = after(validating, pausedBy("usage-limit"), resumed);
    expect(back.tasks[0]).toMatchObject({ status: "in_progress", attempt: { number: 1 } });
    expect(back.tasks[0]?.attempts).toBe(1);
    expect(after(back, ended("t1", 1)).status).toBe("Validating");
  });

  it("keeps the task in hand and the appointment when it pauses", () => {
    const state = after(running([T1]), started("t1", 1), pausedBy("usage-limit"));
    expect([state.status, state.current_task_id]).toEqual(["Paused", "t1"]);
    expect(state.pause).toEqual({
      kind: "usage-limit",
      reason: "Enough for now.",
      resume_at: minute(60),
      paused_at: minute(1),
    });
  });

  it("S0-3 adopts a person's manifest without dropping progress", () => {
    const done = after(running([T1, T2]), ...work("t1", 1));
    const removed = after(
      done,
      adopted({ intent: FREE }, { intent: { ...T2, title: "Do it well" } }),
    );
    expect(removed.tasks.map(({ id, status }) => `${id} ${status}`)).toEqual([
      "free pending",
      "t2 pending",
      "t1 superseded",
    ]);
    const back = after(removed, adopted({ intent: T2 }, { intent: T1 }));
    expect(statusOf(back, "t1")).toBe("done");
    expect(back.tasks.find(({ id }) => id === "t1")).toMatchObject({ evidence: [CHECK_EVIDENCE] });
    expect(back.manifest.digest).toBe(OTHER_DIGEST);
    expect(refusal(done, adopted({ intent: T1 }, { intent: T1 }))).toContain(
      "two tasks have the id t1",
    );
  });

  it("S2-13 adopts how strict the limits are", () => {
    const adoption = adopted({ intent: T1 });
    const strict = after(running([T1]), { ...adoption, strict: true } as typeof adoption);
    expect(strict.scope_guardrails.strict).toBe(true);
    expect(after(strict, adoption).scope_guardrails.strict).toBe(true);
  });

  it("keeps the objects of unchanged tasks when it adopts a manifest", () => {
    const state = running([T1, T2]);
    const next = after(state, adopted({ intent: T1 }, { intent: { ...T2, title: "Other" } }));
    expect(next.tasks[0]).toBe(state.tasks[0]);
    expect(next.tasks[1]).not.toBe(state.tasks[1]);
  });

  it("reopens a task that a person unchecked, and believes a box only where there is no check", () => {
    const checked = intent("checked", {
      after: [],
      checks: [{ kind: "command", command: "true" }],
    });
    const done = after(running([T1, FREE, checked]), ...work("t1", 1));
    const marked = adopted(
      { intent: T1, marked: "reopened" },
      { intent: FREE, marked: "done" },
      { intent: checked, marked: "done" },
    );
    const next = after(done, marked);
    expect(next.tasks.map(({ status }) => status)).toEqual(["pending", "done", "pending"]);
    expect(next.tasks[1]).toMatchObject({ evidence: [{ kind: "person", who: "ada" }] });
  });
});
