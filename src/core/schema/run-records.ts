// What runs keep for the runs after them: where they worked, how they were called, what they started, how the
// work follows the person's branch, and the acts of the manifest.
import * as z from "zod/mini";
import { type Kept, runId, text, questionId, count, ordinal } from "./scalar.ts";

const strings = z.array(z.string());

/** What is written down about a child before it may act, so that a later run can find what is left. */
export const processRecord = z.object({
  run_id: runId,
  pid: z.number(),
  process_start: z.string(),
  boot_id: z.string(),
  pid_namespace: z.string(),
  isolation: z.enum(["bwrap", "unshare", "group"]),
});

/** What a person chose on the command line. */
export const runChoices = z.object({
  agent: z.optional(z.string()),
  /** Where the agent was named; a relative program lies below it. */
  called_from: z.optional(z.string()),
  /** Agents that take over while the one before them is refused, and where they were named. */
  fallback: z.optional(strings),
  fallback_from: z.optional(z.string()),
  session: z.optional(z.string()),
  parallel: z.optional(ordinal),
  isolation: z.optional(z.enum(["auto", "on", "off"])),
  protect: z.optional(z.enum(["home", "strict", "off"])),
  deliver: z.optional(z.enum(["auto", "checkout", "branch", "ask"])),
  push: z.optional(z.enum(["auto", "ask", "never"])),
  model: z.optional(z.string()),
  permission: z.optional(z.enum(["default", "read-only", "dangerous"])),
  workspace: z.optional(z.enum(["copy", "in-place", "own-path"])),
});

/** What the worker or the look said of delegated work that is back: whole, where the state has the beginning. */
export const keptResult = z.object({ dispatch_id: text, words: z.string() });

/** The commits that Stint and its sessions made. */
export const knownCommits = strings;

/** The commands of the settings file that a person was told. */
export const toldCommands = strings;

/** Where a project's workspace lies. */
export const keptSpace = z.object({
  kind: z.enum(["own-copy", "in-place"]),
  home: text,
  /** Where its sessions find the files. */
  at: text,
  /** How its sessions were kept apart last. */
  isolation: z.prefault(z.enum(["bwrap", "unshare", "group"]), "group"),
});

export const setupRecord = z.object({
  run_id: z.string(),
  /** The workspace that was set up. */
  folder: text,
  commands: strings,
  /** Ids of the contents of all lock files. */
  lock_files: z.record(z.string(), z.string()),
  finished: z.boolean(),
  ran: z.prefault(
    z.array(
      z.object({
        command: z.string(),
        exit_code: z.nullable(z.number()),
        /** Of its output, below the folder of logs. */
        log: z.string(),
      }),
    ),
    [],
  ),
  trouble: z.optional(
    z.object({ summary: z.string(), output: z.string(), of: z.enum(["setup", "server"]) }),
  ),
});

/** The settings of a repository as runs follow them. */
export const followedSettings = z.object({
  followed: z.array(z.object({ name: text, text: z.string() })),
  /** Digest of what was found instead, while a run lived. */
  foreign: z.nullable(z.string()),
});

export type KeptSpace = Kept<z.infer<typeof keptSpace>>;
export type RunChoices = Kept<z.infer<typeof runChoices>>;
/**
 * What a session may do. `default`: change files of the work tree, asking nobody. `read-only`: only
 * look. `dangerous`: every tool without asking.
 */
export type Permission = NonNullable<RunChoices["permission"]>;
export type SetupRecord = Kept<z.infer<typeof setupRecord>>;

// What is kept while verified work follows a branch of the person's: what they want done about it, and a move
// until everything that follows from it is recorded.

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

// What is kept of an act of the manifest: its intent before it, its result after it.

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
