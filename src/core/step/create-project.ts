// The first state of a project: a Draft at revision 0. The store stamps revision, fence, journal line
// and write time when it commits.
import { DEFAULT_LIMITS, defaultBudgets, type Budgets, type Limits } from "../written/bounds.ts";
import type { AgentId, ProjectId, Slug } from "../ids.ts";
import type { Instant } from "../instant.ts";
import { nextAction } from "../words/next-action.ts";
import type { ProjectState } from "../schema/project.ts";
import type { Sha256 } from "../schema/scalar.ts";
import type { TaskIntent } from "../schema/task.ts";
import { UNNAMED_PERSON, highestNumber, markedDone, planProblem } from "./manifest.ts";
import type { StateIn } from "./ruling.ts";
import { plannedTask } from "./task-moves.ts";

export interface PlannedTask {
  readonly intent: TaskIntent;
  /** Its box is checked: a person did this before Stint came. */
  readonly checked: boolean;
}

export interface NewProject {
  readonly project_id: ProjectId;
  readonly slug: Slug;
  readonly repo_id: string;
  readonly owner_agent: AgentId;
  readonly goal: string;
  readonly success_criteria: readonly string[];
  readonly tasks: readonly PlannedTask[];
  readonly manifest: { readonly path: string; readonly digest: Sha256 };
  readonly at: Instant;
  readonly limits?: Partial<Limits>;
  readonly strict?: boolean;
  readonly budgets?: Partial<Budgets>;
}

/** Throws where the tasks are no plan: the manifest's rules have refused such a one before. */
export function createProject(project: NewProject): StateIn<"Draft"> {
  const { project_id, slug, repo_id, owner_agent, goal, manifest, at } = project;
  const problem = planProblem(project.tasks.map(({ intent }) => intent));
  if (problem !== undefined) throw new Error(`The project cannot be created because ${problem}.`);
  const tasks = project.tasks.map(({ intent, checked }) =>
    checked ? markedDone(plannedTask(intent), UNNAMED_PERSON, at) : plannedTask(intent),
  );
  const state: StateIn<"Draft"> = {
    schema_version: 1,
    revision: 0,
    fence: 0,
    project_id,
    slug,
    repo_id,
    owner_agent,
    status: "Draft",
    goal,
    success_criteria: [...project.success_criteria],
    scope_guardrails: {
      limits: { ...DEFAULT_LIMITS, ...project.limits },
      strict: project.strict ?? false,
    },
    tasks,
    current_task_id: null,
    next_action: "Approve the plan.",
    next_checkpoint: null,
    blockers: [],
    approval_items: [],
    questions: [],
    dispatches: [],
    pause: null,
    counters: {
      tasks: highestNumber(tasks),
      sessions: 0,
      attempts: 0,
      approvals: 0,
      questions: 0,
      dispatches: 0,
      no_progress: 0,
      planning_only: 0,
      session_questions: 0,
    },
    budgets: { ...defaultBudgets(tasks.length), ...project.budgets },
    spent: { wall_ms: 0, tokens: null, cost_usd: null },
    last_checkpoint: null,
    last_session_note: null,
    last_error: null,
    last_error_at: null,
    resume_instructions: `Run: stint resume ${project_id}`,
    manifest: { ...manifest },
    plan: null,
    watchdog: { installed: false },
    last_event: null,
    created_at: at,
    updated_at: at,
  };
  return { ...state, next_action: nextAction(state satisfies ProjectState) };
}
