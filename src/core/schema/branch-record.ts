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

/** A commit by its id and the first line of its message. */
const namedCommit = z.object({ id: text, subject: z.string() });
const tip = z.object({ commit: text, tree: text });

/** A commit of verified work, before and after the person's branch was followed. */
const movedCommit = z.object({
  old: text,
  /** The commit that holds it now: its replay, or one of the person's. */
  now: text,
  tasks: strings,
  /** `replayed`: made anew. `found`: the person's branch has it. `kept`: as it was, below a merge. */
  how: z.enum(["replayed", "found", "kept"]),
  /** What it changes is what it changed before. */
  isSame: z.boolean(),
});

/** Verified work that does not go onto the person's branch by itself. */
const heldBack = z.extend(namedCommit, {
  tasks: strings,
  /** What it made, and what it made it from. */
  tree: text,
  base: text,
  /** `removed`: the person took it out of their branch. `failing`: its checks fail there. */
  why: z.enum(["conflict", "removed", "failing"]),
  /** What fails there; empty otherwise. */
  failure: z.prefault(z.string(), ""),
  /** Changed on both sides. */
  paths: strings,
  /** The person's commits that changed these paths, newest first. */
  theirs: z.array(namedCommit),
});

/** Where all verified work goes when the person's branch is followed. */
const move = z.object({
  how: z.enum(["replayed", "merged", "found"]),
  /** The tip before it. */
  from: tip,
  /** The person's branch. */
  onto: text,
  /** The tip after it. */
  to: tip,
  commits: z.array(movedCommit),
  /** Not part of it: their tasks are to be done again. */
  left: z.array(heldBack),
});

/** Kept until all that follows from it is recorded. */
export const branchMove = z.nullable(move);

export type BranchWishes = Kept<z.infer<typeof branchWishes>>;
export type NamedCommit = Kept<z.infer<typeof namedCommit>>;
export type MovedCommit = Kept<z.infer<typeof movedCommit>>;
export type HeldBack = Kept<z.infer<typeof heldBack>>;
export type Move = Kept<z.infer<typeof move>>;
