// What is kept of a session: what it was given, before it starts, and how it ended, before anything is
// concluded from it.
import * as z from "zod/mini";
import type { Kept } from "./kept.ts";
import { check } from "./check.ts";
import { count, instant, nonEmpty, sha256, taskId, text } from "./scalar.ts";

const givenTask = z.object({
  task_id: taskId,
  attempt: count,
  /** Whether its box was checked before the session. */
  checked: z.boolean(),
  /** Frozen: what the manifest says later does not count for this attempt. */
  checks: z.array(check),
  /** Digests of the files its checks name, before the session. */
  files: z.prefault(z.record(z.string(), z.nullable(sha256)), {}),
});

export const sessionStart = z.object({
  session: count,
  /** Its name in the run that started it. */
  agent: z.string(),
  tasks: z.array(givenTask),
  /** What was laid before it, and the verified work that this stands on. */
  start: z.object({ tree: text, base: text }),
  /** The manifest that it is given, which a person may change while it works. */
  manifest: z.string(),
  started_at: instant,
});

const because = { reason: z.string() };

const outcome = z.discriminatedUnion("kind", [
  z.object({ kind: z.enum(["finished", "timed-out", "idle"]) }),
  z.object({
    kind: z.enum([
      "blocked",
      "rate-limited",
      "overloaded",
      "context-exhausted",
      "auth-failed",
      "budget-exceeded",
      "killed",
      "no-progress",
    ]),
    ...because,
  }),
  z.object({ kind: z.literal("question"), questions: nonEmpty(z.string()) }),
  z.object({ kind: z.literal("approval-needed"), subject: z.nullable(z.string()) }),
  z.object({ kind: z.literal("usage-limited"), until: z.nullable(instant), ...because }),
  z.object({ kind: z.literal("crashed"), exitCode: z.nullable(z.number()), ...because }),
  z.object({ kind: z.literal("denied"), command: z.string() }),
]);

export const sessionEnd = z.object({
  session: count,
  outcome,
  exit_code: z.nullable(z.number()),
  signal: z.nullable(z.string()),
  /** As it was read, for a person. */
  marker: z.optional(z.unknown()),
  /** The run ended it, for this reason. */
  stopped: z.nullable(z.string()),
  last_text: z.nullable(z.string()),
  left_behind: z.prefault(count, 0),
  /** What it changed of the files that were brought into its workspace; no commit shows it. */
  brought_changed: z.optional(z.array(z.string())),
  /** The manifest when it ended; one that is neither gone nor as it was given is kept beside this. */
  manifest: z.enum(["as-given", "changed", "gone"]),
  ended_at: instant,
  wall_ms: z.number(),
  tokens: z.nullable(z.number()),
  cost_usd: z.nullable(z.number()),
});

/** What a second agent answered about one tree. */
export const agentAnswer = z.object({
  kind: z.literal("answered"),
  verdict: z.enum(["pass", "fail"]),
  reasons: z.array(z.string()),
});

export type SessionStart = Kept<z.infer<typeof sessionStart>>;
export type SessionEnd = Kept<z.infer<typeof sessionEnd>>;
