// What is kept while verified work follows a branch of the person's: what they want done about it, and a move
// until everything that follows from it is recorded.
import * as z from "zod/mini";
import type { Kept } from "./kept.ts";
import { questionId, text } from "./scalar.ts";

const strings = z.array(z.string());

/** What a person wants done about a branch of theirs that verified work cannot follow by itself. */
export const branchWishes = z.object({
  conflicts: z.prefault(z.enum(["ask", "leave"]), "ask"),
  removed: z.prefault(z.enum(["ask", "bring", "leave"]), "ask"),
  /** Who said so. */
  by: z.prefault(z.nullable(z.string()), null),
  /** Whether a session resolves it at once, or the person does first. */
  resolvedBy: z.prefault(z.nullable(z.enum(["session", "shell"])), null),
  /** The branch as it was when they left the work on its own branch. */
  left: z.prefault(z.nullable(z.string()), null),
  /** What was said about why it waits. */
  told: z.prefault(z.nullable(z.string()), null),
  /** Answers that were carried out, the last of them. */
  taken: z.prefault(z.array(questionId), []),
});

const namedCommit = { id: text, subject: z.string() };
const tip = z.object({ commit: text, tree: text });

/** Verified work that follows the person's branch, until all that follows from it is recorded. */
export const branchMove = z.nullable(
  z.object({
    how: z.enum(["replayed", "merged", "found"]),
    from: tip,
    onto: text,
    to: tip,
    commits: z.array(
      z.object({
        old: text,
        now: text,
        tasks: strings,
        how: z.enum(["replayed", "found", "kept"]),
        isSame: z.boolean(),
      }),
    ),
    left: z.array(
      z.object({
        ...namedCommit,
        tasks: strings,
        tree: text,
        base: text,
        why: z.enum(["conflict", "removed", "failing"]),
        failure: z.prefault(z.string(), ""),
        paths: strings,
        theirs: z.array(z.object(namedCommit)),
      }),
    ),
  }),
);

export type BranchWishes = Kept<z.infer<typeof branchWishes>>;
