// A small valid project for tests of the store.
import { createHash } from "node:crypto";
import { DEFAULT_LIMITS, defaultBudgets } from "../../src/core/bounds.ts";
import { numberedTaskId, type ProjectId, type Slug } from "../../src/core/ids.ts";
import type { Instant } from "../../src/core/instant.ts";
import * as scalar from "../../src/core/schema/scalar.ts";
import type { ProjectState } from "../../src/core/schema/project.ts";
import type { NewProject } from "../../src/store/store.ts";

export const SAMPLE_MANIFEST = "# Goal\n\nShip it.\n\n# Steps\n\n- [ ] Write it\n";

export function sha256Of(text: string): scalar.Sha256 {
  return scalar.sha256.parse(createHash("sha256").update(text, "utf8").digest("hex"));
}

export function sampleProject(root: string, id: ProjectId, at: Instant): NewProject {
  return {
    entry: {
      project_id: id,
      owner_agent: scalar.agentId.parse("stint"),
      root,
      manifest: "prompt.md",
      created_at: at,
    },
    slug: scalar.slug.parse("prompt"),
    projectsFolder: "agents/stint/projects",
    manifestText: SAMPLE_MANIFEST,
    firstState: (slug) => sampleState(id, slug, at),
    happening: { at, kind: "created", by: "test", summary: "created" },
  };
}

/** One line per page that names the revision, so that a stale page is seen. */
export function samplePages(state: ProjectState): Record<string, string> {
  return { "README.md": `revision ${state.revision}\n` };
}

function sampleState(id: ProjectId, slug: Slug, at: Instant): ProjectState {
  return {
    schema_version: 1,
    status: "Ready",
    revision: 1,
    fence: 0,
    project_id: id,
    slug,
    repo_id: "repo",
    owner_agent: scalar.agentId.parse("stint"),
    goal: "Ship it.",
    success_criteria: [],
    scope_guardrails: { limits: DEFAULT_LIMITS, strict: false },
    tasks: [
      {
        id: numberedTaskId(1),
        name: "Write it",
        title: "Write it",
        status: "pending",
        attempts: 0,
      },
    ],
    current_task_id: null,
    pause: null,
    next_action: "created",
    next_checkpoint: null,
    blockers: [],
    approval_items: [],
    questions: [],
    dispatches: [],
    counters: {
      tasks: 1,
      sessions: 0,
      attempts: 0,
      approvals: 0,
      questions: 0,
      dispatches: 0,
      no_progress: 0,
      same_failure: 0,
      planning_only: 0,
      question_sessions: 0,
      session_questions: 0,
    },
    budgets: defaultBudgets(1),
    spent: { wall_ms: 0, tokens: null, cost_usd: null },
    last_checkpoint: null,
    last_session_note: null,
    last_error: null,
    last_error_at: null,
    resume_instructions: "Run it again.",
    manifest: { path: "prompt.md", digest: sha256Of(SAMPLE_MANIFEST) },
    plan: null,
    watchdog: { installed: false },
    last_event: null,
    created_at: at,
    updated_at: at,
  };
}
