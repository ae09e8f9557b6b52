import { describe, expect, it } from "vitest";
import {
  BY_STINT,
  RUN_ID,
  after,
  draft,
  intent,
  minute,
  running,
  taskId,
} from "../../test/support/machine.ts";
import { derivedFields } from "./project-state.ts";
import { projectState } from "./schema/project.ts";

describe("derived fields", () => {
  it("S4-5 tell the current step, the retries and the sessions of a running project", () => {
    const state = after(running([intent("t1")]), {
      kind: "attempt-started",
      ...BY_STINT,
      task_id: taskId("t1"),
      session: 1,
      run_id: RUN_ID,
    });
    expect(derivedFields(state)).toEqual({
      round_status: "running",
      phase: "execute",
      current_step: "t1 Do t1",
      completed_work: { total: 0, last: [] },
      blocked_reason: null,
      awaiting_approval: { total: 0, last: [] },
      retry_count: 0,
      max_retries: 2,
      interrupted: false,
      active_loop: true,
      sessions: { total: 1 },
    });
  });

  it("hold the 20 tasks completed last, in order of time, and a total", () => {
    const intents = Array.from({ length: 50 }, (_, n) => intent(`t${n + 1}`));
    const state = draft(intents, { checked: intents.map(({ id }) => id) });
    const shuffled = state.tasks.map((task, n) =>
      task.status === "done" ? { ...task, done_at: minute((n * 7) % 50) } : task,
    );
    const { total, last } = derivedFields({ ...state, tasks: shuffled }).completed_work;
    expect(total).toBe(50);
    expect(last.map(({ done_at }) => done_at)).toEqual(
      Array.from({ length: 20 }, (_, n) => minute(30 + n)),
    );
  });

  it("say that a pause interrupted an attempt, and what waits for a person", () => {
    const state = after(
      running([intent("t1")]),
      {
        kind: "attempt-started",
        ...BY_STINT,
        task_id: taskId("t1"),
        session: 1,
        run_id: RUN_ID,
      },
      { kind: "question-asked", ...BY_STINT, question: { text: "Which?" } },
      { kind: "paused", ...BY_STINT, pause: { kind: "signal", reason: "SIGTERM" } },
    );
    expect(derivedFields(state)).toMatchObject({
      round_status: "paused",
      interrupted: true,
      active_loop: false,
      awaiting_approval: { total: 1, last: ["q1"] },
    });
  });

  it("do not disturb the schema when they stand beside the state", () => {
    const state = draft([intent("t1")]);
    expect(projectState.safeParse({ ...state, ...derivedFields(state) }).success).toBe(true);
  });
});
