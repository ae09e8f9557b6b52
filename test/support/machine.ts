// Drives the machine in tests: a small project, one plausible event of every kind for any state, and
// walks through the states by numbers, so that a failing walk can be shrunk and repeated.
import { createProject } from "../../src/core/step/manifest.ts";
import { eligibleTasks } from "../../src/core/eligibility.ts";
import type { AdoptedTask, EventKind, ProjectEvent } from "../../src/core/events.ts";
import {
  numberedApprovalId,
  numberedDispatchId,
  numberedQuestionId,
  parseAgentId,
  parseProjectId,
  parseSlug,
  parseTaskId,
  type RunId,
  type TaskId,
} from "../../src/core/ids.ts";
import { type Instant, instantFromMs } from "../../src/core/instant.ts";
import type { Approval } from "../../src/core/schema/items.ts";
import type { Proof, ProjectState } from "../../src/core/schema/project.ts";
import type { Sha256 } from "../../src/core/schema/scalar.ts";
import type { Evidence, TaskIntent } from "../../src/core/schema/task.ts";
import { step } from "../../src/core/step/step.ts";
import { EVENT_KINDS, legalEvents } from "../../src/core/step/rules.ts";

const MINUTE_MS = 60_000;
const START_MS = Date.parse("2026-01-01T00:00:00.000Z");

export const DIGEST = "0".repeat(64) as Sha256;
export const OTHER_DIGEST = "1".repeat(64) as Sha256;
export const RUN_ID = "r-0123456789" as RunId;
export const CHECK_EVIDENCE: Evidence = { kind: "check", path: "evidence/1.json", sha256: DIGEST };

const OF_CLONE = { commit: "c0ffee", at: instantFromMs(START_MS), checks: 2 };
const IN_RECORD = { path: "artifacts/proof/c0ffee.json", sha256: DIGEST };

const PROOFS: readonly [Proof, ...Proof[]] = [
  { kind: "proven", ...OF_CLONE, ...IN_RECORD, superseded: [], elsewhere: [] },
  {
    kind: "failed",
    ...OF_CLONE,
    ...IN_RECORD,
    failing: [{ task_id: "t1" as TaskId, check: "`npm test`", reason: "a file is ignored" }],
  },
  { kind: "not-proven", commit: null, at: OF_CLONE.at, why: "no git", hint: "git init" },
];

export function must<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("a value that the test relies on is missing");
  return value;
}

export function taskId(text: string): TaskId {
  return must(parseTaskId(text));
}

/** The n-th minute of a test's time. */
export function minute(n: number): Instant {
  return instantFromMs(START_MS + n * MINUTE_MS);
}

export function intent(id: string, more: Partial<TaskIntent> = {}): TaskIntent {
  return { id: taskId(id), name: id, title: `Do ${id}`, ...more };
}

export function draft(
  intents: readonly TaskIntent[],
  more: { checked?: readonly string[]; attempts?: number } = {},
): ProjectState {
  return createProject({
    project_id: must(parseProjectId("p-0123456789")),
    slug: must(parseSlug("sample")),
    repo_id: "repo",
    owner_agent: must(parseAgentId("stint")),
    goal: "Say hello.",
    success_criteria: ["It says hello."],
    tasks: intents.map((one) => ({
      intent: one,
      checked: more.checked?.includes(one.id) ?? false,
    })),
    manifest: { path: "prompt.md", digest: DIGEST },
    at: minute(0),
    budgets: { sessions: 10_000, attempts_per_task: more.attempts ?? 3 },
  });
}

export const BY_ADA = { at: minute(1), by: "ada" } as const;
export const BY_STINT = { at: minute(1), by: "stint" } as const;

/** Tasks of every sort: dependent, independent, gated before and after, with and without checks. */
export const MIXED_TASKS: readonly TaskIntent[] = [
  intent("t1"),
  intent("t2", { after: [], approve: "before" }),
  intent("t3", { after: [], checks: [{ kind: "command", command: "npm test" }] }),
  intent("t4", { after: [taskId("t1")], approve: "after" }),
];

/** Numbers that choose an event: which kind, which of the things it could be about, how plausible. */
export interface Choice {
  readonly kind: number;
  readonly thing: number;
  readonly odd: number;
  /** Which of the states seen so far. */
  readonly pick: number;
}

/** Mostly an event that is legal in this status, sometimes any other. */
export function chosenEvent(
  state: ProjectState,
  choice: Omit<Choice, "pick">,
  at: Instant,
): ProjectEvent {
  const legal = legalEvents(state.status);
  const kinds = choice.odd % 10 === 0 || legal.length === 0 ? EVENT_KINDS : legal;
  return eventOf(must(kinds[choice.kind % kinds.length]), state, choice, at);
}

export function eventOf(
  kind: EventKind,
  state: ProjectState,
  { thing, odd }: Pick<Choice, "thing" | "odd">,
  at: Instant,
): ProjectEvent {
  const by = odd % 17 === 3 ? "stint" : "ada";
  const fact = { at, by };
  const task = chosenTask(state, thing, odd);
  const current = state.tasks.find((one) => one.id === state.current_task_id) ?? task;
  const attempt = "attempt" in current && current.attempt ? current.attempt.number : 1;
  const session = "attempt" in current && current.attempt ? current.attempt.session : 1;
  const laterMs = Date.parse(at) + (1 + (thing % 4)) * MINUTE_MS;
  const later = instantFromMs(laterMs);
  const evidence = [CHECK_EVIDENCE] as const;
  const excuse = odd % 3 === 0 ? { excuse: "question" as const } : {};
  const approval = chosenItem(state.approval_items, thing);
  const approval_id = approval?.id ?? numberedApprovalId(999);
  const subject_sha256 = odd % 13 === 5 ? OTHER_DIGEST : (approval?.subject_sha256 ?? DIGEST);
  const dispatch_id = chosenItem(state.dispatches, thing)?.id ?? numberedDispatchId(999);
  const question_id = chosenItem(state.questions, thing)?.id ?? numberedQuestionId(999);
  switch (kind) {
    case "plan-approved":
      return { kind, ...fact, digest: DIGEST, lint_errors: odd % 11 === 4 ? 1 : 0, channel: "cli" };
    case "work-started":
    case "resumed":
      return { kind, ...fact, fence: odd % 11 === 4 ? 0 : 1 };
    case "attempt-started": {
      const next = state.counters.sessions + (odd % 7 === 1 ? 0 : 1);
      return { kind, ...fact, task_id: task.id, session: next, run_id: RUN_ID };
    }
    case "session-ended": {
      const progress = (["made", "none", "planning-only"] as const)[thing % 3] ?? "made";
      const manifest_digest = odd % 5 === 1 ? {} : { manifest_digest: OTHER_DIGEST };
      const ended = { task_id: current.id, session, outcome: "finished", note: "Went well." };
      return { kind, ...fact, ...ended, progress, ...manifest_digest };
    }
    case "checks-recorded": {
      const failure = { check: "npm test", excerpt: "1 failed", signature: `s${thing % 2}` };
      const result =
        thing % 3 === 0
          ? ({ passed: true, evidence } as const)
          : ({ passed: false, failure, ...excuse } as const);
      return { kind, ...fact, task_id: current.id, attempt, result };
    }
    case "output-verified":
      return { kind, ...fact, task_id: task.id, evidence, labels: ["weakly-verified"] };
    case "attempt-interrupted": {
      const refused = {
        agent: `agent-${thing % 2}`,
        cause: (["usage-limit", "rate-limit", "overloaded", "auth"] as const)[thing % 4] ?? "auth",
        reason: "used up",
        jitter: 0,
      };
      const more = odd % 5 === 0 ? { excuse: "provider" as const, refused } : excuse;
      return { kind, ...fact, task_id: current.id, attempt, reason: "crashed", ...more };
    }
    case "limits-lifted":
      return { kind, ...fact, which: odd % 4 === 0 ? "endless" : "all" };
    case "task-split": {
      const first = state.counters.tasks + (odd % 11 === 4 ? 0 : 1);
      const [one, ...more] = Array.from({ length: 1 + (thing % 3) }, (_, n) =>
        intent(`t${first + n}`),
      );
      return { kind, ...fact, task_id: task.id, reason: "too large", chunks: [must(one), ...more] };
    }
    case "commit-recorded": {
      const done = state.tasks.find((one) => one.status === "done") ?? task;
      return { kind, ...fact, task_id: done.id, commit: "abc123" };
    }
    case "task-reopened": {
      const done = state.tasks.find((one) => one.status === "done") ?? task;
      const blocker = {
        kind: "unfulfillable",
        reason: "a hook broke it",
        unblock: "mend it",
      } as const;
      return { kind, ...fact, task_id: done.id, blocker };
    }
    case "approval-requested":
      return { kind, ...fact, approval: request(state, task.id, thing, odd, later) };
    case "approval-granted":
      return { kind, ...fact, approval_id, subject_sha256, channel: "cli" };
    case "gates-approved": {
      const open = state.approval_items.find(
        (item) => item.status === "open" && item.kind === "task-before",
      );
      const asked = request(state, task.id, thing, odd, later);
      const gate = open !== undefined && odd % 2 === 0 ? askedAs(open) : asked;
      return { kind, ...fact, gates: odd % 7 === 3 ? [] : [gate], channel: "cli" };
    }
    case "approval-denied":
      return { kind, ...fact, approval_id, subject_sha256, channel: "cli", denial: "No." };
    case "approval-expired": {
      const expired = instantFromMs(Date.parse(approval?.expires_at ?? at) + MINUTE_MS);
      return { kind, by, at: odd % 5 === 0 ? at : expired, approval_id };
    }
    case "approval-outdated":
      return { kind, ...fact, approval_id, reason: "The files changed." };
    case "commands-consented":
      return { kind, ...fact, digest: OTHER_DIGEST, channel: "cli" };
    case "question-asked": {
      const asker = odd % 2 === 0 ? { session } : {};
      const about = odd % 4 < 3 ? { task_id: current.id } : {};
      return { kind, ...fact, question: { text: `Which one, ${thing}?`, ...about, ...asker } };
    }
    case "question-withdrawn":
      return { kind, ...fact, question_id, reason: "It is over." };
    case "question-answered":
      return { kind, ...fact, question_id, answer: "That one.", channel: "cli" };
    case "delivery-recorded":
      return {
        kind,
        ...fact,
        delivery: { kind: "delivered", branch: "main", commit: String(thing) },
      };
    case "proof-recorded":
      return { kind, ...fact, proof: PROOFS[odd % 5] ?? PROOFS[0] };
    case "gate-reached":
    case "wait-began":
    case "watchdog-installed":
    case "watchdog-removed":
      return { kind, ...fact };
    case "unblocked":
    case "abandoned":
      return { kind, ...fact, reason: "Because." };
    case "task-blocked": {
      const blocker = {
        kind: "unfulfillable",
        reason: "No such API.",
        unblock: "stint retry",
      } as const;
      return { kind, ...fact, task_id: odd % 2 === 0 ? current.id : task.id, blocker };
    }
    case "blocked": {
      const blocker = {
        kind: thing % 8 === 1 ? "missing-access" : "proof",
        reason: "No key.",
        unblock: "stint resume",
      } as const;
      return thing % 2 === 0 ? { kind, ...fact } : { kind, ...fact, blocker };
    }
    case "task-skipped":
      return { kind, ...fact, task_id: task.id, reason: "Not needed." };
    case "task-retried": {
      const blocked = state.tasks.filter((one) => one.status === "blocked");
      return { kind, ...fact, task_id: (blocked[thing % (blocked.length || 1)] ?? task).id };
    }
    case "dispatch-sent": {
      const owner = odd % 11 === 4 ? " " : "worker-1";
      const next =
        task.status === "in_progress" ? task.attempt.session : state.counters.sessions + 1;
      const worker =
        odd % 3 === 0
          ? ({ kind: "session", session: next, lane: (odd % 2) + 1 } as const)
          : ({ kind: "outside" } as const);
      const returns = { kind: worker.kind === "session" ? "exit" : "message" } as const;
      const dispatch = {
        task_id: task.id,
        owner,
        objective: "Do it.",
        worker,
        returns,
        checkpoint_at: later,
        deadline_at: minute(900_000),
      };
      return { kind, ...fact, run_id: RUN_ID, dispatch };
    }
    case "result-consumed":
      return { kind, ...fact, dispatch_id, result: "Done." };
    case "dispatch-timed-out":
      return { kind, by, at: odd % 5 === 0 ? at : minute(1_000_000), dispatch_id };
    case "dispatch-lost":
      return { kind, ...fact, dispatch_id, reason: "The machine is gone." };
    case "checkpoint-moved":
      return { kind, ...fact, dispatch_id, checkpoint_at: odd % 5 === 0 ? at : later };
    case "dispatch-cancelled":
      return { kind, ...fact, dispatch_id, reason: "Not needed any more." };
    case "paused": {
      const resume = odd % 2 === 0 ? { resume_at: later } : {};
      return { kind, ...fact, pause: { kind: "usage-limit", reason: "Limit.", ...resume } };
    }
    case "completed": {
      const checks = { checks: { task_id: current.id, attempt, passed: true as const, evidence } };
      const withChecks = odd % 2 === 0 ? checks : {};
      return { kind, ...fact, resolution_log_updated: odd % 11 !== 4, ...withChecks };
    }
    case "reopened":
      return { kind, ...fact, reason: "More to do.", task_ids: thing % 2 === 0 ? [task.id] : [] };
    case "manifest-adopted": {
      const manifest = { manifest_digest: OTHER_DIGEST, success_criteria: [] };
      const goal = odd % 11 === 4 ? " " : "Say hello twice.";
      return { kind, ...fact, ...manifest, goal, tasks: edited(state, thing, odd) };
    }
    case "manifest-read":
      return { kind, ...fact, manifest_seen: odd % 2 === 0 ? DIGEST : OTHER_DIGEST };
    case "spending-recorded":
      return { kind, ...fact, wall_ms: odd % 11 === 4 ? -1 : 10, tokens: thing, cost_usd: null };
    case "budgets-changed":
      return { kind, ...fact, budgets: { ...state.budgets, attempts_per_task: 1 + (thing % 3) } };
    default:
      return kind satisfies never;
  }
}

function chosenTask(state: ProjectState, thing: number, odd: number) {
  const nobody = { ...must(state.tasks[0]), id: taskId("nobody") };
  if (odd % 19 === 7) return nobody;
  const eligible = eligibleTasks(state);
  const among = odd % 3 === 0 || eligible.length === 0 ? state.tasks : eligible;
  return among[thing % among.length] ?? nobody;
}

/** Mostly one that is open. */
function chosenItem<T extends { status: string }>(
  items: readonly T[],
  thing: number,
): T | undefined {
  const open = items.filter((item) => item.status === "open" || item.status === "sent");
  const among = open.length === 0 ? items : open;
  return among[thing % (among.length || 1)];
}

function request(
  state: ProjectState,
  chosen: TaskId,
  thing: number,
  odd: number,
  later: Instant,
): Omit<Extract<Approval, { status: "open" }>, "id" | "status" | "asked_at"> {
  const kinds = ["task-before", "task-after", "proposal", "release", "plan"] as const;
  const kind = kinds[thing % kinds.length] ?? "release";
  const isOwn = state.status === "Validating" && odd % 2 === 0;
  const task_id = isOwn && state.current_task_id !== null ? state.current_task_id : chosen;
  return {
    kind,
    ...(kind === "proposal" || kind === "plan" || odd % 7 === 0 ? {} : { task_id }),
    subject: "rm -rf dist",
    subject_sha256: DIGEST,
    reason: "It deletes files.",
    on_yes: "It is deleted.",
    on_no: "It stays.",
    ...(odd % 3 === 0 ? { expires_at: later } : {}),
  };
}

/** The request that an item was made of. */
function askedAs(item: Approval): ReturnType<typeof request> {
  const { kind, task_id, subject, subject_sha256, reason, on_yes, on_no } = item;
  const about = task_id === undefined ? {} : { task_id };
  return { kind, ...about, subject, subject_sha256, reason, on_yes, on_no };
}

/** The tasks with some of them left out, turned round, renamed, marked, and one more. */
function edited(state: ProjectState, thing: number, odd: number): AdoptedTask[] {
  const kept = state.tasks.filter((_, i) => (thing + i) % 4 !== 0);
  const intents = (odd % 2 === 0 ? kept : kept.toReversed()).map(({ id }) =>
    intent(id, { after: [], ...(thing % 3 === 0 ? { title: `Do ${id} again` } : {}) }),
  );
  const added = odd % 3 === 0 ? [intent(`t${state.counters.tasks + 1}`, { after: [] })] : [];
  const marks = [undefined, "done", "reopened", undefined] as const;
  return [...intents, ...added].slice(0, 6).map((one, i) => {
    const marked = marks[(thing + i) % marks.length];
    return marked === undefined ? { intent: one } : { intent: one, marked };
  });
}

/** A repeatable sequence of choices. */
export function* choices(seed: number): Generator<Choice, never> {
  let x = seed;
  const next = () => {
    x = (x + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(x ^ (x >>> 15), x | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 1;
  };
  for (;;) yield { kind: next(), thing: next() % 1000, odd: next() % 1000, pick: next() };
}

/** Performs events that must all be legal. */
export function after(state: ProjectState, ...events: readonly ProjectEvent[]): ProjectState {
  return events.reduce((before, event) => {
    const result = step(before, event);
    if (!result.ok) throw new Error(result.reason);
    return result.state;
  }, state);
}

/** A project whose plan was approved and whose work has begun. */
export function running(...parameters: Parameters<typeof draft>): ProjectState {
  return after(
    draft(...parameters),
    { kind: "plan-approved", ...BY_ADA, digest: DIGEST, lint_errors: 0, channel: "cli" },
    { kind: "work-started", ...BY_STINT, fence: 1 },
  );
}

export function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) deepFreeze(inner);
  }
  return value;
}
