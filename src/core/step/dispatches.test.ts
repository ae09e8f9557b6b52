import { describe, expect, it } from "vitest";
import {
  T1,
  passed,
  dispatched,
  returned,
  statusOf,
  refusal,
} from "../../../test/support/events.ts";
import { BY_STINT, after, minute, running } from "../../../test/support/machine.ts";
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
    expect(refusal(waiting, { ...early, ...BY_STINT })).toContain("before its checkpoint");
    const late = after(waiting, { ...early, by: "stint", at: minute(31) });
    expect([late.status, statusOf(late, "t1")]).toEqual(["Running", "pending"]);
    expect(late.tasks[0]?.attempts).toBe(1);
  });
});
