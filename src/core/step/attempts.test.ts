import { describe, expect, it } from "vitest";
import {
  T1,
  T2,
  FREE,
  started,
  ended,
  passed,
  failed,
  statusOf,
  refusal,
  work,
  failures,
  interrupted,
  retried,
} from "../../../test/support/events.ts";
import type { ProjectEvent } from "../events.ts";
import { BY_STINT, DIGEST, OTHER_DIGEST, after, running } from "../../../test/support/machine.ts";

describe("attempts", () => {
  it("ends as done or as pending, as its checks say", () => {
    const validating = after(running([T1]), started("t1", 1), ended("t1", 1));
    expect(statusOf(after(validating, passed("t1", 1)), "t1")).toBe("done");
    expect(statusOf(after(validating, failed("t1", 1)), "t1")).toBe("pending");
  });

  it("bounds them: the last failed one blocks the task, and the project when nothing else is left", () => {
    const twice = after(
      running([T1], { attempts: 2 }),
      started("t1", 1),
      ended("t1", 1),
      failed("t1", 1),
      started("t1", 2),
      ended("t1", 2),
    );
    const blocked = after(twice, failed("t1", 2));
    expect([blocked.status, statusOf(blocked, "t1")]).toEqual(["Blocked", "blocked"]);
    expect(blocked.blockers[0]).toMatchObject({ kind: "attempts-exhausted", task_id: "t1" });
    const again = after(blocked, retried("t1"));
    expect(again.status).toBe("Running");
    expect(again.tasks[0]).toMatchObject({ status: "pending", attempts: 2, extra_attempts: 1 });
  });

  it("goes on with independent tasks when one is blocked", () => {
    const state = after(
      running([T1, FREE], { attempts: 1 }),
      started("t1", 1),
      ended("t1", 1),
      failed("t1", 1),
    );
    expect([state.status, statusOf(state, "t1")]).toEqual(["Running", "blocked"]);
    expect(refusal(state, { kind: "blocked", ...BY_STINT })).toContain("while others are eligible");
    const worked = after(state, ...work("free", 2));
    expect(after(worked, { kind: "blocked", ...BY_STINT }).status).toBe("Blocked");
  });

  it("counts an interrupted attempt and never uncounts it", () => {
    const state = after(running([T1]), started("t1", 1), interrupted("t1", 1));
    expect(state.tasks[0]).toMatchObject({ status: "pending", attempts: 1 });
    expect(state.counters).toMatchObject({ sessions: 1, attempts: 1 });
  });

  it("does not let a usage limit use up the attempts of a task", () => {
    let state = running([T1], { attempts: 1 });
    for (let n = 1; n <= 4; n += 1) {
      const limited = failed("t1", n, { excuse: "usage-limit" });
      state = after(state, started("t1", n), ended("t1", n), limited);
    }
    expect(state.tasks[0]).toMatchObject({ status: "pending", attempts: 4, extra_attempts: 4 });
  });

  it("does not let excused sessions trip a breaker later", () => {
    const excusedThrice = [1, 2, 3].flatMap((n) => [
      started("t1", n),
      ended("t1", n, "none"),
      failed("t1", n, { excuse: "provider", signature: "same" }),
    ]);
    const last = [started("t1", 4), ended("t1", 4, "none"), failed("t1", 4, { signature: "same" })];
    expect(after(running([T1]), ...excusedThrice, ...last).status).toBe("Running");
  });

  it("refuses checks of another attempt", () => {
    const validating = after(running([T1]), started("t1", 1), ended("t1", 1));
    expect(refusal(validating, passed("t1", 2))).toContain("Checks of attempt 2");
  });

  it("refuses a second task while one is in progress, and a session out of turn", () => {
    const state = after(running([T1, FREE]), started("t1", 1));
    expect(refusal(state, started("free", 2))).toContain("task t1 is in progress");
    expect(refusal(running([T1]), started("t1", 5))).toContain("the next session is 1");
    expect(refusal(running([T1, T2]), started("t2", 1))).toContain(
      "cannot be started because it waits for t1.",
    );
  });

  it("lets the next task of a batch use the same session", () => {
    const state = after(running([T1, T2]), ...work("t1", 1), ...work("t2", 1));
    expect(state.counters).toMatchObject({ sessions: 1, attempts: 2 });
  });

  it("S3-25 blocks after two sessions in a row that only planned", () => {
    const state = after(
      running([T1]),
      started("t1", 1),
      ended("t1", 1, "planning-only"),
      failed("t1", 1),
      started("t1", 2),
      ended("t1", 2, "planning-only"),
      failed("t1", 2),
    );
    expect(state.status).toBe("Blocked");
    expect(state.blockers[0]).toMatchObject({
      kind: "breaker",
      reason:
        'Work on task t1 "Do t1" was stopped: 2 sessions in a row only planned: they changed documents and nothing else.',
      unblock:
        "if documents are the task, write docs-only below it in the manifest; then: stint resume --retry",
    });
  });

  it("S3-25 counts a check that turned green as progress, whatever was changed", () => {
    const state = after(
      running([T1]),
      started("t1", 1),
      ended("t1", 1, "planning-only"),
      failed("t1", 1),
      started("t1", 2),
      ended("t1", 2, "planning-only"),
      failed("t1", 2, { progressed: true }),
    );
    expect([state.status, state.counters.planning_only]).toEqual(["Running", 0]);
  });

  it("blocks after three sessions without progress, or three times the same failure", () => {
    const idle = after(running([T1], { attempts: 9 }), ...failures(3, "none"));
    expect(idle.blockers[0]?.reason).toContain("3 sessions in a row changed nothing");
    const ignored = after(running([T1], { attempts: 9 }), ...failures(3, "none", "ignored a.o"));
    expect(ignored.blockers[0]?.reason).toContain(
      "3 sessions in a row changed only files that git ignores.",
    );
    const same = after(running([T1], { attempts: 9 }), ...failures(3, "made", "same"));
    expect(same.blockers[0]?.reason).toContain("the same failure came 3 times in a row");
    expect(after(running([T1], { attempts: 9 }), ...failures(3, "made")).status).toBe("Running");
  });

  it("says that its checks pass already without a change, and what helps: a retry alone does not", () => {
    const idle = (attempts: number) =>
      after(
        running([T1], { attempts }),
        ...failures(Math.min(3, attempts), "none", "passes-unchanged"),
      );
    const unblock =
      'check its box in the manifest, or give it a check that fails today, or: stint skip t1 --reason "…"; then: stint resume --retry';
    expect(idle(9).blockers[0]).toMatchObject({
      kind: "breaker",
      reason:
        'Work on task t1 "Do t1" was stopped: 3 sessions in a row changed nothing. Its checks pass already, without a change.',
      unblock,
    });
    expect(idle(1).blockers[0]).toMatchObject({ kind: "attempts-exhausted", unblock });
  });

  it.each([
    ["only-docs", "if documents are the task, write docs-only below it in the manifest"],
    [
      "ignored dist/app.js",
      "if the ignored files are the task, write ignored: ok below it in the manifest",
    ],
  ])("names the setting that helps after %s, however the task was blocked", (signature, way) => {
    const unblock = `${way}; then: stint resume --retry`;
    for (const attempts of [1, 9]) {
      const state = after(
        running([T1], { attempts }),
        ...failures(Math.min(3, attempts), "made", signature),
      );
      expect(state.blockers[0]).toMatchObject({ unblock });
    }
  });

  it("keeps how its last session ended until one finishes, and says it where the task is blocked", () => {
    const crash = (session: number): ProjectEvent => {
      const told = { session, words: "crashed (exit 3): no API", log: `logs/${session}` };
      return { ...ended("t1", session, "none"), ended: told } as ProjectEvent;
    };
    const once = after(running([T1]), started("t1", 1), crash(1), failed("t1", 1));
    expect(once.tasks[0]?.last_end).toEqual({
      session: 1,
      words: "crashed (exit 3): no API",
      log: "logs/1",
      at: BY_STINT.at,
    });
    const finished = after(once, started("t1", 2), ended("t1", 2));
    expect(finished.tasks[0]?.last_end).toBeUndefined();
    const twice = after(once, started("t1", 2), crash(2), failed("t1", 2));
    const blocked = after(twice, started("t1", 3), crash(3), failed("t1", 3));
    expect(blocked.blockers[0]?.reason).toMatch(
      / was stopped because its agent failed: 3 sessions in a row made no progress; session 3 crashed \(exit 3\): no API\.$/,
    );
    const refused = { ...interrupted("t1", 1), ended: { session: 1, words: "was killed" } };
    const cut = after(running([T1]), started("t1", 1), refused);
    expect(cut.tasks[0]?.last_end).toMatchObject({ session: 1, words: "was killed" });
  });

  it("S3-3 keeps what was seen of the person's file apart from what a session added", () => {
    const begun = after(running([T1]), started("t1", 1));
    const noted = after(begun, { ...ended("t1", 1), manifest_digest: OTHER_DIGEST });
    expect(noted.manifest).toEqual({ path: "prompt.md", digest: OTHER_DIGEST, seen: DIGEST });
    const read = { kind: "manifest-read", ...BY_STINT, manifest_seen: OTHER_DIGEST } as const;
    expect(after(noted, read).manifest).toEqual({ path: "prompt.md", digest: OTHER_DIGEST });
  });

  it("refuses a new session when a budget is used up", () => {
    const state = after(running([T1]), {
      kind: "spending-recorded",
      ...BY_STINT,
      wall_ms: 24 * 60 * 60 * 1000,
      tokens: null,
      cost_usd: null,
    });
    expect(refusal(state, started("t1", 1))).toContain("the 24 h of running are used");
  });
});
