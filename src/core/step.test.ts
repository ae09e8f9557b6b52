// Stories of the machine, one rule each.
import { describe, expect, it } from "vitest";
import {
  BY_ADA,
  BY_STINT,
  CHECK_EVIDENCE,
  DIGEST,
  OTHER_DIGEST,
  RUN_ID,
  after,
  draft,
  intent,
  minute,
  must,
  running,
  taskId,
} from "../../test/support/machine.ts";
import type { ApprovalRequest, Excuse, ProjectEvent } from "./events.ts";
import { numberedApprovalId, numberedDispatchId, numberedQuestionId } from "./ids.ts";
import type { Instant } from "./instant.ts";
import type { ProjectState } from "./schema/project.ts";
import { step } from "./step.ts";

const T1 = intent("t1");
const T2 = intent("t2");
const FREE = intent("free", { after: [] });

const planApproved = (lint_errors = 0): ProjectEvent => ({
  kind: "plan-approved",
  ...BY_ADA,
  digest: DIGEST,
  lint_errors,
  channel: "cli",
});
const workStarted: ProjectEvent = { kind: "work-started", ...BY_STINT, fence: 1 };
const started = (id: string, session: number, window_digest?: typeof DIGEST): ProjectEvent => ({
  kind: "attempt-started",
  ...BY_STINT,
  task_id: taskId(id),
  session,
  run_id: RUN_ID,
  ...(window_digest === undefined ? {} : { window_digest }),
});
const ended = (
  id: string,
  session: number,
  progress: "made" | "none" | "planning-only" = "made",
): ProjectEvent => ({
  kind: "session-ended",
  ...BY_STINT,
  task_id: taskId(id),
  session,
  outcome: "finished",
  progress,
});
const passed = (id: string, attempt: number): ProjectEvent => ({
  kind: "checks-recorded",
  ...BY_STINT,
  task_id: taskId(id),
  attempt,
  result: { passed: true, evidence: [CHECK_EVIDENCE] },
});
const failed = (
  id: string,
  attempt: number,
  more: { signature?: string; excuse?: Excuse } = {},
): ProjectEvent => {
  const signature = more.signature ?? `failure-${attempt}`;
  const failure = { check: "npm test", excerpt: "1 failed", signature };
  const excuse = more.excuse === undefined ? {} : { excuse: more.excuse };
  const result = { passed: false, failure, ...excuse } as const;
  return { kind: "checks-recorded", ...BY_STINT, task_id: taskId(id), attempt, result };
};
const completed = (resolution_log_updated = true): ProjectEvent => ({
  kind: "completed",
  ...BY_STINT,
  resolution_log_updated,
});
const request = (
  kind: ApprovalRequest["kind"],
  id?: string,
  expires_at?: Instant,
): ProjectEvent => ({
  kind: "approval-requested",
  ...BY_STINT,
  approval: {
    kind,
    ...(id === undefined ? {} : { task_id: taskId(id) }),
    subject: "git push",
    subject_sha256: DIGEST,
    reason: "It leaves the machine.",
    on_yes: "It is pushed.",
    on_no: "It stays here.",
    ...(expires_at === undefined ? {} : { expires_at }),
  },
});
const granted = (n: number, subject_sha256 = DIGEST): ProjectEvent => ({
  kind: "approval-granted",
  ...BY_ADA,
  approval_id: numberedApprovalId(n),
  subject_sha256,
  channel: "cli",
});
const denied = (n: number): ProjectEvent => ({
  kind: "approval-denied",
  ...BY_ADA,
  approval_id: numberedApprovalId(n),
  subject_sha256: DIGEST,
  channel: "cli",
  denial: "Not today.",
});
const asked = (text: string, session?: number, id?: string): ProjectEvent => ({
  kind: "question-asked",
  ...BY_STINT,
  question: {
    text,
    ...(session === undefined ? {} : { session }),
    ...(id === undefined ? {} : { task_id: taskId(id) }),
  },
});
const answered = (n: number): ProjectEvent => ({
  kind: "question-answered",
  ...BY_ADA,
  question_id: numberedQuestionId(n),
  answer: "The blue one.",
  channel: "cli",
});
const dispatched = (id: string, owner = "worker-1"): ProjectEvent => ({
  kind: "dispatch-sent",
  ...BY_STINT,
  run_id: RUN_ID,
  dispatch: {
    task_id: taskId(id),
    owner,
    objective: "Do it.",
    return_condition: "Tests pass.",
    checkpoint_at: minute(30),
  },
});
const returned = (n: number): ProjectEvent => ({
  kind: "result-consumed",
  ...BY_STINT,
  dispatch_id: numberedDispatchId(n),
  result: "Done.",
});
const gate: ProjectEvent = { kind: "gate-reached", ...BY_STINT };
const pausedBy = (kind: "requested" | "usage-limit"): ProjectEvent => ({
  kind: "paused",
  ...BY_STINT,
  pause: { kind, reason: "Enough for now.", resume_at: minute(60) },
});
const resumed: ProjectEvent = { kind: "resumed", ...BY_STINT, fence: 2 };

function statusOf(state: ProjectState, id: string) {
  return must(state.tasks.find((task) => task.id === id)).status;
}

function refusal(state: ProjectState, event: ProjectEvent): string {
  const before = JSON.stringify(state);
  const result = step(state, event);
  expect(JSON.stringify(state)).toBe(before);
  if (result.ok) throw new Error(`${event.kind} was not refused`);
  return result.reason;
}

function effectsOf(state: ProjectState, event: ProjectEvent) {
  const result = step(state, event);
  if (!result.ok) throw new Error(result.reason);
  return result.effects;
}

/** A task done from the start of its session to its checks. */
const work = (id: string, session: number, attempt = 1) => [
  started(id, session),
  ended(id, session),
  passed(id, attempt),
];

describe("from plan to Done", () => {
  it("S3-15 goes Draft → Ready → Running → Validating → Running → Done", () => {
    const events = [planApproved(), workStarted, ...work("t1", 1), completed()];
    const statuses = events.map((_, n) => after(draft([T1]), ...events.slice(0, n + 1)).status);
    expect(statuses).toEqual(["Ready", "Running", "Running", "Validating", "Running", "Done"]);
  });

  it("S1-4 S1-5 leaves unstarted tasks pending, marks one in progress first and done after", () => {
    const begun = after(running([T1, T2]), started("t1", 1));
    expect([statusOf(begun, "t1"), statusOf(begun, "t2")]).toEqual(["in_progress", "pending"]);
    const done = after(begun, ended("t1", 1), passed("t1", 1));
    expect([statusOf(done, "t1"), statusOf(done, "t2")]).toEqual(["done", "pending"]);
  });

  it("refuses a plan with lint errors, with the reason and what is legal", () => {
    expect(refusal(draft([T1]), planApproved(2))).toMatch(
      /^The plan cannot be approved because the manifest has 2 lint errors\. Legal now: plan-approved, /,
    );
  });

  it("refuses to start without the lease or without an eligible task", () => {
    const ready = after(draft([T1], { checked: ["t1"] }), planApproved());
    expect(refusal(ready, { kind: "work-started", ...BY_STINT, fence: 0 })).toContain(
      "the lease is not held",
    );
    expect(refusal(ready, workStarted)).toContain("no task is eligible");
    expect(after(ready, completed()).status).toBe("Done");
  });

  it("S3-22 S3-30 S4-25 is not Done before every task is done with evidence", () => {
    const state = after(running([T1, T2, FREE]), ...work("t1", 1));
    expect(refusal(state, completed())).toMatch(
      /^The project cannot be Done because task t2 "Do t2" is pending, and 1 more are not done\./,
    );
  });

  it("S4-24 S4-25 is not Done with an open question, dispatch, proposal or log", () => {
    const done = after(running([T1]), ...work("t1", 1));
    expect(refusal(after(done, asked("Which?")), completed())).toContain("question is open");
    expect(refusal(after(done, request("proposal")), completed())).toContain(
      "approval or question",
    );
    expect(refusal(done, completed(false))).toContain("its resolution log is not updated");
    const blocked = after(done, request("release"), denied(1));
    expect(refusal(blocked, completed())).toContain("Not today.");
  });

  it("S4-24 refuses Done while a dispatch is out", () => {
    const done = after(running([T1]), ...work("t1", 1));
    const out = after(running([T1]), dispatched("t1"));
    const forged = { ...done, dispatches: out.dispatches } as ProjectState;
    expect(refusal(forged, completed())).toContain("a dispatch is out");
    expect(refusal(out, completed())).toContain('task t1 "Do t1" is awaiting_result');
  });

  it("completes straight out of Validating with the last checks", () => {
    const validating = after(running([T1]), started("t1", 1), ended("t1", 1));
    expect(refusal(validating, completed())).toContain("checks of task t1 are not recorded");
    const result = { passed: true, evidence: [CHECK_EVIDENCE] } as const;
    const checks = { task_id: taskId("t1"), attempt: 1, ...result };
    const end = { kind: "completed", resolution_log_updated: true } as const;
    const last: ProjectEvent = { ...end, ...BY_STINT, checks };
    expect(after(validating, last).status).toBe("Done");
    expect(effectsOf(validating, last).map(({ kind }) => kind)).toContain("flip-box");
  });

  it("S3-34 removes the watchdog at Done and at Abandoned", () => {
    const done = after(running([T1]), ...work("t1", 1));
    expect(effectsOf(done, completed())).toContainEqual({ kind: "remove-watchdog" });
    const abandoned = { kind: "abandoned", ...BY_ADA, reason: "No." } as const;
    expect(effectsOf(done, abandoned)).toContainEqual({ kind: "remove-watchdog" });
  });

  it("reopens what is Done for the named tasks, with their attempts kept and more granted", () => {
    const done = after(running([T1]), ...work("t1", 1), completed());
    const reopened = after(done, {
      kind: "reopened",
      ...BY_ADA,
      reason: "It broke.",
      task_ids: [taskId("t1")],
    });
    expect(reopened.status).toBe("Ready");
    expect(reopened.tasks[0]).toMatchObject({ status: "pending", attempts: 1, extra_attempts: 1 });
  });

  it("refuses a person's decision that the run itself made", () => {
    const skip = { task_id: taskId("t1"), reason: "Hard." };
    expect(refusal(running([T1]), { kind: "task-skipped", ...BY_STINT, ...skip })).toContain(
      "is a person's decision, not that of stint",
    );
    expect(statusOf(after(running([T1]), { kind: "task-skipped", ...BY_ADA, ...skip }), "t1")).toBe(
      "skipped",
    );
  });
});

describe("attempts", () => {
  it("flips the box after the state, and takes a false flip back", () => {
    const validating = after(running([T1]), started("t1", 1), ended("t1", 1));
    expect(effectsOf(validating, passed("t1", 1)).map(({ kind }) => kind)).toEqual([
      "flip-box",
      "commit-work",
      "write-handoff",
    ]);
    expect(effectsOf(validating, failed("t1", 1))).toContainEqual({
      kind: "unflip-box",
      task_id: "t1",
    });
  });

  it("bounds them: the last failed one blocks the task, and the project when nothing else is left", () => {
    const twice = after(
      running([T1], { attempts: 2 }),
      ...[started("t1", 1), ended("t1", 1), failed("t1", 1)],
      ...[started("t1", 2), ended("t1", 2)],
    );
    const blocked = after(twice, failed("t1", 2));
    expect([blocked.status, statusOf(blocked, "t1")]).toEqual(["Blocked", "blocked"]);
    expect(blocked.blockers[0]).toMatchObject({ kind: "attempts-exhausted", task_id: "t1" });
    const retried = after(blocked, { kind: "task-retried", ...BY_ADA, task_id: taskId("t1") });
    expect(retried.status).toBe("Running");
    expect(retried.tasks[0]).toMatchObject({ status: "pending", attempts: 2, extra_attempts: 1 });
  });

  it("goes on with independent tasks when one is blocked", () => {
    const state = after(
      running([T1, FREE], { attempts: 1 }),
      ...[started("t1", 1), ended("t1", 1), failed("t1", 1)],
    );
    expect([state.status, statusOf(state, "t1")]).toEqual(["Running", "blocked"]);
    const worked = after(state, ...work("free", 2));
    expect(after(worked, { kind: "blocked", ...BY_STINT }).status).toBe("Blocked");
  });

  it("counts an interrupted attempt and never uncounts it", () => {
    const state = after(running([T1]), started("t1", 1), {
      kind: "attempt-interrupted",
      ...BY_STINT,
      task_id: taskId("t1"),
      attempt: 1,
      reason: "The machine restarted.",
    });
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

  it("refuses checks of another attempt", () => {
    const validating = after(running([T1]), started("t1", 1), ended("t1", 1));
    expect(refusal(validating, passed("t1", 2))).toContain("Checks of attempt 2");
  });

  it("refuses a second task while one is in progress, and a session out of turn", () => {
    const state = after(running([T1, FREE]), started("t1", 1));
    expect(refusal(state, started("free", 2))).toContain("task t1 is in progress");
    expect(refusal(running([T1]), started("t1", 5))).toContain("the next session is 1");
    expect(refusal(running([T1, T2]), started("t2", 1))).toContain("it is not eligible");
  });

  it("lets the next task of a batch use the same session", () => {
    const state = after(running([T1, T2]), ...work("t1", 1), ...work("t2", 1));
    expect(state.counters).toMatchObject({ sessions: 1, attempts: 2 });
  });

  it("S3-25 blocks after two sessions in a row that only planned", () => {
    const state = after(
      running([T1]),
      ...[started("t1", 1), ended("t1", 1, "planning-only"), failed("t1", 1)],
      ...[started("t1", 2), ended("t1", 2, "planning-only"), failed("t1", 2)],
    );
    expect(state.status).toBe("Blocked");
    expect(state.blockers[0]).toMatchObject({
      kind: "breaker",
      reason: 'Work on task t1 "Do t1" was stopped: 2 sessions in a row only planned.',
    });
  });

  it("blocks after three sessions without progress, or three times the same failure", () => {
    const thrice = (progress: "made" | "none", signature?: string) =>
      [1, 2, 3].flatMap((n) => [
        started("t1", n),
        ended("t1", n, progress),
        failed("t1", n, signature === undefined ? {} : { signature }),
      ]);
    const idle = after(running([T1], { attempts: 9 }), ...thrice("none"));
    expect(idle.blockers[0]?.reason).toContain("3 sessions in a row changed nothing");
    const same = after(running([T1], { attempts: 9 }), ...thrice("made", "same"));
    expect(same.blockers[0]?.reason).toContain("the same failure came 3 times in a row");
    expect(after(running([T1], { attempts: 9 }), ...thrice("made")).status).toBe("Running");
  });

  it("keeps the manifest window open until the end digest is stored", () => {
    const begun = after(running([T1]), started("t1", 1, DIGEST));
    expect(begun.manifest.window).toEqual({ session: 1, task_id: "t1", digest: DIGEST });
    expect(refusal(begun, ended("t1", 1))).toContain("no end digest was given");
    const closed = after(begun, { ...ended("t1", 1), manifest_digest: OTHER_DIGEST });
    expect(closed.manifest).toEqual({ path: "prompt.md", digest: OTHER_DIGEST });
  });

  it("starts nothing while the window of a crashed session is open", () => {
    const crashed = after(running([T1]), started("t1", 1, DIGEST), {
      kind: "attempt-interrupted",
      ...BY_STINT,
      task_id: taskId("t1"),
      attempt: 1,
      reason: "It crashed.",
    });
    expect(refusal(crashed, started("t1", 2))).toContain("window of session 1 is still open");
    const closed = { kind: "window-closed", ...BY_STINT, manifest_digest: OTHER_DIGEST } as const;
    expect(after(crashed, closed, started("t1", 2)).counters.sessions).toBe(2);
  });

  it("refuses a new session when a budget is used up", () => {
    const state = after(running([T1]), {
      kind: "spending-recorded",
      ...BY_STINT,
      wall_ms: 24 * 60 * 60 * 1000,
      tokens: null,
      cost_usd: null,
    });
    expect(refusal(state, started("t1", 1))).toContain("ms of running are used");
  });
});

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
    const retried = after(blocked, { kind: "task-retried", ...BY_ADA, task_id: taskId("gated") });
    expect(refusal(retried, started("gated", 1))).toContain("has not approved its start");
  });

  it("goes back to Draft for another plan", () => {
    const waiting = after(running([T1]), request("release", "t1"), gate);
    const replanned = after(waiting, { kind: "replan-requested", ...BY_ADA, reason: "Too big." });
    expect([replanned.status, replanned.plan]).toEqual(["Draft", null]);
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
      ...[started("reviewed", 1), ended("reviewed", 1), request("task-after", "reviewed")],
      ...[granted(1), failed("reviewed", 1), started("reviewed", 2), ended("reviewed", 2)],
    );
    expect(refusal(state, passed("reviewed", 2))).toContain("has not approved its output");
  });

  it("S1-23 takes five questions from a session and is Blocked by the sixth", () => {
    const five = [1, 2, 3, 4, 5].map((n) => asked(`Which ${n}?`, 1));
    const state = after(running([T1]), started("t1", 1), ...five);
    expect([state.status, state.counters.session_questions]).toEqual(["Running", 5]);
    const sixth = after(state, asked("Which 6?", 1));
    expect([sixth.status, sixth.blockers[0]?.kind]).toEqual(["Blocked", "question-limit"]);
    expect(effectsOf(state, asked("Which 6?", 1))[0]?.kind).toBe("end-session");
  });

  it("S1-23 counts the questions of each session on its own", () => {
    const five = (session: number) =>
      [1, 2, 3, 4, 5].map((n) => asked(`${session}.${n}?`, session));
    const first = [started("t1", 1), ...five(1), ended("t1", 1), failed("t1", 1)];
    const state = after(running([T1]), ...first, started("t1", 2), ...five(2));
    expect([state.status, state.counters.questions]).toEqual(["Running", 10]);
  });

  it("S1-23 is Blocked by the fifth session in a row on a task that ended with a question", () => {
    let state = running([T1]);
    for (let n = 1; n <= 5; n += 1) {
      expect(state.status).toBe("Running");
      state = after(
        state,
        ...[started("t1", n), asked(`Which ${n}?`, n, "t1"), ended("t1", n)],
        failed("t1", n, { excuse: "question", signature: "same" }),
      );
      if (n < 5) state = after(state, gate, answered(n));
    }
    expect([state.status, state.blockers[0]?.kind]).toEqual(["Blocked", "question-limit"]);
  });

  it("keeps only the last closed items in state", () => {
    const many = Array.from({ length: 30 }, (_, n) => [asked(`Which ${n}?`), answered(n + 1)]);
    const state = after(running([T1]), ...many.flat());
    expect(state.questions.map(({ id }) => id)[0]).toBe("q11");
    expect([state.questions.length, state.counters.questions]).toEqual([20, 30]);
  });
});

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

describe("pausing and the manifest", () => {
  it("S4-11 resumes to Running and meets the same gate again", () => {
    const waiting = after(running([T1]), asked("Which?", undefined, "t1"), gate);
    const back = after(waiting, pausedBy("requested"), resumed);
    expect(back.status).toBe("Running");
    expect(refusal(back, started("t1", 1))).toContain("it is not eligible");
    expect(after(back, gate).status).toBe("AwaitingApproval");
  });

  it("keeps the attempt of a task paused in its validation", () => {
    const validating = after(running([T1]), started("t1", 1), ended("t1", 1));
    const back = after(validating, pausedBy("usage-limit"), resumed);
    expect(back.tasks[0]).toMatchObject({ status: "in_progress", attempt: { number: 1 } });
    expect(back.tasks[0]?.attempts).toBe(1);
    expect(after(back, ended("t1", 1)).status).toBe("Validating");
  });

  it("ends the session and makes an appointment when it pauses", () => {
    const effects = effectsOf(after(running([T1]), started("t1", 1)), pausedBy("usage-limit"));
    expect(effects.slice(0, 2)).toEqual([
      { kind: "end-session", session: 1, reason: "Enough for now." },
      { kind: "schedule-resume", at: minute(60) },
    ]);
  });

  it("S0-3 adopts a person's manifest without dropping progress", () => {
    const done = after(running([T1, T2]), ...work("t1", 1));
    const adopt = (tasks: readonly ReturnType<typeof intent>[]): ProjectEvent => ({
      kind: "manifest-adopted",
      ...BY_ADA,
      manifest_digest: OTHER_DIGEST,
      goal: "Say hello twice.",
      success_criteria: [],
      tasks: tasks.map((one) => ({ intent: one })),
    });
    const removed = after(done, adopt([FREE, { ...T2, title: "Do it well" }]));
    expect(removed.tasks.map(({ id, status }) => `${id} ${status}`)).toEqual([
      "free pending",
      "t2 pending",
      "t1 superseded",
    ]);
    const back = after(removed, adopt([T2, T1]));
    expect(statusOf(back, "t1")).toBe("done");
    expect(back.tasks.find(({ id }) => id === "t1")).toMatchObject({ evidence: [CHECK_EVIDENCE] });
    expect(back.manifest.digest).toBe(OTHER_DIGEST);
    expect(refusal(done, adopt([T1, T1]))).toContain("two tasks have the id t1");
  });

  it("keeps the objects of unchanged tasks when it adopts a manifest", () => {
    const state = running([T1, T2]);
    const next = after(state, {
      kind: "manifest-adopted",
      ...BY_ADA,
      manifest_digest: OTHER_DIGEST,
      goal: state.goal,
      success_criteria: [],
      tasks: [{ intent: T1 }, { intent: { ...T2, title: "Other" } }],
    });
    expect(next.tasks[0]).toBe(state.tasks[0]);
    expect(next.tasks[1]).not.toBe(state.tasks[1]);
  });

  it("reopens a task that a person unchecked, and believes a box only where there is no check", () => {
    const checked = intent("checked", {
      after: [],
      checks: [{ kind: "command", command: "true" }],
    });
    const done = after(running([T1, FREE, checked]), ...work("t1", 1));
    const next = after(done, {
      kind: "manifest-adopted",
      ...BY_ADA,
      manifest_digest: OTHER_DIGEST,
      goal: "Say hello.",
      success_criteria: [],
      tasks: [
        { intent: T1, marked: "reopened" },
        { intent: FREE, marked: "done" },
        { intent: checked, marked: "done" },
      ],
    });
    expect(next.tasks.map(({ status }) => status)).toEqual(["pending", "done", "pending"]);
    expect(next.tasks[1]).toMatchObject({ evidence: [{ kind: "person", who: "ada" }] });
  });
});
