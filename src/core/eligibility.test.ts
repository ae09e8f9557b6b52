import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { asked, dispatched, started, work } from "../../test/support/events.ts";
import { after, draft, intent, must, running, taskId } from "../../test/support/machine.ts";
import {
  type Work,
  eligibleTasks,
  firstEligible,
  isEligible,
  whyNotEligible,
} from "./eligibility.ts";
import type { Task, TaskIntent } from "./schema/task.ts";
import { moved, superseded } from "./step/task-moves.ts";

function eligibleIds(intents: readonly TaskIntent[], checked: readonly string[] = []): string[] {
  return eligibleTasks(draft(intents, { checked })).map(({ id }) => id);
}

/** The definition, task by task, without any care for speed. */
function eligibleByDefinition({ tasks }: Work): string[] {
  const isFinished = (id: string) =>
    ["done", "skipped", "superseded"].includes(must(tasks.find((task) => task.id === id)).status);
  return tasks
    .filter((task, n) => {
      const needed = task.after ?? tasks.slice(0, n).map(({ id }) => id);
      return task.status === "pending" && needed.every(isFinished);
    })
    .map(({ id }) => id);
}

describe("eligible tasks", () => {
  it("S0-15 are the first incomplete one in document order when none says otherwise", () => {
    const plain = [intent("t1"), intent("t2"), intent("t3")];
    expect(eligibleIds(plain)).toEqual(["t1"]);
    expect(eligibleIds(plain, ["t1"])).toEqual(["t2"]);
    expect(eligibleIds(plain, ["t2"])).toEqual(["t1"]);
    expect(eligibleIds(plain, ["t1", "t2", "t3"])).toEqual([]);
  });

  it("include independent ones and those whose named dependencies are finished", () => {
    const mixed = [
      intent("t1"),
      intent("free", { after: [] }),
      intent("named", { after: [taskId("t1")] }),
    ];
    expect(eligibleIds(mixed)).toEqual(["t1", "free"]);
    expect(eligibleIds(mixed, ["t1"])).toEqual(["free", "named"]);
  });

  it("wait for a task above that is blocked, but not for one that is skipped", () => {
    const state = draft([intent("t1"), intent("t2")]);
    const [first, second] = state.tasks as [Task, Task];
    const at = state.created_at;
    const ids = (task: Task) =>
      eligibleTasks({ ...state, tasks: [task, second] }).map(({ id }) => id);
    expect(ids(moved(first, { status: "blocked", reason: "No.", blocked_at: at }))).toEqual([]);
    expect(
      ids(moved(first, { status: "skipped", by: "ada", reason: "No.", skipped_at: at })),
    ).toEqual(["t2"]);
    expect(ids(superseded(first, at))).toEqual(["t2"]);
  });

  it("are none while a blocker or an approval concerns the whole project", () => {
    const state = draft([intent("t1")]);
    const at = state.created_at;
    const blocker = { kind: "push", reason: "Rejected.", unblock: "git pull", at } as const;
    expect(eligibleTasks({ ...state, blockers: [blocker] })).toEqual([]);
    expect(isEligible(state, taskId("t1"))).toBe(true);
  });

  it("agree with the definition for any plan", () => {
    const plan = fc.array(
      fc.record({ after: fc.option(fc.array(fc.nat(7), { maxLength: 3 })), checked: fc.boolean() }),
      { minLength: 1, maxLength: 8 },
    );
    fc.assert(
      fc.property(plan, (rows) => {
        const intents = rows.map(({ after }, n) => {
          const needed = after?.map((i) => i % rows.length).filter((i) => i !== n);
          return needed === undefined
            ? intent(`t${n}`)
            : intent(`t${n}`, { after: needed.map((i) => taskId(`t${i}`)) });
        });
        const checked = rows.flatMap((row, n) => (row.checked ? [`t${n}`] : []));
        const state = draft(intents, { checked });
        expect(eligibleTasks(state).map(({ id }) => id)).toEqual(eligibleByDefinition(state));
        expect(firstEligible(state)?.id).toBe(eligibleByDefinition(state)[0]);
      }),
      { numRuns: 300, seed: 1 },
    );
  });

  it("look at each of 10,000 tasks a bounded number of times", () => {
    const count = 10_000;
    const intents = Array.from({ length: count }, (_, n) => intent(`t${n + 1}`));
    const state = draft(intents, { checked: intents.slice(0, -1).map(({ id }) => id) });
    let looks = 0;
    const tasks = state.tasks.map(
      (task) =>
        new Proxy(task, {
          get(target, field, receiver): unknown {
            looks += 1;
            return Reflect.get(target, field, receiver);
          },
        }),
    );
    expect(eligibleTasks({ ...state, tasks }).map(({ id }) => id)).toEqual([`t${count}`]);
    expect(looks).toBeLessThan(count * 12);
  });
});

describe("why a task may not start", () => {
  const plan = running([
    intent("t1", { after: [] }),
    intent("t2", { after: [] }),
    intent("t3"),
    intent("t4", { after: [taskId("t1")] }),
  ]);

  it.each<[what: string, state: Work, id: string, why: string | undefined]>([
    ["nothing is in its way", plan, "t2", undefined],
    ["tasks above it", plan, "t3", "waits for t1, t2"],
    ["a task that it names", plan, "t4", "waits for t1"],
    ["one that is out", after(plan, dispatched("t1")), "t4", "waits for t1 (d1)"],
    ["it is out itself", after(plan, dispatched("t1")), "t1", "waits for d1"],
    ["it is at work", after(plan, started("t1", 1)), "t1", "is at work"],
    ["it is done", after(plan, ...work("t1", 1)), "t1", "is done"],
    ["a question is open", after(plan, asked("Which one?", undefined, "t2")), "t2", "waits for q1"],
  ])("%s", (_, state, id, why) => {
    const task = must(state.tasks.find((each) => each.id === id));
    expect(whyNotEligible(state, task)).toBe(why);
  });
});
