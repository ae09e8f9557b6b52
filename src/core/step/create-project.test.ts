import { describe, expect, it } from "vitest";
import { draft, intent, minute, taskId } from "../../../test/support/machine.ts";
import { violations } from "../../../test/support/invariants.ts";
import { projectState } from "../schema/project.ts";

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
