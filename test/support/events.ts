// Events as short words, and how to look at what they do, for the stories of the machine.
import type { AdoptedTask, ApprovalRequest, Excuse, ProjectEvent } from "../../src/core/events.ts";
import { numberedApprovalId, numberedDispatchId, numberedQuestionId } from "../../src/core/ids.ts";
import type { Instant } from "../../src/core/instant.ts";
import type { ProjectState } from "../../src/core/schema/project.ts";
import { step } from "../../src/core/step/step.ts";
import {
  BY_ADA,
  BY_STINT,
  CHECK_EVIDENCE,
  DIGEST,
  OTHER_DIGEST,
  RUN_ID,
  deepFreeze,
  intent,
  minute,
  must,
  taskId,
} from "./machine.ts";

export const T1 = intent("t1");
export const T2 = intent("t2");
export const FREE = intent("free", { after: [] });

export const planApproved = (lint_errors = 0): ProjectEvent => ({
  kind: "plan-approved",
  ...BY_ADA,
  digest: DIGEST,
  lint_errors,
  channel: "cli",
});
export const workStarted: ProjectEvent = { kind: "work-started", ...BY_STINT, fence: 1 };
export const started = (id: string, session: number): ProjectEvent => ({
  kind: "attempt-started",
  ...BY_STINT,
  task_id: taskId(id),
  session,
  run_id: RUN_ID,
});
export const ended = (
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
export const passed = (id: string, attempt: number): ProjectEvent => ({
  kind: "checks-recorded",
  ...BY_STINT,
  task_id: taskId(id),
  attempt,
  result: { passed: true, evidence: [CHECK_EVIDENCE] },
});
interface FailedChecks {
  readonly signature?: string;
  readonly excuse?: Excuse;
  readonly progressed?: true;
}

export const failed = (
  id: string,
  attempt: number,
  { signature = `failure-${attempt}`, ...more }: FailedChecks = {},
): ProjectEvent => {
  const failure = { check: "npm test", excerpt: "1 failed", signature };
  const result = { passed: false, failure, ...more } as const;
  return { kind: "checks-recorded", ...BY_STINT, task_id: taskId(id), attempt, result };
};
export const completed = (resolution_log_updated = true): ProjectEvent => ({
  kind: "completed",
  ...BY_STINT,
  resolution_log_updated,
});
export const request = (
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
export const granted = (n: number, subject_sha256 = DIGEST): ProjectEvent => ({
  kind: "approval-granted",
  ...BY_ADA,
  approval_id: numberedApprovalId(n),
  subject_sha256,
  channel: "cli",
});
export const denied = (n: number): ProjectEvent => ({
  kind: "approval-denied",
  ...BY_ADA,
  approval_id: numberedApprovalId(n),
  subject_sha256: DIGEST,
  channel: "cli",
  denial: "Not today.",
});
export const asked = (text: string, session?: number, id?: string): ProjectEvent => ({
  kind: "question-asked",
  ...BY_STINT,
  question: {
    text,
    ...(session === undefined ? {} : { session }),
    ...(id === undefined ? {} : { task_id: taskId(id) }),
  },
});
export const answered = (n: number): ProjectEvent => ({
  kind: "question-answered",
  ...BY_ADA,
  question_id: numberedQuestionId(n),
  answer: "The blue one.",
  channel: "cli",
});
export const dispatched = (id: string, owner = "worker-1"): ProjectEvent => ({
  kind: "dispatch-sent",
  ...BY_STINT,
  run_id: RUN_ID,
  dispatch: {
    task_id: taskId(id),
    owner,
    objective: "Do it.",
    worker: { kind: "outside" },
    returns: { kind: "message" },
    checkpoint_at: minute(30),
    deadline_at: minute(60),
  },
});
/** A session in a workspace of its own. */
export const sentTo = (id: string, session: number, lane: number): ProjectEvent => ({
  kind: "dispatch-sent",
  ...BY_STINT,
  run_id: RUN_ID,
  dispatch: {
    task_id: taskId(id),
    owner: "claude",
    objective: "Do it.",
    worker: { kind: "session", session, lane },
    returns: { kind: "exit" },
    checkpoint_at: minute(30),
    deadline_at: minute(60),
  },
});
export const returned = (n: number): ProjectEvent => ({
  kind: "result-consumed",
  ...BY_STINT,
  dispatch_id: numberedDispatchId(n),
  result: "Done.",
});
export const gate: ProjectEvent = { kind: "gate-reached", ...BY_STINT };
export const pausedBy = (kind: "requested" | "usage-limit"): ProjectEvent => ({
  kind: "paused",
  ...BY_STINT,
  pause: { kind, reason: "Enough for now.", resume_at: minute(60) },
});
export const resumed: ProjectEvent = { kind: "resumed", ...BY_STINT, fence: 2 };

export function statusOf(state: ProjectState, id: string) {
  return must(state.tasks.find((task) => task.id === id)).status;
}

/** The reason why an event is refused; the state is frozen, so a change would throw. */
export function refusal(state: ProjectState, event: ProjectEvent): string {
  const result = step(deepFreeze(state), event);
  if (result.ok) throw new Error(`${event.kind} was not refused`);
  return result.reason;
}

/** A task done from the start of its session to its checks. */
export const work = (id: string, session: number, attempt = 1) => [
  started(id, session),
  ended(id, session),
  passed(id, attempt),
];

/** Sessions in a row on t1 that all fail. */
export const failures = (
  count: number,
  progress: "made" | "none" | "planning-only",
  signature?: string,
): ProjectEvent[] =>
  Array.from({ length: count }, (_, n) => n + 1).flatMap((n) => [
    started("t1", n),
    ended("t1", n, progress),
    failed("t1", n, signature === undefined ? {} : { signature }),
  ]);

export const interrupted = (id: string, attempt: number): ProjectEvent => ({
  kind: "attempt-interrupted",
  ...BY_STINT,
  task_id: taskId(id),
  attempt,
  reason: "The machine restarted.",
});

export const retried = (id: string): ProjectEvent => ({
  kind: "task-retried",
  ...BY_ADA,
  task_id: taskId(id),
});

export const adopted = (...tasks: readonly AdoptedTask[]): ProjectEvent => ({
  kind: "manifest-adopted",
  ...BY_ADA,
  manifest_digest: OTHER_DIGEST,
  goal: "Say hello twice.",
  success_criteria: [],
  tasks,
});

export const fiveQuestions = (session: number): ProjectEvent[] =>
  [1, 2, 3, 4, 5].map((n) => asked(`${session}.${n}?`, session));
