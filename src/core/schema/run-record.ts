// What runs keep for the runs after them: where they worked, how they were called, what they started.
import * as z from "zod/mini";
import type { Kept } from "./kept.ts";
import { runId, text } from "./scalar.ts";

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
  isolation: z.optional(z.enum(["auto", "on", "off"])),
  deliver: z.optional(z.enum(["auto", "checkout", "branch", "ask"])),
  push: z.optional(z.enum(["auto", "ask", "never"])),
  model: z.optional(z.string()),
  permission: z.optional(z.enum(["default", "read-only", "dangerous"])),
  workspace: z.optional(z.enum(["copy", "in-place", "own-path"])),
});

/** The commits that Stint and its sessions made. */
export const knownCommits = strings;

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
export type SetupRecord = Kept<z.infer<typeof setupRecord>>;
