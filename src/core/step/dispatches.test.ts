import { describe, expect, it } from "vitest";
import {
  T1,
  passed,
  dispatched,
  returned,
  statusOf,
  refusal,
  sentTo,
} from "../../../test/support/events.ts";
import {
  BY_ADA,
  BY_STINT,
  after,
  intent,
  minute,
  running,
  taskId,
} from "../../../test/support/machine.ts";
import { numberedDispatchId } from "../ids.ts";

describe("dispatches", () => {
  const waiting = after(running([T1]), dispatched("t1"), { kind: "wait-began", ...BY_STINT });

  it("S4-10 S4-11 waits for a worker as a valid state and goes on with its result", () => {
    expect(waiting.status).toBe("AwaitingResult");
    expect(waiting.last_error).toBeNull();
    const back = after(waiting, returned(1));
    expect([back.status, back.current_task_id]).toEqual(["Validating", "t1"]);
    expect(statusOf(after(back, passed("t1", 1)), "t1")).toBe("done");
  });

  it("S4-24 refuses delegated work without a named owner or a coming checkpoint", () => {
    expect(refusal(running([T1]), dispatched("t1", " "))).toContain(
      'The task t1 "Do t1" cannot be delegated without a named owner.',
    );
    const late = { ...dispatched("t1"), at: minute(31) };
    expect(refusal(running([T1]), late)).toContain("without a checkpoint in the future");
  });

  it("tries again after a timeout while attempts remain", () => {
    const early = { kind: "dispatch-timed-out", dispatch_id: numberedDispatchId(1) } as const;
    expect(refusal(waiting, { ...early, by: "stint", at: minute(31) })).toContain(
      "before its deadline",
    );
    const late = after(waiting, { ...early, by: "stint", at: minute(61) });
    expect([late.status, statusOf(late, "t1")]).toEqual(["Running", "pending"]);
    expect(late.tasks[0]?.attempts).toBe(1);
  });

  it("S4-12 a look that found nothing persists when the next one is due", () => {
    const look = { kind: "checkpoint-moved", dispatch_id: numberedDispatchId(1) } as const;
    const looked = after(waiting, {
      ...look,
      by: "stint",
      at: minute(30),
      checkpoint_at: minute(40),
    });
    expect([looked.status, looked.next_checkpoint]).toEqual(["AwaitingResult", minute(40)]);
    for (const checkpoint_at of [minute(29), minute(61)]) {
      expect(refusal(waiting, { ...look, by: "stint", at: minute(30), checkpoint_at })).toContain(
        `cannot be at ${checkpoint_at}`,
      );
    }
  });

  it("a person who cancels it is not sent the same work again", () => {
    const cancel = { kind: "dispatch-cancelled", dispatch_id: numberedDispatchId(1) } as const;
    const cancelled = after(waiting, { ...cancel, ...BY_ADA, reason: "No longer needed." });
    expect([cancelled.status, statusOf(cancelled, "t1")]).toEqual(["Running", "blocked"]);
    expect(cancelled.dispatches[0]).toMatchObject({ status: "cancelled", by: "ada" });
    expect(refusal(cancelled, returned(1))).toContain("There is no dispatch d1 that is out.");
    expect(refusal(waiting, { ...cancel, ...BY_STINT, reason: "x" })).toContain("person");
  });
});

describe("sessions side by side", () => {
  const two = running([intent("t1", { after: [] }), intent("t2", { after: [] })]);
  const both = after(two, sentTo("t1", 1, 1), sentTo("t2", 2, 2));

  it("are out at once, each with a number and a lane of its own", () => {
    expect([statusOf(both, "t1"), statusOf(both, "t2")]).toEqual([
      "awaiting_result",
      "awaiting_result",
    ]);
    expect(both.counters.sessions).toBe(2);
    expect(refusal(two, sentTo("t1", 2, 1))).toContain("the next session is 1");
    expect(refusal(after(two, sentTo("t1", 1, 1)), sentTo("t2", 2, 1))).toContain(
      "d1 is at work in lane 1",
    );
  });

  it("are collected one after the other, whichever ends first", () => {
    const back = after(both, { kind: "wait-began", ...BY_STINT }, returned(2));
    expect([back.status, back.current_task_id, statusOf(back, "t2")]).toEqual([
      "Running",
      "t2",
      "in_progress",
    ]);
    expect(refusal(back, returned(1))).toContain("while another task is in progress");
  });

  it("go on when a task that ended meanwhile is blocked", () => {
    const none = { ...both, budgets: { ...both.budgets, attempts_per_task: 1 } };
    const back = after(none, returned(2), {
      kind: "attempt-interrupted",
      ...BY_STINT,
      task_id: taskId("t2"),
      attempt: 1,
      reason: "it crashed",
    });
    expect([back.status, statusOf(back, "t2"), statusOf(back, "t1")]).toEqual([
      "Running",
      "blocked",
      "awaiting_result",
    ]);
  });
});
