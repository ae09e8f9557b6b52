// stint.config.yaml: what a repository sets for everybody who works in it. A person's file; it can
// hold no code.
import * as z from "zod/mini";
import { agentId, count } from "./scalar.ts";

export const config = z.strictObject({
  /** Folder under the work tree that holds `<agent-id>/projects/`. */
  root: z.optional(
    z
      .string()
      .check(
        z.regex(
          /^(?!\.{1,2}(?:\/|$))[^/\\:\p{Cc}]+(?:\/(?!\.{1,2}(?:\/|$))[^/\\:\p{Cc}]+)*$/u,
          "a folder inside the work tree",
        ),
      ),
  ),
  /** Identity of the orchestrator; `--as` wins. */
  owner_agent: z.optional(agentId),
  limits: z.optional(
    z.strictObject({
      tasks_per_session: z.optional(count.check(z.minimum(1), z.maximum(6))),
      files_per_task: z.optional(count),
      new_files_per_session: z.optional(count),
      moves_per_task: z.optional(count),
    }),
  ),
});

export type Config = z.infer<typeof config>;
