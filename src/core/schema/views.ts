// What programs read: the output of every verb with --json. The schemas published under schemas/
// are generated from these.
import * as z from "zod/mini";
import { blocker } from "./items.ts";
import { journalEntry } from "./journal.ts";
import { agentId, count, instant, ordinal, projectId, slug, taskId, text } from "./scalar.ts";
import { label } from "./task.ts";

const project = z.object({
  id: projectId,
  slug,
  owner_agent: agentId,
  goal: text,
  root: text,
  folder: text,
  manifest: text,
  created_at: instant,
  updated_at: instant,
});

const progress = z.object({
  done: count,
  total: count,
  skipped: count,
  blocked: count,
});

export const problemView = z.object({
  rule: text,
  severity: z.enum(["error", "warning"]),
  line: ordinal,
  column: z.optional(ordinal),
  message: text,
  example: z.string(),
  found: z.string(),
});

export const lintView = z.object({
  files: z.array(
    z.object({
      file: text,
      tasks: count,
      errors: count,
      warnings: count,
      problems: z.array(problemView),
    }),
  ),
});

export const newView = z.object({
  project,
  status: text,
  tasks: z.array(z.object({ id: taskId, name: text, title: text, done: z.boolean() })),
  problems: z.array(problemView),
  next: text,
});

export const statusView = z.object({
  project,
  revision: ordinal,
  status: text,
  round_status: z.enum(["running", "awaiting-result", "paused", "blocked", "complete"]),
  phase: text,
  progress,
  tasks: z.array(
    z.object({
      id: taskId,
      name: text,
      title: text,
      status: text,
      attempts: count,
      labels: z.array(label),
      detail: z.nullable(text),
    }),
  ),
  /** Tasks that are not in `tasks`; all are there with --all. */
  tasks_left_out: count,
  next_action: text,
  next_checkpoint: z.nullable(text),
  blockers: z.array(blocker),
  waiting_for_a_person: z.array(z.object({ id: text, what: text, asked_at: instant })),
  roles: z.object({
    origin: text,
    coordinator: z.nullable(text),
    workers: z.array(text),
    watchdog: z.nullable(text),
    collapsed: z.boolean(),
  }),
  lease: z.object({
    held: z.boolean(),
    run_id: z.nullable(text),
    fence: count,
    why: text,
  }),
  /** How the copy in the project folder compares with the durable state. */
  folder: z.enum(["same", "behind", "missing", "foreign", "unreadable"]),
  last_event: z.nullable(journalEntry),
  resume_instructions: text,
});

export const listView = z.object({
  projects: z.array(
    z.object({
      id: projectId,
      slug,
      root: text,
      manifest: text,
      created_at: instant,
      state: z.discriminatedUnion("readable", [
        z.object({
          readable: z.literal(true),
          status: text,
          revision: ordinal,
          progress,
          held: z.boolean(),
          updated_at: instant,
        }),
        z.object({ readable: z.literal(false), reason: text }),
      ]),
    }),
  ),
});

export const logView = z.object({
  project_id: projectId,
  total: count,
  lines: z.array(journalEntry),
});

const finding = z.object({
  severity: z.enum(["fine", "notice", "problem"]),
  what: text,
  where: text,
  fix: z.nullable(text),
});

export const doctorView = z.object({
  system: z.array(finding),
  projects: z.array(z.object({ project_id: projectId, findings: z.array(finding) })),
  adoptable: z.array(z.object({ folder: text, verdict: text, details: z.array(text) })),
  repaired: z.array(
    z.object({ project_id: projectId, revision: ordinal, inferred: z.array(text) }),
  ),
});

export const errorView = z.object({
  error: z.object({
    code: text,
    message: text,
    hint: z.nullable(text),
    problems: z.optional(z.array(problemView)),
  }),
});

export type ProblemView = z.infer<typeof problemView>;
export type LintView = z.infer<typeof lintView>;
export type NewView = z.infer<typeof newView>;
export type StatusView = z.infer<typeof statusView>;
export type ListView = z.infer<typeof listView>;
export type LogView = z.infer<typeof logView>;
export type DoctorView = z.infer<typeof doctorView>;
export type FindingView = z.infer<typeof finding>;
export type ErrorView = z.infer<typeof errorView>;
export type ProgressView = z.infer<typeof progress>;
