// A small project for tests: its first state, and the acts on it that tests repeat.
import { defaultBudgets, DEFAULT_LIMITS } from "../../src/core/written/bounds.ts";
import {
  newProjectId,
  numberedTaskId,
  parseAgentId,
  parseSlug,
  type RandomBytes,
  type Slug,
} from "../../src/core/ids.ts";
import { type Instant, instantFromMs } from "../../src/core/instant.ts";
import type { ProjectState } from "../../src/core/schema/project.ts";
import { sha256Of } from "../../src/store/digest.ts";
import type { Happening, NewProject } from "../../src/store/store.ts";

export const EPOCH = Date.parse("2026-01-01T00:00:00.000Z");
export const MANIFEST_TEXT = "# Goal\n\nSay hello.\n\n# Steps\n\n- [ ] greet - Greet the world\n";

export function sampleState(slug: Slug, at: Instant, tasks = 1): ProjectState {
  return {
    schema_version: 1,
    revision: 0,
    fence: 0,
    project_id: newProjectId(() => new Uint8Array(8)),
    slug,
    repo_id: "repo",
    owner_agent: required(parseAgentId("stint")),
    status: "Draft",
    goal: "Say hello.",
    success_criteria: [],
    scope_guardrails: { limits: DEFAULT_LIMITS, strict: false },
    tasks: Array.from({ length: tasks }, (_, i) => ({
      id: numberedTaskId(i + 1),
      name: `task-${i + 1}`,
      title: `Do thing number ${i + 1}`,
      attempts: 0,
      status: "pending" as const,
    })),
    current_task_id: null,
    pause: null,
    blockers: [],
    approval_items: [],
    questions: [],
    dispatches: [],
    next_action: "Approve the plan",
    next_checkpoint: null,
    counters: {
      tasks,
      sessions: 0,
      attempts: 0,
      approvals: 0,
      questions: 0,
      dispatches: 0,
      no_progress: 0,
      planning_only: 0,
      session_questions: 0,
    },
    budgets: defaultBudgets(tasks),
    spent: { wall_ms: 0, tokens: null, cost_usd: null },
    last_checkpoint: null,
    last_session_note: null,
    last_error: null,
    last_error_at: null,
    resume_instructions: "stint run",
    manifest: { path: "prompt.md", digest: sha256Of(MANIFEST_TEXT) },
    plan: null,
    watchdog: { installed: false },
    last_event: null,
    created_at: at,
    updated_at: at,
  };
}

export function sampleProject(
  root: string,
  random: RandomBytes,
  options: { manifest?: string; slug?: string; tasks?: number } = {},
): NewProject {
  const at = instantFromMs(EPOCH);
  return {
    entry: {
      project_id: newProjectId(random),
      owner_agent: required(parseAgentId("stint")),
      root,
      manifest: options.manifest ?? "prompt.md",
      created_at: at,
    },
    slug: required(parseSlug(options.slug ?? "prompt")),
    projectsFolder: "agents/stint/projects",
    manifestText: MANIFEST_TEXT,
    firstState(slug) {
      const state = sampleState(slug, at, options.tasks);
      const path = options.manifest ?? state.manifest.path;
      return { ...state, manifest: { ...state.manifest, path } };
    },
    happening: happening("project-created", EPOCH),
  };
}

export function happening(kind: string, atMs: number, data?: Record<string, unknown>): Happening {
  const base = { at: instantFromMs(atMs), kind, by: "test", summary: `${kind} happened` };
  return data === undefined ? base : { ...base, data };
}

export function required<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("a value that the test relies on is missing");
  return value;
}
