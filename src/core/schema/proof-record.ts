// artifacts/proof/<commit>.json: everything that was run in fresh clones to prove a commit, with its output. The state
// keeps its digest.
import * as z from "zod/mini";
import { count, instant, taskId, text } from "./scalar.ts";

const ran = z.object({
  task: taskId,
  check: text,
  result: z.enum(["passed", "failed", "pending", "unavailable"]),
  summary: text,
  exit_code: z.nullable(z.number()),
  output: z.string(),
  started_at: instant,
  duration_ms: count,
});

/** One fresh clone: of which commit, how it was made ready, what its checks said. */
const clone = z.object({
  commit: text,
  /** `tip`: all checks. The others ask further about one that is red there. */
  asked: z.enum(["tip", "own-commit", "later-commit", "with-outside-files"]),
  setup: z.array(
    z.object({ command: text, exit_code: z.nullable(z.number()), output: z.string() }),
  ),
  checks: z.array(ran),
});

const proofRecord = z.object({
  project: text,
  commit: text,
  at: instant,
  /** Checks that were not run, and why. */
  left_out: z.array(z.object({ task: taskId, check: text, why: text })),
  /** Files outside of the repository that the clones did not see. */
  hidden: z.array(text),
  clones: z.array(clone),
});

export type ProofRecord = z.infer<typeof proofRecord>;
