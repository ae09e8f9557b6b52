// A task in state: one type per status, with exactly the fields that status has. A done task cannot be built
// without evidence, nor a blocked one without its reason.
import * as z from "zod/mini";
import {
  agentId,
  sha256,
  text,
  approvalId,
  count,
  dispatchId,
  instant,
  nonEmpty,
  ordinal,
  runId,
  taskId,
} from "./scalar.ts";
import { approvalKind, returnCondition } from "./items.ts";

// What a check is: the validations a task may name, already parsed from what a person wrote.

const fileExpectation = z.discriminatedUnion("is", [
  z.object({ is: z.literal("exists") }),
  z.object({ is: z.literal("changed") }),
  z.object({ is: z.literal("matches"), pattern: text, flags: z.string() }),
  z.object({ is: z.literal("sha256"), sha256 }),
]);

export const check = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("command"), command: text }),
  z.object({ kind: z.literal("file"), path: text, expect: fileExpectation }),
  z.object({
    kind: z.literal("http"),
    /** A check runs before and after, and again: it reads back and changes nothing. */
    method: z.literal("GET"),
    url: text,
    status: z.int().check(z.minimum(100), z.maximum(599)),
    contains: z.optional(text),
  }),
  z.object({ kind: z.literal("browser"), url: text, sees: text }),
  z.object({ kind: z.literal("render"), path: text, sees: text }),
  z.object({ kind: z.literal("review") }),
  z.object({ kind: z.literal("agent-review"), agent: agentId, question: text }),
]);

export type Check = z.infer<typeof check>;
export type FileExpectation = z.infer<typeof fileExpectation>;

export const limits = z.object({
  tasks_per_session: count,
  files_per_task: count,
  new_files_per_session: count,
  moves_per_task: count,
});

/** How much work: of a session before it, as far as its words tell, or after it, as measured. */
export const workCounts = z.object({ tasks: count, files: count, new_files: count, moves: count });

const evidence = z.discriminatedUnion("kind", [
  /** A check that Stint ran; the record at `path` binds command, exit code, tree, output, time. */
  z.object({ kind: z.literal("check"), path: text, sha256 }),
  /** A diff outside docs, manifest and Stint's own files. */
  z.object({ kind: z.literal("diff"), tree: text }),
  /** A person marked the task done: at creation, or by hand on a task without checks. */
  z.object({ kind: z.literal("person"), who: text }),
  /** Every chunk of it is done, each with evidence of its own. */
  z.object({ kind: z.literal("chunks"), tasks: nonEmpty(taskId) }),
]);

/** What is to be known of how a task was verified; docs/checks.md says what each means. */
export const label = z.enum([
  "weakly-verified",
  "not-discriminating",
  "self-judged",
  "own-tests",
  "judge-changed",
  "unreliable",
  "no-diff",
  "ignored",
]);

const attempt = z.object({
  number: ordinal,
  session: ordinal,
  run_id: runId,
  started_at: instant,
});

const failure = z.object({
  attempt: ordinal,
  check: text,
  excerpt: z.string(),
  /** Equal signatures are the same failure. */
  signature: text,
  at: instant,
});

/** A person wants a task that was done to be done again. */
const reopening = z.object({
  by: text,
  at: instant,
  reason: text,
  /** Attempts that were started before. */
  attempts: count,
});

/** A person's yes to something about a task: to start it, to its output, to one exact act. */
const grant = z.object({
  kind: approvalKind,
  approval_id: approvalId,
  subject_sha256: sha256,
  by: text,
  at: instant,
});

/** What the manifest says of a task. Absent optional fields keep 10,000 tasks small. */
const intent = {
  id: taskId,
  name: text,
  title: text,
  /** Absent: depends on every task above it. Empty: independent. */
  after: z.optional(z.array(taskId)),
  checks: z.optional(z.array(check)),
  approve: z.optional(z.enum(["before", "after"])),
  run: z.optional(text),
  webhook: z.optional(text),
  agent: z.optional(agentId),
  timeout_ms: z.optional(ordinal),
  /** Who does it elsewhere: an agent, a command in backticks or, where `returns` is said, somebody outside. */
  delegate: z.optional(text),
  returns: z.optional(returnCondition),
  /** How often delegated work is looked at, and when it is given up. */
  look_ms: z.optional(ordinal),
  deadline_ms: z.optional(ordinal),
  /** Nothing else is at work while it is. */
  exclusive: z.optional(z.literal(true)),
  docs_only: z.optional(z.literal(true)),
  /** What it makes may be files that git ignores. */
  ignored: z.optional(z.literal("ok")),
  /** Whether work that only judges of its own agree with fails; absent: as the project says. */
  strict: z.optional(z.boolean()),
  limit: z.optional(z.partial(limits)),
  /** Where below the root its sessions and checks start; "" is the root. Absent: as the project says. */
  dir: z.optional(z.string()),
  /** Where its `run` is executed: in the person's own files. Absent: in the workspace. */
  in: z.optional(z.literal("checkout")),
  /** Its `run` is executed without walls. Absent: with those of the project. */
  protect: z.optional(z.literal("off")),
  /** What stands below its title, where a person is asked before it starts. */
  details: z.optional(text),
  /** The item of the review log that it resolves. */
  resolves: z.optional(text),
  /** The name of the child workflow that does it: it is split when its turn comes. */
  child: z.optional(text),
  /** A chunk: the task that it is a part of. No manifest names it. */
  chunk_of: z.optional(taskId),
};

/** What sessions cost, as far as their agents tell. */
export const told = {
  tokens: z.nullable(count),
  cost_usd: z.nullable(z.number()),
  /** Sessions that told no tokens, or no price. */
  unknown_tokens: z.optional(count),
  unknown_cost: z.optional(count),
};

/** How a session ended that did not simply finish. */
const sessionEndTold = z.object({
  session: count,
  /** Completes "session 3 …"; one line. */
  words: text,
  /** Below the project folder. */
  log: z.optional(text),
  at: instant,
});

const progress = {
  /** Of its own sessions; one that worked on several tasks counts for the first. */
  spent: z.optional(z.object(told)),
  /** Attempts ever started; no recovery path lowers it. */
  attempts: count,
  /** Attempts a person granted beyond the budget, by `retry`. */
  extra_attempts: z.optional(count),
  /** The last time that it was to be done again. */
  reopened: z.optional(reopening),
  /** How often what was done has been taken back; an act of before is not the one that is wanted now. */
  undone: z.optional(count),
  /** How often a person wanted it tried again: only their word lets an act happen once more. */
  tried_again: z.optional(count),
  labels: z.optional(z.array(label)),
  /** Why it has each of them, in words. */
  label_reasons: z.optional(z.record(z.string(), text)),
  last_failure: z.optional(failure),
  /** How its last session ended; absent where that finished, or asked. */
  last_end: z.optional(sessionEndTold),
  /** Why it is more than one session can do, as its last one showed. */
  too_large: z.optional(text),
  /** It was split; attempts that were started before. */
  split_after: z.optional(count),
  /** Why it was split: which bound, planned and actual, or that its child workflow was due. */
  split_because: z.optional(text),
  /** How many times in a row this task failed with the signature of `last_failure`. */
  same_failure: z.optional(count),
  /** Sessions in a row on this task that ended with a question. */
  question_sessions: z.optional(count),
  /** What a person has allowed for this task; kept here because closed approvals are pruned. */
  grants: z.optional(z.array(grant)),
};

const completion = {
  evidence: nonEmpty(evidence),
  done_at: instant,
  commit: z.optional(text),
};

const common = { ...intent, ...progress };

const taskIntent = z.object(intent);

const taskByStatus = z.discriminatedUnion("status", [
  z.object({ ...common, status: z.literal("pending") }),
  z.object({ ...common, status: z.literal("in_progress"), attempt }),
  z.object({ ...common, status: z.literal("validating"), attempt }),
  z.object({ ...common, status: z.literal("done"), ...completion }),
  z.object({ ...common, status: z.literal("blocked"), reason: text, blocked_at: instant }),
  z.object({
    ...common,
    status: z.literal("awaiting_result"),
    dispatch_id: dispatchId,
    attempt,
  }),
  z.object({
    ...common,
    status: z.literal("awaiting_approval"),
    approval_id: approvalId,
    /** The attempt whose validation waits for this approval; absent when nothing was started. */
    attempt: z.optional(attempt),
  }),
  z.object({
    ...common,
    status: z.literal("skipped"),
    by: text,
    reason: text,
    skipped_at: instant,
  }),
  z.object({
    ...common,
    status: z.literal("superseded"),
    superseded_at: instant,
    /** What a done task had; a task that comes back to the manifest is done again with it. */
    completion: z.optional(z.object(completion)),
  }),
]);

type TaskByStatus = typeof taskByStatus;

/** A name, so that the declarations of what holds tasks do not repeat all of this for each of their own statuses. */
export interface TaskSchema extends TaskByStatus {}

export const task: TaskSchema = taskByStatus;

export type WorkCounts = z.infer<typeof workCounts>;
export type Evidence = z.infer<typeof evidence>;
export type Label = z.infer<typeof label>;
export type Attempt = z.infer<typeof attempt>;
export type Failure = z.infer<typeof failure>;
export type Reopening = z.infer<typeof reopening>;
export type Grant = z.infer<typeof grant>;
export type TaskIntent = z.infer<typeof taskIntent>;
export type Task = z.infer<typeof task>;
