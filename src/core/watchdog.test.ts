import { describe, expect, it } from "vitest";
import {
  completed,
  dispatched,
  gate,
  pausedBy,
  request,
  sentTo,
  started,
  T1,
  work,
} from "../../test/support/events.ts";
import {
  after,
  BY_ADA,
  BY_STINT,
  draft,
  intent,
  minute,
  running,
} from "../../test/support/machine.ts";
import type { ProjectEvent } from "./events.ts";
import { msOf } from "./instant.ts";
import { UNSEEN_END } from "./project-state.ts";
import type { ProjectState } from "./schema/project.ts";
import {
  GRACE_MS,
  lastEvidence,
  type Recovery,
  recoverOrEscalate,
  type WatchedFacts,
  whatIsDue,
} from "./watchdog.ts";

const NOW_MS = msOf(minute(60));
const NOTHING = { due: false, until: null };
const WAITS: ProjectEvent = { kind: "wait-began", ...BY_STINT };

function due(state: ProjectState, more: Partial<WatchedFacts> = {}) {
  const lease = "lost" as const;
  return whatIsDue({ state, lease, leaseWhy: "r-1 is dead.", answers: [], nowMs: NOW_MS, ...more });
}

const pausedUntil = (resume_at: ReturnType<typeof minute>): ProjectEvent => ({
  kind: "paused",
  ...BY_STINT,
  pause: { kind: "usage-limit", reason: "Out of tokens.", resume_at },
});
const ready = after(draft([T1]), {
  kind: "plan-approved",
  ...BY_ADA,
  digest: draft([T1]).manifest.digest,
  lint_errors: 0,
  channel: "cli",
});
const open = after(
  running([intent("t1", { approve: "before" })]),
  request("task-before", "t1"),
  gate,
);
const waiting = after(running([T1]), dispatched("t1"), WAITS);

describe("what is due", () => {
  it("is a project whose run died, whoever gave the lease back or not", () => {
    const state = after(running([T1]), started("t1", 1));
    const why = "nobody is at work: r-1 is dead.";
    expect(due(state)).toEqual({ due: true, why });
    expect(due(state, { lease: "given-back" })).toEqual({
      due: true,
      why: "nobody is at work, and nothing waits for a person",
    });
    expect(due(state, { lease: "held" })).toEqual(NOTHING);
  });

  it("S3-37 is never work that nobody has started: no draft, and no plan that was approved", () => {
    expect(due(draft([T1]))).toEqual(NOTHING);
    expect(due(ready, { lease: "given-back" })).toEqual(NOTHING);
    expect(due(ready, { lease: "never" })).toEqual(NOTHING);
    expect(due(ready)).toEqual(NOTHING);
  });

  it("is a pause that is over, a minute later: a run that waits wakes by itself", () => {
    const until = minute(59);
    const state = after(running([T1]), pausedUntil(until));
    const atMs = msOf(until) + GRACE_MS;
    const later = { due: false, until: minute(60) };
    expect(due(state, { nowMs: atMs - 1 })).toEqual(later);
    expect(due(state, { nowMs: atMs })).toEqual({
      due: true,
      why: `its pause was over at ${until}`,
    });
  });

  it("S3-37 is never what a person stopped, nor what waits for one", () => {
    expect(due(after(running([T1]), pausedBy("requested")))).toEqual(NOTHING);
    expect(due(after(running([T1]), pausedUntil(minute(2)), pausedBy("requested")))).toEqual(
      NOTHING,
    );
    expect(due(running([T1]), { answers: ["pause"] })).toEqual(NOTHING);
    expect(due(running([T1]), { answers: ["approve", "abandon"] })).toEqual(NOTHING);
    expect(open.status).toBe("AwaitingApproval");
    expect(due(open)).toEqual(NOTHING);
    const blocked = after(running([T1]), {
      kind: "blocked",
      ...BY_STINT,
      blocker: { kind: "missing-access", reason: "No key.", unblock: "get one" },
    });
    expect(due(blocked)).toEqual(NOTHING);
    expect(due(blocked, { answers: ["retry"] })).toMatchObject({ due: true });
  });

  it("is a gate that is cleared: an answer lies there, or nothing is open any more", () => {
    const why = "a person's answer waits to be applied";
    expect(due(open, { answers: ["approve"] })).toEqual({ due: true, why });
    const closed = { ...open, approval_items: [] };
    expect(due(closed)).toEqual({ due: true, why: "nothing waits for a person any more" });
  });

  it("is delegated work whose look or deadline has come, or whose worker is dead", () => {
    const [item] = waiting.dispatches;
    const [look, last] = [item?.checkpoint_at ?? minute(0), item?.deadline_at ?? minute(0)];
    expect(due(waiting, { nowMs: msOf(look) - 1 })).toMatchObject({ due: false });
    expect(due(waiting, { nowMs: msOf(look) + GRACE_MS })).toEqual({
      due: true,
      why: `a look at d1 was due at ${look}`,
    });
    expect(due(waiting, { nowMs: msOf(last) + GRACE_MS })).toEqual({
      due: true,
      why: `the deadline of d1 was ${last}`,
    });
    const lane = after(running([T1]), sentTo("t1", 1, 1), WAITS);
    expect(due(lane, { nowMs: msOf(minute(2)) })).toEqual({
      due: true,
      why: "the worker of d1 is dead: nobody is at work",
    });
  });

  it("S3-34 is nothing of a project that is over, or that nobody watches", () => {
    const done = after(running([T1]), ...work("t1", 1), completed());
    expect([done.status, due(done)]).toEqual(["Done", NOTHING]);
    const off = after(running([T1]), { kind: "watchdog-removed", ...BY_STINT });
    expect(due(off)).toEqual(NOTHING);
    expect(due(after(off, { kind: "watchdog-installed", ...BY_STINT }))).toMatchObject({
      due: true,
    });
  });
});

describe("a recovery", () => {
  const gone: Recovery = { at: minute(1), why: "", process: "gone" };
  const once = (recoveries: readonly Recovery[]) =>
    recoverOrEscalate("it is dead", recoveries, NOW_MS);

  it("is tried twice without new evidence, then a person is told", () => {
    expect(once([])).toEqual({ act: "resume", number: 1 });
    expect(once([gone])).toEqual({ act: "resume", number: 2 });
    expect(once([gone, gone])).toEqual({
      act: "escalate",
      why: "the watchdog resumed it twice without progress; it is dead",
    });
  });

  it("is left alone while it is under way, and for a minute where its process is not known", () => {
    expect(once([{ ...gone, process: "alive" }])).toEqual({ act: "wait" });
    expect(once([gone, { ...gone, process: "alive" }])).toEqual({ act: "wait" });
    const begun = (n: number) => once([{ ...gone, at: minute(n), process: "unknown" }]);
    expect(begun(60)).toEqual({ act: "wait" });
    expect(begun(59)).toEqual({ act: "resume", number: 2 });
    // The clock was set back.
    expect(begun(61)).toEqual({ act: "resume", number: 2 });
  });
});

describe("new evidence", () => {
  const line = (kind: string, more: object = {}) =>
    ({ revision: 0, type: "event", kind, by: "stint", ...more }) as Parameters<
      typeof lastEvidence
    >[0][number];
  const last = (...lines: ReturnType<typeof line>[]) =>
    lastEvidence(
      lines.map((each, index) => ({ ...each, revision: index + 1 })),
      "stint",
    );

  it("is no line that a recovery alone leaves", () => {
    const alone = [
      line("lease-taken-over", { type: "fact" }),
      line("watchdog-resumed", { type: "fact" }),
      line("resumed"),
      line("session-ended", { data: { outcome: UNSEEN_END } }),
      line("checks-recorded", { data: { result: { passed: false } } }),
      line("attempt-interrupted"),
      line("attempt-started"),
    ];
    expect(last(line("plan-approved"), ...alone)).toBe(1);
    expect(last(...alone)).toBe(0);
  });

  it.each([
    ["a session that ended", line("session-ended", { data: { outcome: "finished" } })],
    ["a check that passed", line("checks-recorded", { data: { result: { passed: true } } })],
    ["a commit", line("commit-recorded")],
    ["a look at delegated work", line("checkpoint-moved")],
    ["a limit that was met", line("paused")],
    ["a person who went on", line("resumed", { by: "ada" })],
  ])("is %s", (_, evidence) => {
    expect(last(line("plan-approved"), evidence, line("attempt-started"))).toBe(2);
  });
});
