// What is kept of an act of the manifest: its intent before it, its result after it.
import * as z from "zod/mini";
import type { Kept } from "./kept.ts";
import { count } from "./scalar.ts";

/** An act of the manifest that is about to be done. */
export const actIntent = z.object({
  act: z.string(),
  /** The revision it was formed at. */
  revision: count,
  /** The revision of the first one since the task was last done: they are tries of one act. */
  first: count,
  /** As the task had them by then: more of them since are a person's wish. */
  undone: z.optional(count),
  tried_again: z.prefault(count, 0),
});

export const actResult = z.object({
  /** Of the intent it belongs to. */
  revision: count,
  ok: z.boolean(),
  summary: z.string(),
  output: z.string(),
  /** What became of the tags that it made. */
  tags: z.optional(z.array(z.string())),
});

export type ActIntent = Kept<z.infer<typeof actIntent>>;
export type ActResult = Kept<z.infer<typeof actResult>>;
