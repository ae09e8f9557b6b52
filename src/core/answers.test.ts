import { describe, expect, it } from "vitest";
import {
  asked,
  completed,
  denied,
  dispatched,
  granted,
  request,
  T1,
  T2,
  work,
} from "../../test/support/events.ts";
import {
  after,
  DIGEST,
  draft,
  intent,
  minute,
  OTHER_DIGEST,
  RUN_ID,
  running,
  taskId,
} from "../../test/support/machine.ts";
import { type Answer, judgeAnswer, type Letter } from "./answers.ts";
import { type AnswerId, numberedApprovalId, numberedQuestionId } from "./ids.ts";
import type { ProjectState } from "./schema/project.ts";
import { step } from "./step/step.ts";

const A1 = numberedApprovalId(1);
const approve: Answer = { verb: "approve", item: A1, subject_sha256: DIGEST };
const deny: Answer = { verb: "deny", item: A1, subject_sha256: DIGEST, reason: "No." };

function letter(answer: Answer): Letter {
  return { id: "n-0000000001" as AnswerId, answer, by: "ada", channel: "cli", at: minute(5) };
}

/** What an answer comes to, in a word or two. */
function comesTo(state: ProjectState, answer: Answer): string {
  const judged = judgeAnswer(state, letter(answer));
  if (judged.kind === "event") return judged.event.kind;
  if (judged.kind === "file") return "the file decides";
  if (judged.kind === "run") return `the run, for sessions ${judged.sessions.join()}`;
  return judged.kind === "given" ? `given: ${judged.text}` : `${judged.reason} | ${judged.hint}`;
}

const open = after(running([T1, T2]), request("release", "t1"));

describe("an answer to an approval", () => {
  it("becomes the event that carries its id, author and channel", () => {
    expect(judgeAnswer(open, letter(approve))).toEqual({
      kind: "event",
      event: {
        kind: "approval-granted",
        at: minute(5),
        by: "ada",
        answer_id: "n-0000000001",
        approval_id: "a1",
        subject_sha256: DIGEST,
        channel: "cli",
      },
    });
    expect(comesTo(open, deny)).toBe("approval-denied");
  });

  it("S3-1 is bound to what was shown", () => {
    const other = { ...approve, subject_sha256: OTHER_DIGEST };
    expect(comesTo(open, other)).toContain("what you answered is not what a1 is about");
  });

  it("given twice changes nothing, and the opposite afterwards is refused", () => {
    const yes = after(open, granted(1));
    const no = after(open, denied(1));
    expect(comesTo(yes, approve)).toMatch(/^given: a1 was granted by ada/);
    const same = { ...deny, reason: "Not today." };
    expect(comesTo(no, same)).toMatch(/^given: a1 was denied by ada/);
    expect(comesTo(no, deny)).toContain(
      "for another reason: Not today. | A reason cannot be changed",
    );
    expect(comesTo(yes, deny)).toContain("a yes cannot be taken back");
    expect(comesTo(no, approve)).toContain("be asked again: stint retry t1");
  });

  it("never answers another item, and none that is not there", () => {
    const two = after(open, request("release", "t2"), granted(1));
    expect(two.approval_items.map(({ status }) => status)).toEqual(["granted", "open"]);
    const unknown = { ...approve, item: numberedApprovalId(7) };
    expect(comesTo(two, unknown)).toContain("there is no approval a7");
  });

  it("names the item that asks about what is there now", () => {
    const outdated = { kind: "approval-outdated", reason: "Changed.", approval_id: A1 } as const;
    const anew = after(open, { ...outdated, at: minute(2), by: "stint" }, request("release", "t1"));
    expect(comesTo(anew, approve)).toContain("a2 asks about what is there now");
  });
});

describe("an answer to a question", () => {
  const q1 = numberedQuestionId(1);
  const state = after(running([T1]), asked("Which?", undefined, "t1"));
  const answer = (text: string): Answer => ({ verb: "answer", question: q1, text });

  it("is quoted by its beginning where another one is refused", () => {
    const judged = judgeAnswer(state, letter(answer("x".repeat(100_000))));
    if (judged.kind !== "event") throw new Error("refused");
    expect(comesTo(after(state, judged.event), answer("Red")).length).toBeLessThan(600);
  });

  it("is recorded as it is; the same again says so, another one is refused", () => {
    const judged = judgeAnswer(state, letter(answer("  Blue,\nwith dots ")));
    if (judged.kind !== "event") throw new Error("refused");
    expect(judged.event).toMatchObject({ answer: "  Blue,\nwith dots " });
    const answered = after(state, judged.event);
    expect(comesTo(answered, answer("  Blue,\nwith dots "))).toContain(
      "given: q1 was answered with the same words",
    );
    expect(comesTo(answered, answer("Red"))).toContain("cannot be taken back");
  });
});

describe("every other answer", () => {
  const t1 = taskId("t1");

  it("given twice says so", () => {
    const skip: Answer = { verb: "skip", task: t1, reason: "No." };
    const abandon: Answer = { verb: "abandon", reason: "No." };
    const pause: Answer = { verb: "pause", now: false, reason: "Lunch." };
    for (const answer of [skip, abandon, pause]) {
      const judged = judgeAnswer(open, letter(answer));
      if (judged.kind !== "event") throw new Error(`${answer.verb} was refused`);
      const result = step(open, judged.event);
      if (!result.ok) throw new Error(result.reason);
      expect(comesTo(result.state, answer)).toMatch(/^given: /);
    }
  });

  it("a skip is taken back by a retry, and every yes to the task with it", () => {
    const skip: Answer = { verb: "skip", task: t1, reason: "No." };
    const allowed = after(running([T1, T2]), request("release", "t1"), granted(1));
    const judged = judgeAnswer(allowed, letter(skip));
    if (judged.kind !== "event") throw new Error("refused");
    const skipped = after(allowed, judged.event);
    expect(comesTo(skipped, { verb: "reopen", task: t1, reason: "x" })).toContain("stint retry t1");
    const again = judgeAnswer(skipped, letter({ verb: "retry", task: t1 }));
    if (again.kind !== "event") throw new Error("refused");
    const [task] = after(skipped, again.event).tasks;
    expect([task?.status, task?.grants]).toEqual(["pending", undefined]);
  });

  it("says what to do where it cannot be", () => {
    const done = after(running([T1, T2]), ...work("t1", 1));
    const retry: Answer = { verb: "retry", task: t1 };
    expect(comesTo(done, retry)).toContain("uncheck its box");
    expect(comesTo(draft([T1]), { verb: "pause", now: true, reason: "x" })).toContain("Draft");
    expect(comesTo(done, { verb: "reopen", task: t1, reason: "x" })).toMatch(
      /^t1 can be reopened by name only when the project is Done \| .*: uncheck its box in /,
    );
    expect(comesTo(open, { verb: "skip", task: taskId("t9"), reason: "x" })).toContain(
      "no task t9",
    );
  });

  it("a task that cannot start is not sent away, and it says what it waits for", () => {
    const send = (task: string): Answer => ({
      verb: "delegate",
      task: taskId(task),
      owner: "ada",
      returns: { kind: "message" },
      times: {},
      run_id: RUN_ID,
    });
    const checks = [{ kind: "command" as const, command: "npm test" }];
    const tasks = ["t1", "t2"].map((id) => intent(id, { checks }));
    const out = after(running(tasks), dispatched("t1"));
    expect(comesTo(out, send("t2"))).toMatch(/^t2 waits for t1 \(d1\) \| .*stint status p-/);
    expect(comesTo(draft(tasks), send("t1"))).toMatch(/^work has not started yet, .*stint run p-/);
    expect(comesTo(running(tasks), send("t1"))).toBe("dispatch-sent");
  });

  it("a project that is over takes no answer for another", () => {
    const done = after(
      running([T1]),
      request("release", "t1"),
      granted(1),
      ...work("t1", 1),
      completed(),
    );
    expect(comesTo(done, deny)).toMatch(/cannot be taken back \| .*stint reopen t1 p-/);
    expect(comesTo(done, { verb: "approve-plan", digest: OTHER_DIGEST })).toContain("the plan");
    const over = after(open, { kind: "abandoned", at: minute(3), by: "ada", reason: "No." });
    for (const answer of [approve, deny, { verb: "retry", task: taskId("t1") } as const]) {
      expect(comesTo(over, answer)).toContain("the project was abandoned");
    }
  });

  it("S2-23 a plan that is asked about is approved by its request, while that is open", () => {
    const asks = after(draft([T1]), request("plan"));
    expect(comesTo(asks, approve)).toBe("plan-approved");
    expect(comesTo(after(asks, denied(1)), approve)).toContain("a1 was denied by ada");
    const outdated = { kind: "approval-outdated", at: minute(2), by: "stint" } as const;
    const changed = after(asks, { ...outdated, approval_id: A1, reason: "it changed" });
    expect(comesTo(changed, approve)).toContain("a1 is no longer asked");
  });

  it("S2-23 a plan is approved by the digest of what was shown", () => {
    const plan = draft([T1]);
    const { digest } = plan.manifest;
    expect(comesTo(plan, { verb: "approve-plan", digest })).toBe("plan-approved");
    expect(comesTo(plan, { verb: "approve-plan", digest: OTHER_DIGEST })).toContain(
      "not the plan that is there",
    );
  });
});

describe("a yes to an output", () => {
  it("is void once the task is worked on again", () => {
    const state = after(running([T1]), request("task-after", "t1"), granted(1));
    expect(state.tasks[0]?.grants).toHaveLength(1);
    const again = step(state, {
      kind: "attempt-started",
      at: minute(9),
      by: "stint",
      task_id: t(1),
      session: 1,
      run_id: "r-0000000001" as never,
    });
    if (!again.ok) throw new Error(again.reason);
    expect(again.state.tasks[0]?.grants ?? []).toEqual([]);
  });
});

function t(n: number) {
  return taskId(`t${n}`);
}
