import { describe, expect, it } from "vitest";
import {
  T1,
  FREE,
  started,
  ended,
  passed,
  failed,
  completed,
  request,
  granted,
  denied,
  asked,
  answered,
  gate,
  statusOf,
  refusal,
  work,
  retried,
  fiveQuestions,
} from "../../../test/support/events.ts";
import {
  BY_STINT,
  OTHER_DIGEST,
  after,
  intent,
  minute,
  running,
} from "../../../test/support/machine.ts";
import type { ProjectEvent } from "../events.ts";
import { numberedApprovalId, numberedQuestionId } from "../ids.ts";

describe("approvals and questions", () => {
  it("waits for a person only when nothing else is eligible", () => {
    const gated = intent("gated", { after: [], approve: "before" });
    const state = after(running([gated, FREE]), request("task-before", "gated"));
    expect(refusal(state, gate)).toContain("a task is eligible");
    const waiting = after(state, ...work("free", 1), gate);
    expect(waiting.status).toBe("AwaitingApproval");
    const back = after(waiting, granted(1));
    expect([back.status, statusOf(back, "gated")]).toEqual(["Running", "pending"]);
    expect(after(back, ...work("gated", 2), completed()).status).toBe("Done");
  });

  it("takes one yes to a command for every task that asks about the same one", () => {
    const free = (id: string) => intent(id, { after: [] });
    const both = after(
      running([free("one"), free("two"), free("three")]),
      request("command", "one"),
    );
    const state = after(both, request("command", "two"), request("destructive", "three"));
    const back = after(state, granted(1));
    expect(back.approval_items.map(({ id, status }) => `${id} ${status}`)).toEqual([
      "a1 granted",
      "a2 granted",
      "a3 open",
    ]);
    expect([statusOf(back, "one"), statusOf(back, "two")]).toEqual(["pending", "pending"]);
    expect(back.tasks.map(({ grants }) => grants?.length ?? 0)).toEqual([1, 1, 0]);
  });

  describe("a yes to starts, given ahead", () => {
    const first = intent("first", { after: [], approve: "before" });
    const second = intent("second", { after: [], approve: "before" });
    const asks = (id: string, kind: "task-before" | "task-after" = "task-before") => {
      const event = request(kind, id);
      if (event.kind !== "approval-requested") throw new Error("no request");
      return event.approval;
    };
    const ahead = (...gates: ReturnType<typeof asks>[]): ProjectEvent => ({
      kind: "gates-approved",
      at: minute(5),
      by: "ada",
      channel: "cli",
      gates,
    });

    it("is recorded as asked and answered, and the tasks start without a question", () => {
      const state = after(running([first, second]), ahead(asks("first"), asks("second")));
      expect(state.approval_items.map(({ id, status }) => [id, status])).toEqual([
        ["a1", "granted"],
        ["a2", "granted"],
      ]);
      expect(state.counters.approvals).toBe(2);
      expect(after(state, ...work("first", 1), ...work("second", 2)).tasks).toMatchObject([
        { status: "done" },
        { status: "done" },
      ]);
    });

    it("answers what is asked already, and lets that task go on", () => {
      const waiting = after(running([first]), request("task-before", "first"), gate);
      const back = after(waiting, ahead(asks("first")));
      expect([back.status, statusOf(back, "first")]).toEqual(["Running", "pending"]);
      expect(back.approval_items).toMatchObject([{ id: "a1", status: "granted", by: "ada" }]);
    });

    it("covers no output, no task that is done, and nothing at all", () => {
      const done = after(running([FREE, first]), ...work("free", 1));
      expect(refusal(done, ahead(asks("first", "task-after")))).toContain("only the start");
      expect(refusal(done, ahead(asks("free")))).toContain("needs no yes because it is done");
      expect(refusal(done, ahead(asks("nobody")))).toContain("without its task");
      expect(refusal(done, ahead())).toContain("No gate was named");
      expect(refusal(done, { ...ahead(asks("first")), ...BY_STINT })).toContain("person");
    });
  });

  it("refuses to start a task that needs approval first", () => {
    const gated = intent("gated", { approve: "before" });
    expect(refusal(running([gated]), started("gated", 1))).toContain(
      "a person has not approved its start",
    );
  });

  it("holds a task for its review and validates it again once it is granted", () => {
    const reviewed = intent("reviewed", { checks: [{ kind: "review" }] });
    const validating = after(running([reviewed]), started("reviewed", 1), ended("reviewed", 1));
    expect(refusal(validating, passed("reviewed", 1))).toContain("has not approved its output");
    const waiting = after(validating, request("task-after", "reviewed"));
    expect([waiting.status, statusOf(waiting, "reviewed")]).toEqual([
      "AwaitingApproval",
      "awaiting_approval",
    ]);
    const back = after(waiting, granted(1));
    expect([back.status, back.current_task_id]).toEqual(["Validating", "reviewed"]);
    expect(statusOf(after(back, passed("reviewed", 1)), "reviewed")).toBe("done");
  });

  it("is Blocked when a person says no, and a retry asks again", () => {
    const gated = intent("gated", { approve: "before" });
    const waiting = after(running([gated]), request("task-before", "gated"), gate);
    const blocked = after(waiting, denied(1));
    expect([blocked.status, statusOf(blocked, "gated")]).toEqual(["Blocked", "blocked"]);
    expect(refusal(after(blocked, retried("gated")), started("gated", 1))).toContain(
      "has not approved its start",
    );
  });

  it("binds an answer to what was shown, and to its time", () => {
    const open = after(running([T1]), request("release", "t1"));
    expect(refusal(open, granted(1, OTHER_DIGEST))).toContain("is not the one that was shown");
    expect(refusal(after(open, granted(1)), granted(1))).toContain("There is no open approval a1.");
  });

  it("takes no yes after its time; what expired unanswered is asked again", () => {
    const gated = intent("gated", { approve: "before" });
    const asking = request("task-before", "gated", minute(10));
    const waiting = after(running([gated]), asking, gate);
    expect(refusal(waiting, { ...granted(1), at: minute(11) })).toContain("it expired at");
    const expiry = { kind: "approval-expired", approval_id: numberedApprovalId(1) } as const;
    expect(refusal(waiting, { ...expiry, ...BY_STINT })).toContain("has not expired");
    const back = after(waiting, { ...expiry, by: "stint", at: minute(11) });
    expect([back.status, statusOf(back, "gated")]).toEqual(["Running", "pending"]);
    expect(after(back, asking, gate).status).toBe("AwaitingApproval");
  });

  it("voids a yes to an output that then fails its checks", () => {
    const reviewed = intent("reviewed", { approve: "after" });
    const state = after(
      running([reviewed]),
      started("reviewed", 1),
      ended("reviewed", 1),
      request("task-after", "reviewed"),
      granted(1),
      failed("reviewed", 1),
      started("reviewed", 2),
      ended("reviewed", 2),
    );
    expect(refusal(state, passed("reviewed", 2))).toContain("has not approved its output");
  });

  it("S1-23 takes five questions from a session and is Blocked by the sixth", () => {
    const state = after(running([T1]), started("t1", 1), ...fiveQuestions(1));
    expect([state.status, state.counters.session_questions]).toEqual(["Running", 5]);
    const sixth = after(state, asked("Which 6?", 1));
    expect([sixth.status, sixth.blockers[0]?.kind]).toEqual(["Blocked", "question-limit"]);
  });

  it("waits no longer for a question that is withdrawn", () => {
    const free = after(running([T1]), ...work("t1", 1), asked("Which one?"), gate);
    const withdrawn = {
      kind: "question-withdrawn",
      ...BY_STINT,
      question_id: numberedQuestionId(1),
      reason: "it is over",
    } as const;
    const back = after(free, withdrawn);
    expect([back.status, back.questions[0]?.status]).toEqual(["Running", "withdrawn"]);
    expect(refusal(back, withdrawn)).toContain("There is no open question q1.");
  });

  it("S1-23 counts the questions of each session on its own", () => {
    const first = [started("t1", 1), ...fiveQuestions(1), ended("t1", 1), failed("t1", 1)];
    const state = after(running([T1]), ...first, started("t1", 2), ...fiveQuestions(2));
    expect([state.status, state.counters.questions]).toEqual(["Running", 10]);
  });

  it("S1-23 is Blocked by the fifth session in a row on a task that ended with a question", () => {
    let state = running([T1]);
    for (let n = 1; n <= 5; n += 1) {
      expect(state.status).toBe("Running");
      state = after(
        state,
        started("t1", n),
        asked(`Which ${n}?`, n, "t1"),
        ended("t1", n),
        failed("t1", n, { excuse: "question", signature: "same" }),
      );
      if (n < 5) state = after(state, gate, answered(n));
    }
    expect([state.status, state.blockers[0]?.kind]).toEqual(["Blocked", "question-limit"]);
  });

  it("is ended by the sixth together with what it wrote into the manifest", () => {
    const begun = after(running([T1]), started("t1", 1));
    const state = after(begun, ...fiveQuestions(1));
    const sixth = after(state, { ...asked("Which 6?", 1), manifest_digest: OTHER_DIGEST });
    expect(sixth.manifest).toMatchObject({ digest: OTHER_DIGEST });
  });

  it("keeps every answer that an unfinished task was given, however many others follow", () => {
    const tasks = Array.from({ length: 25 }, (_, n) => intent(`t${n + 1}`, { after: [] }));
    const all = tasks.map(({ id }, n) => asked(`Which ${n}?`, undefined, id));
    const state = after(running(tasks), ...all, ...all.map((_, n) => answered(n + 1)));
    expect(state.questions).toHaveLength(25);
  });

  it("keeps only the last closed items in state", () => {
    const many = Array.from({ length: 30 }, (_, n) => [asked(`Which ${n}?`), answered(n + 1)]);
    const state = after(running([T1]), ...many.flat());
    expect(state.questions.map(({ id }) => id)[0]).toBe("q11");
    expect([state.questions.length, state.counters.questions]).toEqual([20, 30]);
  });
});
