import { describe, expect, it } from "vitest";
import {
  T1,
  T2,
  FREE,
  planApproved,
  workStarted,
  started,
  ended,
  passed,
  completed,
  request,
  denied,
  asked,
  dispatched,
  statusOf,
  refusal,
  work,
} from "../../../test/support/events.ts";
import {
  BY_ADA,
  BY_STINT,
  CHECK_EVIDENCE,
  after,
  draft,
  running,
  taskId,
} from "../../../test/support/machine.ts";
import type { ProjectEvent } from "../events.ts";
import type { Proof, ProjectState } from "../schema/project.ts";
import { step } from "./step.ts";

describe("from plan to Done", () => {
  it("S3-15 goes Draft → Ready → Running → Validating → Running → Done", () => {
    const events = [planApproved(), workStarted, ...work("t1", 1), completed()];
    const statuses = events.map((_, n) => after(draft([T1]), ...events.slice(0, n + 1)).status);
    expect(statuses).toEqual(["Ready", "Running", "Running", "Validating", "Running", "Done"]);
  });

  it("S1-4 S1-5 leaves unstarted tasks pending, marks one in progress first and done after", () => {
    const begun = after(running([T1, T2]), started("t1", 1));
    expect([statusOf(begun, "t1"), statusOf(begun, "t2")]).toEqual(["in_progress", "pending"]);
    const done = after(begun, ended("t1", 1), passed("t1", 1));
    expect([statusOf(done, "t1"), statusOf(done, "t2")]).toEqual(["done", "pending"]);
  });

  it("refuses a plan with lint errors, with the reason and what is legal", () => {
    expect(step(draft([T1]), planApproved(2))).toEqual({
      ok: false,
      reason: "The plan cannot be approved because the manifest has 2 lint errors.",
      legal: expect.stringMatching(/^Legal now: plan-approved, /) as string,
    });
  });

  it("refuses to start without the lease or without an eligible task", () => {
    const ready = after(draft([T1], { checked: ["t1"] }), planApproved());
    expect(refusal(ready, { kind: "work-started", ...BY_STINT, fence: 0 })).toContain(
      "the lease is not held",
    );
    expect(refusal(ready, workStarted)).toContain("no task is eligible");
    expect(after(ready, completed()).status).toBe("Done");
  });

  it("S3-22 S4-25 is not Done before every task is done with evidence", () => {
    const state = after(running([T1, T2, FREE]), ...work("t1", 1));
    expect(refusal(state, completed())).toMatch(
      /^The project cannot be Done because task t2 "Do t2" is pending, and 1 more are not done\./,
    );
  });

  it("S4-24 S4-25 is not Done with an open question, dispatch, proposal or log", () => {
    const done = after(running([T1]), ...work("t1", 1));
    expect(refusal(after(done, asked("Which?")), completed())).toContain("question is open");
    expect(refusal(after(done, request("proposal")), completed())).toContain(
      "approval or question",
    );
    expect(refusal(done, completed(false))).toContain("its resolution log is not updated");
    const blocked = after(done, request("release"), denied(1));
    expect(refusal(blocked, completed())).toContain("Not today.");
  });

  it("S4-24 refuses Done while a dispatch is out", () => {
    const done = after(running([T1]), ...work("t1", 1));
    const out = after(running([T1]), dispatched("t1"));
    const forged = { ...done, dispatches: out.dispatches } as ProjectState;
    expect(refusal(forged, completed())).toContain("a dispatch is out");
    expect(refusal(out, completed())).toContain('task t1 "Do t1" is awaiting_result');
  });

  it("completes straight out of Validating with the last checks", () => {
    const validating = after(running([T1]), started("t1", 1), ended("t1", 1));
    expect(refusal(validating, completed())).toContain("checks of task t1 are not recorded");
    const result = { passed: true, evidence: [CHECK_EVIDENCE] } as const;
    const checks = { task_id: taskId("t1"), attempt: 1, ...result };
    const end = { kind: "completed", resolution_log_updated: true } as const;
    const last: ProjectEvent = { ...end, ...BY_STINT, checks };
    const done = after(validating, last);
    expect([done.status, statusOf(done, "t1")]).toEqual(["Done", "done"]);
  });

  it("S3-33 S3-34 has a watchdog from its creation to Done or Abandoned, and again once it is reopened", () => {
    expect(draft([T1]).watchdog.installed).toBe(true);
    const watched = after(running([T1]), ...work("t1", 1));
    expect(watched.watchdog.installed).toBe(true);
    const done = after(watched, completed());
    expect(done.watchdog.installed).toBe(false);
    const again = { kind: "reopened", ...BY_ADA, reason: "More.", task_ids: [] } as const;
    expect(after(done, again).watchdog.installed).toBe(true);
    const abandoned = { kind: "abandoned", ...BY_ADA, reason: "No." } as const;
    expect(after(watched, abandoned).watchdog.installed).toBe(false);
  });

  it("reopens what is Done for the named tasks, with their attempts kept and more granted", () => {
    const done = after(running([T1]), ...work("t1", 1), completed());
    const reopened = after(done, {
      kind: "reopened",
      ...BY_ADA,
      reason: "It broke.",
      task_ids: [taskId("t1")],
    });
    expect(reopened.status).toBe("Ready");
    expect(reopened.tasks[0]).toMatchObject({ status: "pending", attempts: 1, extra_attempts: 1 });
  });

  it("refuses a person's decision that the run itself made", () => {
    const skip = { task_id: taskId("t1"), reason: "Hard." };
    expect(refusal(running([T1]), { kind: "task-skipped", ...BY_STINT, ...skip })).toContain(
      "Only a person may decide that",
    );
    expect(statusOf(after(running([T1]), { kind: "task-skipped", ...BY_ADA, ...skip }), "t1")).toBe(
      "skipped",
    );
  });
});

describe("a done that turned out not to hold", () => {
  const blocker = { kind: "unfulfillable", reason: "a hook broke it", unblock: "mend it" } as const;
  const reopened = { kind: "task-reopened", ...BY_STINT, task_id: taskId("t1"), blocker } as const;
  const committed = {
    kind: "commit-recorded",
    ...BY_STINT,
    task_id: taskId("t1"),
    commit: "abc123",
  } as const;

  it("is taken back by the run: blocked, without evidence", () => {
    const state = after(running([T1, T2]), ...work("t1", 1), reopened);
    expect(state.tasks[0]).toMatchObject({ status: "blocked", reason: "a hook broke it" });
    expect(state.tasks[0]).not.toHaveProperty("evidence");
    expect(state.blockers).toMatchObject([{ task_id: "t1", unblock: "mend it" }]);
  });

  it("takes the proof with it, as does another commit of its work", () => {
    const proof = {
      kind: "proven",
      commit: "abc123",
      at: BY_STINT.at,
      path: "p",
      sha256: "0".repeat(64),
      checks: 1,
      superseded: [],
      elsewhere: [],
    } as unknown as Proof;
    const proven = { kind: "proof-recorded", ...BY_STINT, proof } as const;
    const kindOf = (...events: ProjectEvent[]) =>
      after(running([T1, T2]), ...work("t1", 1), ...events).proof;
    expect(kindOf(committed, proven)).toEqual(proof);
    expect(kindOf(committed, proven, committed)).toEqual(proof);
    expect(kindOf(committed, proven, { ...committed, commit: "def456" })).toMatchObject({
      kind: "not-proven",
      why: "the work is in other commits since it was proven",
    });
    expect(kindOf(proven, reopened)).toMatchObject({
      kind: "not-proven",
      why: "t1 is no longer done",
    });
  });

  it("is not taken back once its commit is recorded, nor before it is done", () => {
    const done = after(running([T1]), ...work("t1", 1), committed);
    expect(refusal(done, reopened)).toContain(
      'The task t1 "Do t1" cannot be reopened by the run because it is committed.',
    );
    expect(refusal(running([T1]), reopened)).toContain("because it is pending.");
  });

  it("is said to be in another commit where that changes, and to have none without git", () => {
    const done = after(running([T1]), ...work("t1", 1));
    const said = (state: ProjectState, commit: string): string => {
      const result = step(state, { ...committed, commit });
      return result.ok ? result.summary : "refused";
    };
    expect(said(done, "abc123")).toBe('committed task t1 "Do t1" as abc123');
    expect(said(after(done, committed), "def456")).toBe('task t1 "Do t1" is in commit def456 now');
    expect(said(done, "none")).toBe('recorded task t1 "Do t1" without a commit');
  });

  it("is taken back with its commit, and with no other", () => {
    const done = after(running([T1]), ...work("t1", 1), committed);
    expect(statusOf(after(done, { ...reopened, commit: "abc123" }), "t1")).toBe("blocked");
    expect(refusal(done, { ...reopened, commit: "other" })).toContain("because it is committed.");
  });
});
