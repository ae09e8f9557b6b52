import { describe, expect, it } from "vitest";
import {
  LivedProject,
  migrationAfterOne,
  migrationAfterTwo,
  verdict,
} from "../../test/support/lived-project.ts";
import { failures, planApproved, started, workStarted } from "../../test/support/events.ts";
import { BY_ADA, draft, intent, taskId } from "../../test/support/machine.ts";
import { PERSISTENCE_VERIFIED } from "../core/history.ts";
import { sessionReport } from "./session-report.ts";

const ID = "p-0123456789";

describe("the report of a session", () => {
  it("S1-4 S1-6 S1-7 S1-14 is exact for the first: one task done, the others pending, the id to save", () => {
    const { state, lines } = migrationAfterOne();
    expect(sessionReport({ state, lines, since: 1, verdict: verdict(true) })).toEqual({
      session: 1,
      lines: [
        "Multi-Session Orchestration: SESSION 1",
        `TaskList Created: ${ID}`,
        "[t1] database-migration: IN_PROGRESS -> COMPLETE",
        "[t2] application-migration: PENDING",
        "[t3] data-validation: PENDING",
        "",
        "SESSION 1 COMPLETE",
        `TaskList ID: ${ID} - Save this for Session 2`,
      ],
    });
  });

  it("S1-12 S1-15 is exact for the second: what was done is preserved, the rest is finished", () => {
    const { project, since } = migrationAfterTwo();
    const { state, lines } = project;
    expect(sessionReport({ state, lines, since, verdict: verdict(true) })).toEqual({
      session: 2,
      lines: [
        "Multi-Session Orchestration: SESSION 2",
        `TaskList Loaded: ${ID}`,
        "[t1] database-migration: COMPLETE (status preserved)",
        "[t2] application-migration: IN_PROGRESS -> COMPLETE",
        "[t3] data-validation: IN_PROGRESS -> COMPLETE",
        "",
        "SESSION 2 COMPLETE",
        "Cross-Session Continuation: SUCCESS",
        "Task State Persistence: VERIFIED",
      ],
    });
  });

  it("S1-20 claims no success when a criterion does not hold, and says why", () => {
    const { project, since } = migrationAfterTwo();
    const { state, lines } = project;
    const report = sessionReport({ state, lines, since, verdict: verdict(false, "t1 is lost") });
    expect(report.lines.slice(-3)).toEqual([
      "Cross-Session Continuation: FAILED",
      "Task State Persistence: NOT VERIFIED",
      "  - Status preservation: t1 is lost",
    ]);
  });

  it("S1-10 claims no success when work began before the state was verified", () => {
    const { project, since } = migrationAfterTwo();
    const lines = project.lines.map((line) =>
      line.kind === PERSISTENCE_VERIFIED ? { ...line, kind: "noted" } : line,
    );
    const report = sessionReport({ state: project.state, lines, since, verdict: verdict(true) });
    expect(report.lines.slice(-3)).toEqual([
      "Cross-Session Continuation: FAILED",
      "Task State Persistence: NOT VERIFIED",
      "  - the state was not verified before work began",
    ]);
  });

  it("names a session that did not end in order by its status, and gives the id all the same", () => {
    const tasks = [intent("t1"), intent("t2", { after: [] }), intent("t3", { after: [] })];
    const project = new LivedProject(draft(tasks)).live(
      planApproved(),
      workStarted,
      ...failures(3, "none"),
      { kind: "task-skipped", ...BY_ADA, task_id: taskId("t2"), reason: "Not now." },
      started("t3", 4),
    );
    const { state, lines } = project;
    expect(sessionReport({ state, lines, since: 1, verdict: verdict(true) }).lines).toEqual([
      "Multi-Session Orchestration: SESSION 1",
      `TaskList Created: ${ID}`,
      "[t1] t1: PENDING (blocked)",
      "[t2] t2: PENDING (skipped)",
      "[t3] t3: IN_PROGRESS",
      "",
      'SESSION 1 ENDED: Running. Finish attempt 1 of t3 "Do t3", then run its checks.',
      `TaskList ID: ${ID} - Save this for Session 2`,
    ]);
  });

  it("S1-5 says IN_PROGRESS only of a task that an attempt was started for", () => {
    const project = new LivedProject(draft([intent("t1"), intent("t2")])).live(
      planApproved(),
      workStarted,
      {
        kind: "output-verified",
        at: BY_ADA.at,
        by: "stint",
        task_id: taskId("t1"),
        evidence: [{ kind: "person", who: "ada" }],
      },
    );
    const { state, lines } = project;
    const report = sessionReport({ state, lines, since: 1, verdict: verdict(true) });
    expect(report.lines[2]).toBe("[t1] t1: PENDING -> COMPLETE");
  });
});
