import { describe, expect, it } from "vitest";
import { adopted, refusal, started, T1, T2, work } from "../../../test/support/events.ts";
import { after, BY_STINT, intent, must, running, taskId } from "../../../test/support/machine.ts";
import type { TaskId } from "../ids.ts";
import { eligibleTasks } from "../eligibility.ts";
import type { EventOf } from "../events.ts";
import type { ProjectState } from "../schema/project.ts";
import { doneByChunks } from "./chunks.ts";

function split(task: string, ...ids: readonly string[]): EventOf<"task-split"> {
  const [first, ...more] = ids.map((id) => intent(id));
  const chunks = [must(first), ...more] as const;
  return {
    kind: "task-split",
    ...BY_STINT,
    task_id: taskId(task),
    reason: "too large",
    chunks: [...chunks],
  };
}

const list = (state: ProjectState) => state.tasks.map(({ id, status }) => `${id} ${status}`);
const next = (state: ProjectState) => eligibleTasks(state).map(({ id }) => id);
const task = (state: ProjectState, id: string) => must(state.tasks.find((each) => each.id === id));

describe("S2-13 S3-19 a task that is split", () => {
  it("is done after its chunks, which are done one after another, before what follows", () => {
    let state = after(running([T1, T2]), split("t1", "t3", "t4"));
    expect(list(state)).toEqual(["t3 pending", "t4 pending", "t1 pending", "t2 pending"]);
    const order: string[] = [];
    for (let session = 1; next(state).length > 0; session += 1) {
      expect(next(state)).toHaveLength(1);
      const [id] = next(state);
      order.push(must(id));
      state = after(state, ...work(must(id), session));
    }
    expect(order).toEqual(["t3", "t4", "t1", "t2"]);
    expect(doneByChunks(state.tasks, task(state, "t1"))).toEqual(["t3", "t4"]);
    expect(doneByChunks(state.tasks, task(state, "t2"))).toEqual([]);
  });

  it("carries the labels of its chunks", () => {
    const begun = after(running([T1]), split("t1", "t2"), ...work("t2", 1));
    const tasks = begun.tasks.map((each) =>
      each.id === "t2" ? { ...each, labels: ["weakly-verified" as const] } : each,
    );
    const evidence = [{ kind: "chunks" as const, tasks: [taskId("t2")] as [TaskId] }] as const;
    const verified = {
      kind: "output-verified",
      ...BY_STINT,
      task_id: taskId("t1"),
      evidence,
    } as const;
    const done = after({ ...begun, tasks }, { ...verified, evidence: [...evidence] });
    expect(task(done, "t1").labels).toEqual(["weakly-verified"]);
  });

  it("keeps its own dependencies, and so do its chunks", () => {
    const one = intent("t1", { after: [] });
    const two = intent("t2", { after: [taskId("t1")] });
    const state = after(running([one, two, intent("t5", { after: [] })]), split("t1", "t6", "t7"));
    expect(next(state)).toEqual(["t6", "t5"]);
    expect(state.tasks.map(({ id, after: needs }) => [id, needs])).toEqual([
      ["t6", []],
      ["t7", ["t6"]],
      ["t1", ["t7"]],
      ["t2", ["t1"]],
      ["t5", []],
    ]);
  });

  it("keeps its chunks whatever a person writes, and loses them with its line", () => {
    const begun = after(running([T1, T2]), split("t1", "t3", "t4"), ...work("t3", 1));
    const reworded = after(
      begun,
      adopted({ intent: T2 }, { intent: { ...T1, title: "Other words" } }),
    );
    expect(list(reworded)).toEqual(["t2 pending", "t3 done", "t4 pending", "t1 pending"]);
    const gone = after(begun, adopted({ intent: T2 }));
    expect(list(gone)).toEqual(["t2 pending", "t3 superseded", "t4 superseded", "t1 superseded"]);
    const back = after(gone, adopted({ intent: T1 }, { intent: T2 }));
    expect(list(back)).toEqual(["t3 done", "t4 pending", "t1 pending", "t2 pending"]);
  });

  it("is split once, where it is its turn, with fresh ids and at most three levels", () => {
    const state = after(running([T1, T2]), split("t1", "t3"));
    expect(refusal(state, split("t1", "t4"))).toContain("it is not its turn");
    expect(refusal(state, split("t2", "t4"))).toContain("it is not its turn");
    expect(refusal(state, split("t3", "t9"))).toContain("t9 is not the next free id");
    expect(refusal(after(running([T1]), started("t1", 1)), split("t1", "t3"))).toContain(
      "not its turn",
    );
    const twice = after(state, split("t3", "t4"));
    expect(refusal(twice, split("t4", "t5"))).toContain("too deep in the tree");
    const done = after(state, ...work("t3", 1));
    expect(refusal(done, split("t1", "t4"))).toContain("it was split already, or is too deep");
  });
});
