import { describe, expect, it } from "vitest";
import { work } from "../../../test/support/events.ts";
import { after, BY_ADA, draft, intent, running, taskId } from "../../../test/support/machine.ts";
import type { AgentId } from "../ids.ts";
import type { Check, Task } from "../schema/task.ts";
import { doneWords, standingOf } from "./task-standing.ts";

const CHECKS: Check[] = [{ kind: "command", command: "npm test" }];
const REVIEW: Check = { kind: "review" };
const AGENT: Check = { kind: "agent-review", agent: "codex" as AgentId, question: "Right?" };

function done(more: Partial<Task> = {}): Task {
  const state = after(running([intent("t1", { checks: CHECKS })]), ...work("t1", 1));
  return { ...state.tasks[0], ...more } as Task;
}

describe("what a done rests on", () => {
  it.each<[string, Task, string]>([
    ["checks", done(), "checked"],
    ["checks with a label", done({ labels: ["own-tests"] }), "weak"],
    ["an act without a check", done({ run: "make", checks: [] }), "by-exit-code"],
    ["an act with a check", done({ run: "make" }), "checked"],
    ["a person's review alone", done({ checks: [REVIEW] }), "approved"],
    ["an act with a person's review alone", done({ run: "make", checks: [REVIEW] }), "approved"],
    ["a person's review, and a check", done({ checks: [REVIEW, ...CHECKS] }), "checked"],
    ["an agent's review alone", done({ checks: [AGENT] }), "by-agent"],
    ["the reviews of a person and an agent", done({ checks: [AGENT, REVIEW] }), "approved"],
    ["an agent's review, and a check", done({ checks: [AGENT, ...CHECKS] }), "checked"],
    [
      "a box that was checked",
      draft([intent("t1")], { checked: ["t1"] }).tasks[0] as Task,
      "marked",
    ],
    ["nothing yet", draft([intent("t1")]).tasks[0] as Task, "open"],
  ])("%s", (_, task, expected) => {
    expect(standingOf(task)).toBe(expected);
  });

  it("a person's word beside checks is no mark", () => {
    const evidence = [
      { kind: "diff", tree: "x" },
      { kind: "person", who: "ada" },
    ] as const;
    expect(standingOf(done({ evidence } as unknown as Partial<Task>))).toBe("checked");
  });

  it("what was skipped is named with its reason", () => {
    const state = after(
      running([intent("t1"), intent("t2")]),
      { kind: "task-skipped", ...BY_ADA, task_id: taskId("t2"), reason: "nobody wants it" },
      ...work("t1", 1),
    );
    expect(doneWords(state.tasks)).toBe(
      "every task is done except skipped ones: t2 (nobody wants it)",
    );
    expect(standingOf(state.tasks[1] as Task)).toBe("skipped");
    expect(doneWords([done()])).toBe("every task is done");
  });
});
