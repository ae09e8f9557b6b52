// What lies in the folder of a project: state.json, the authority for progress, journal.jsonl and lease.json. The
// schema of the state judges, it never rebuilds: what was read is kept whole, so
// unknown fields survive. Derived fields are not here: they are computed when the file is written and ignored
// when it is read.
import * as z from "zod/mini";
import {
  text,
  count,
  instant,
  ordinal,
  agentId,
  nonEmpty,
  projectId,
  sha256,
  slug,
  taskId,
  runId,
} from "./scalar.ts";
import { agentLimit, approval, blocker, dispatch, pause, question } from "./items.ts";
import { limits, task, told } from "./task.ts";

// Where the verified work of a project is, for a person: in the state, and in what programs read.

export const delivery = z.discriminatedUnion("kind", [
  /** Nothing is to be brought anywhere: no repository, or the work is in place. */
  z.object({ kind: z.literal("in-place") }),
  /** The person's branch holds it, up to this commit; null where nothing was committed yet. */
  z.object({ kind: z.literal("delivered"), branch: text, commit: z.nullable(text) }),
  /** It waits on a branch of its own; `why` says what holds it there, `hint` what brings it in. */
  z.object({
    kind: z.literal("waiting"),
    branch: text,
    /**
     * `choice`: it stays there until a person brings it in. `question`: a person is asked about it.
     * `obstacle`: something is in the way, and it is tried again.
     */
    held_by: z.enum(["choice", "question", "obstacle"]),
    why: text,
    hint: text,
  }),
]);

export type Delivery = z.infer<typeof delivery>;

// What a fresh clone of the work said last: in the state, and in what programs read.

const proofEvidence = { commit: text, at: instant, checks: count, path: text, sha256 };

export const proof = z.discriminatedUnion("kind", [
  /** Every check that a clone can repeat passed there, but for those that a later task made void. */
  z.object({
    kind: z.literal("proven"),
    ...proofEvidence,
    /** Passes at its own task's commit and no longer at the tip. `by`: the later task, where one is found. */
    superseded: z.array(z.object({ task_id: taskId, check: text, by: z.nullable(taskId) })),
    /** Fails there, and its effect is in no commit: an act of the manifest, a built artefact. */
    elsewhere: z.array(z.object({ task_id: taskId, check: text })),
  }),
  /** These pass where they were verified and fail in a clone, also in one of their own task's commit. */
  z.object({
    kind: z.literal("failed"),
    ...proofEvidence,
    failing: nonEmpty(z.object({ task_id: taskId, check: text, reason: text })),
  }),
  /** Nobody knows: it was not tried, or could not be. */
  z.object({
    kind: z.literal("not-proven"),
    commit: z.nullable(text),
    at: instant,
    why: text,
    hint: text,
  }),
]);

export type Proof = z.infer<typeof proof>;

// One line of journal.jsonl: line N tells how revision N came about. The line is also kept inside
// that revision as `last_event`, so that a journal that missed it is healed from the state itself.

export const journalEntry = z.object({
  revision: ordinal,
  /** Where the line begins in the file, in bytes. */
  offset: count,
  at: instant,
  /** An `event` changed the state; a `fact` only notes something. */
  type: z.enum(["event", "fact"]),
  kind: text,
  by: text,
  summary: text,
  data: z.optional(z.record(z.string(), z.unknown())),
  /** Rows of validation.md that came with this revision; the page is made from them alone. */
  validation: z.optional(z.array(text)),
  /** CRC-32 of every byte of the file before this field, in hex. */
  crc: text,
});

export type JournalEntry = z.infer<typeof journalEntry>;

const SCHEMA_VERSION = 1;

const counters = z.object({
  /** Highest number ever given out of each kind; numbers are never reused. */
  tasks: count,
  sessions: count,
  attempts: count,
  approvals: count,
  questions: count,
  dispatches: count,
  /** Consecutive occurrences, for the breakers. */
  no_progress: count,
  planning_only: count,
  /** Questions filed by the session in progress. */
  session_questions: count,
  /** Sessions that a provider refused; they count neither as attempts nor against the budget. */
  refused_sessions: z.optional(count),
});

const budgets = z.object({
  attempts_per_task: ordinal,
  sessions: ordinal,
  wall_ms: ordinal,
  tokens: z.nullable(count),
  cost_usd: z.nullable(z.number()),
});

const spent = z.object({ wall_ms: count, ...told });

const shared = {
  schema_version: z.literal(SCHEMA_VERSION),
  revision: count,
  /** Fencing number of the lease under which this revision was written. */
  fence: count,
  project_id: projectId,
  slug,
  repo_id: text,
  owner_agent: agentId,
  goal: text,
  success_criteria: z.array(text),
  scope_guardrails: z.object({ limits, strict: z.boolean() }),
  tasks: z.array(task),
  next_action: text,
  next_checkpoint: z.nullable(text),
  questions: z.array(question),
  dispatches: z.array(dispatch),
  /** Agents that their provider refused and that have not been answered since. */
  agent_limits: z.optional(z.array(agentLimit)),
  counters,
  budgets,
  spent,
  last_checkpoint: z.nullable(text),
  last_session_note: z.nullable(text),
  last_error: z.nullable(text),
  last_error_at: z.nullable(instant),
  resume_instructions: text,
  manifest: z.object({
    /** Relative to the repository root, with forward slashes. */
    path: text,
    digest: sha256,
    /** The person's file as it was last taken into account; absent where that is what is known. */
    seen: z.optional(sha256),
  }),
  plan: z.nullable(z.object({ approved_by: text, approved_at: instant, digest: sha256 })),
  /** Where the verified work is; absent before anything was committed. */
  delivery: z.optional(delivery),
  /** What a fresh clone of the work said last; absent before one was asked. */
  proof: z.optional(proof),
  watchdog: z.object({ installed: z.boolean() }),
  /** Where in the person's files a copy of state.md lies; absent: nowhere. */
  page: z.optional(text),
  last_event: z.nullable(journalEntry),
  created_at: instant,
  updated_at: instant,
};

const items = { blockers: z.array(blocker), approval_items: z.array(approval) };
const idle = { current_task_id: z.null(), pause: z.null() };

/** Nothing is in hand and nothing is needed. */
function idleIn<Status extends string>(status: Status) {
  return z.object({ ...shared, ...idle, status: z.literal(status), ...items });
}

/** One shape per status: what a status needs, it cannot be without. */
export const projectState = z.discriminatedUnion("status", [
  idleIn("Draft"),
  idleIn("Ready"),
  z.object({
    ...shared,
    status: z.literal("Running"),
    current_task_id: z.nullable(taskId),
    pause: z.null(),
    ...items,
  }),
  z.object({
    ...shared,
    status: z.literal("AwaitingResult"),
    ...idle,
    ...items,
    dispatches: nonEmpty(dispatch),
  }),
  z.object({
    ...shared,
    status: z.literal("Validating"),
    current_task_id: taskId,
    pause: z.null(),
    ...items,
  }),
  idleIn("AwaitingApproval"),
  z.object({
    ...shared,
    ...idle,
    status: z.literal("Blocked"),
    ...items,
    blockers: nonEmpty(blocker),
  }),
  z.object({
    ...shared,
    status: z.literal("Paused"),
    current_task_id: z.nullable(taskId),
    pause,
    ...items,
  }),
  idleIn("Done"),
  idleIn("Abandoned"),
]);

export type ProjectState = z.infer<typeof projectState>;
export type ProjectStatus = ProjectState["status"];
export type Counters = z.infer<typeof counters>;

// lease.json: who may act for the project, from where, and until when.

export const lease = z.object({
  fence: ordinal,
  run_id: runId,
  owner: text,
  host: text,
  boot_id: text,
  pid_namespace: text,
  pid: ordinal,
  /** Start time of the process as the system tells it; a reused pid has another. */
  process_start: text,
  acquired_at: instant,
  heartbeat_at: instant,
  released_at: z.nullable(instant),
});

export type Lease = z.infer<typeof lease>;
