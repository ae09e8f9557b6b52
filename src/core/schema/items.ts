// Persisted requests and waits: approvals, questions, dispatches, blockers, a pause.
import * as z from "zod/mini";
import {
  approvalId,
  count,
  dispatchId,
  instant,
  ordinal,
  questionId,
  sha256,
  taskId,
  text,
} from "./scalar.ts";

export const approvalKind = z.enum([
  "plan",
  "task-before",
  "task-after",
  "destructive",
  "limit",
  "release",
  "deliver",
  "push",
  "settings",
  "proposal",
  "command",
]);

const approvalAsked = {
  id: approvalId,
  kind: approvalKind,
  task_id: z.optional(taskId),
  /** The exact action or diff; an answer is bound to its digest. */
  subject: text,
  subject_sha256: sha256,
  reason: text,
  /** What it is about: the kept proposal of a session, the digest of settings, the tasks of files. */
  about: z.optional(text),
  on_yes: text,
  on_no: text,
  asked_at: instant,
  expires_at: z.optional(instant),
};

const answered = { by: text, channel: text, answered_at: instant };

export const approval = z.discriminatedUnion("status", [
  z.object({ ...approvalAsked, status: z.literal("open") }),
  z.object({ ...approvalAsked, status: z.literal("granted"), ...answered }),
  z.object({ ...approvalAsked, status: z.literal("denied"), ...answered, denial: text }),
  z.object({ ...approvalAsked, status: z.literal("expired"), closed_at: instant }),
  z.object({ ...approvalAsked, status: z.literal("withdrawn"), closed_at: instant }),
]);

const questionAsked = {
  id: questionId,
  task_id: z.optional(taskId),
  session: z.optional(ordinal),
  text,
  /** What Stint itself asks about, by which it knows the answer again. */
  about: z.optional(text),
  /** The answers that are understood, where not every answer is. */
  choices: z.optional(z.array(text)),
  asked_at: instant,
};

export const question = z.discriminatedUnion("status", [
  z.object({ ...questionAsked, status: z.literal("open") }),
  z.object({ ...questionAsked, status: z.literal("answered"), ...answered, answer: text }),
  z.object({ ...questionAsked, status: z.literal("withdrawn"), closed_at: instant }),
]);

/** Who does delegated work. */
const worker = z.discriminatedUnion("kind", [
  /** A session, of an agent or of a command, in a workspace of its own; no two that are out share a lane. */
  z.object({ kind: z.literal("session"), session: ordinal, lane: ordinal }),
  /** Nothing that Stint started: only its return condition is looked at. */
  z.object({ kind: z.literal("outside") }),
]);

/** By what it is known that delegated work has come back. */
export const returnCondition = z.discriminatedUnion("kind", [
  /** Its process has ended. */
  z.object({ kind: z.literal("exit") }),
  /** Its worker says so, in the inbox. */
  z.object({ kind: z.literal("message") }),
  /** There is such a file, below the root of the repository. */
  z.object({ kind: z.literal("file"), path: text }),
  /** It ends with exit code 0. */
  z.object({ kind: z.literal("command"), command: text }),
  z.object({
    kind: z.literal("url"),
    url: text,
    status: z.int().check(z.minimum(100), z.maximum(599)),
    contains: z.optional(text),
  }),
]);

/** Delegated work: never without a named owner, a return condition, a checkpoint and a deadline. */
const dispatched = {
  id: dispatchId,
  task_id: taskId,
  owner: text,
  objective: text,
  worker,
  returns: returnCondition,
  /** When it is looked at next, and how often where that is said. */
  checkpoint_at: instant,
  look_ms: z.optional(ordinal),
  /** When it is given up. */
  deadline_at: instant,
  sent_at: instant,
};

export const dispatch = z.discriminatedUnion("status", [
  z.object({ ...dispatched, status: z.literal("sent") }),
  z.object({ ...dispatched, status: z.literal("returned"), result: text, closed_at: instant }),
  z.object({ ...dispatched, status: z.literal("timed_out"), closed_at: instant }),
  z.object({ ...dispatched, status: z.literal("lost"), reason: text, closed_at: instant }),
  z.object({
    ...dispatched,
    status: z.literal("cancelled"),
    by: text,
    reason: text,
    closed_at: instant,
  }),
]);

export const blocker = z.object({
  kind: z.enum([
    "unfulfillable",
    "attempts-exhausted",
    "missing-access",
    "question-limit",
    "breaker",
    "denied",
    "dispatch",
    "push",
    "provider",
    "proof",
  ]),
  task_id: z.optional(taskId),
  reason: text,
  /** What would clear it, as a command where there is one. */
  unblock: text,
  at: instant,
});

/** An agent that its provider refused: why, until when, and how often without an answer since. */
export const agentLimit = z.object({
  agent: text,
  cause: z.enum(["usage-limit", "rate-limit", "overloaded", "auth"]),
  reason: text,
  at: instant,
  /** Absent: waiting does not help, a person has to do something. */
  until: z.optional(instant),
  /** What a person has to do. */
  unblock: z.optional(text),
  in_a_row: z.object({ usage: count, provider: count }),
});

export const pause = z.object({
  kind: z.enum([
    "requested",
    "signal",
    "usage-limit",
    "provider",
    "budget",
    "interruption",
    "dispatch",
  ]),
  reason: text,
  paused_at: instant,
  resume_at: z.optional(instant),
});

export type Approval = z.infer<typeof approval>;
export type Question = z.infer<typeof question>;
export type Dispatch = z.infer<typeof dispatch>;
export type ReturnCondition = z.infer<typeof returnCondition>;
export type Blocker = z.infer<typeof blocker>;
export type Pause = z.infer<typeof pause>;
export type AgentLimit = z.infer<typeof agentLimit>;
