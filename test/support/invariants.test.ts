// Each invariant is shown to notice the state that breaks it.
import { describe, expect, it } from "vitest";
import { draft, intent, minute, running, taskId } from "./machine.ts";
import { numberedApprovalId, numberedDispatchId } from "../../src/core/ids.ts";
import { violations } from "./invariants.ts";
import type { ProjectState } from "../../src/core/schema/project.ts";
import type { Task } from "../../src/core/schema/task.ts";

const sound = running([intent("t1"), intent("t2")]);
const [t1, t2] = sound.tasks as [Task, Task];
const attempt = { number: 1, session: 1, run_id: "r-0123456789", started_at: minute(1) };

function broken(changes: object): ProjectState {
  return { ...sound, ...changes };
}

const CASES: readonly (readonly [string, ProjectState, string])[] = [
  ["two equal ids", broken({ tasks: [t1, t1] }), "There are two tasks with the id t1."],
  [
    "a current task that is not there",
    broken({ current_task_id: taskId("t9") }),
    "The current task t9 does not exist.",
  ],
  [
    "a current task that is not being worked on",
    broken({ current_task_id: t1.id }),
    "The current task t1 is pending while the project is Running.",
  ],
  [
    "a second task in progress",
    broken({
      tasks: [t1, { ...t2, attempts: 1, status: "in_progress", attempt }],
      counters: { ...sound.counters, attempts: 1, sessions: 1 },
    }),
    "Task t2 is in_progress but is not the current task.",
  ],
  [
    "a done task without evidence",
    broken({ tasks: [{ ...t1, status: "done", evidence: [], done_at: minute(1) }, t2] }),
    "Task t1 is done without evidence.",
  ],
  [
    "a blocked task without a blocker",
    broken({ tasks: [{ ...t1, status: "blocked", reason: "No.", blocked_at: minute(1) }, t2] }),
    "Task t1 is blocked but no blocker names it.",
  ],
  [
    "a blocker of a task that is not blocked",
    broken({
      blockers: [{ kind: "push", task_id: t1.id, reason: "No.", unblock: "?", at: minute(1) }],
    }),
    "A blocker names task t1, which is not blocked.",
  ],
  [
    "a task that waits for an approval that is not open",
    broken({
      tasks: [{ ...t1, status: "awaiting_approval", approval_id: numberedApprovalId(1) }, t2],
    }),
    "Task t1 waits for a1, which is not open for it.",
  ],
  [
    "a task that waits for a dispatch that is not out",
    broken({
      tasks: [
        { ...t1, status: "awaiting_result", dispatch_id: numberedDispatchId(1), attempt },
        t2,
      ],
    }),
    "Task t1 waits for d1, which is not out for it.",
  ],
  [
    "an attempt that was never counted",
    broken({ tasks: [{ ...t1, attempts: 3 }, t2] }),
    "The counter of attempts is 0 but 3 is used.",
  ],
  [
    "a wait for a person when nothing is open",
    broken({ status: "AwaitingApproval" }),
    "The project awaits approval but nothing is open.",
  ],
  [
    "a wait while a task is eligible",
    broken({ status: "AwaitingResult" }),
    "The project is AwaitingResult although a task is eligible.",
  ],
  [
    "a wait for a result when no dispatch is out",
    broken({ status: "AwaitingResult" }),
    "The project awaits a result but no dispatch is out.",
  ],
  [
    "a Blocked project without a blocker",
    broken({ status: "Blocked" }),
    "The project is Blocked without a blocker.",
  ],
  [
    "a Done project with work left",
    broken({ status: "Done" }),
    "The project is Done but task t1 is pending.",
  ],
  [
    "work without an approved plan",
    broken({ plan: null }),
    "The project is Running without an approved plan.",
  ],
];

describe("invariants", () => {
  it("find nothing wrong with sound states", () => {
    expect(violations(sound)).toEqual([]);
    expect(violations(draft([intent("t1")]))).toEqual([]);
  });

  it.each(CASES)("notice %s", (_, state, sentence) => {
    expect(violations(state)).toContain(sentence);
  });
});
