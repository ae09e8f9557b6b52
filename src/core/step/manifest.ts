// A person's manifest becomes the plan: of a new project, and again each time that it changes. Progress is never
// dropped: a removed task keeps what it had, and has it again if it comes back.
import { DEFAULT_LIMITS, defaultBudgets, type Budgets, type Limits } from "../written/bounds.ts";
import type { AgentId, ProjectId, Slug, TaskId } from "../ids.ts";
import type { Instant } from "../instant.ts";
import { nextAction } from "../words/state-words.ts";
import type { ProjectState } from "../schema/project.ts";
import type { Sha256 } from "../schema/scalar.ts";
import type { TaskIntent, Task } from "../schema/task.ts";
import { type StateIn, type Ruling, change, refuse, withdrawItems } from "./ruling.ts";
import {
  checkedAnew,
  plannedTask,
  done,
  reopened,
  restored,
  reworded,
  superseded,
} from "./task-moves.ts";
import type { AdoptedTask, EventOf } from "../events.ts";
import { isFinished } from "../eligibility.ts";
import { advisedNoMore, withoutBlockersOf } from "./blockers.ts";
import { chunksOf, withChunks } from "./chunks.ts";

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
  readonly page?: string;
  readonly budgets?: Partial<Budgets>;
  /** False: without a watchdog, as the settings say. */
  readonly watched?: boolean;
}

/**
 * The first state of a project: a Draft at revision 0. The store stamps revision, fence, journal line and write
 * time when it commits. Throws where the tasks are no plan: the manifest's rules have refused such a one before.
 */
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
    watchdog: { installed: project.watched ?? true },
    ...(project.page === undefined ? {} : { page: project.page }),
    last_event: null,
    created_at: at,
    updated_at: at,
  };
  return { ...state, next_action: nextAction(state satisfies ProjectState) };
}

export function manifestAdopted(state: ProjectState, event: EventOf<"manifest-adopted">): Ruling {
  const problem = planProblem(event.tasks.map(({ intent }) => intent));
  if (event.goal.trim() === "") return refuse("The manifest cannot be adopted without a goal.");
  if (problem !== undefined) return refuse(`The manifest cannot be adopted because ${problem}.`);

  const before = new Map(state.tasks.map((task) => [task.id, task]));
  const chunk = event.tasks.find(({ intent }) => before.get(intent.id)?.chunk_of !== undefined);
  if (chunk !== undefined) {
    return refuse(
      `The manifest cannot be adopted because ${chunk.intent.id} is the id of a chunk; give its task another one.`,
    );
  }
  const who = event.by === state.owner_agent ? UNNAMED_PERSON : event.by;
  const kept = event.tasks.map((adopted) =>
    adopt(before.get(adopted.intent.id), adopted, who, event.at),
  );
  const keptIds = new Set([...kept, ...chunksOf(state.tasks, kept)].map((task) => task.id));
  const removed = state.tasks
    .filter((task) => !keptIds.has(task.id))
    .map((task) => (task.status === "superseded" ? task : superseded(task, event.at)));
  const tasks = [...withChunks(kept, state.tasks), ...removed];

  const settled = new Set(tasks.filter(isFinished).map((task) => task.id));
  const isNewlySettled = (id: TaskId | undefined) =>
    id !== undefined && settled.has(id) && !isSettledIn(before, id);
  const edited = new Set(kept.filter((task) => before.get(task.id) !== task).map(({ id }) => id));
  const isEdited = (id: TaskId | undefined) => id !== undefined && edited.has(id);
  const current = state.current_task_id;
  const isCurrentGone = current !== null && settled.has(current);
  return change(
    `adopted the manifest: ${describe(before, kept, removed)}${naming(event.changes ?? [])}`,
    {
      ...withdrawItems(state, isNewlySettled, "its task was removed from the plan", event.at),
      goal: event.goal,
      success_criteria: [...event.success_criteria],
      scope_guardrails: {
        ...state.scope_guardrails,
        strict: event.strict ?? state.scope_guardrails.strict,
      },
      ...(event.page === undefined ? {} : { page: event.page ?? undefined }),
      tasks,
      blockers: withoutBlockersOf(state, isNewlySettled).map((blocker) =>
        isEdited(blocker.task_id) ? advisedNoMore(blocker) : blocker,
      ),
      counters: {
        ...state.counters,
        tasks: Math.max(state.counters.tasks, highestNumber(tasks)),
      },
    },
    { current: isCurrentGone ? null : current },
  );
}

/** The first reason why these intents are no plan; undefined when they are one. */
function planProblem(
  intents: readonly { readonly id: TaskId; readonly after?: readonly TaskId[] | undefined }[],
): string | undefined {
  const ids = new Set<TaskId>();
  for (const { id } of intents) {
    if (ids.has(id)) return `two tasks have the id ${id}`;
    ids.add(id);
  }
  for (const { id, after } of intents) {
    const unknown = after?.find((needed) => !ids.has(needed) || needed === id);
    if (unknown !== undefined) return `task ${id} comes after ${unknown}, which is not possible`;
  }
  return undefined;
}

/** The highest n of the ids `t<n>`, which are never given out again. */
export function highestNumber(tasks: readonly { readonly id: TaskId }[]): number {
  let highest = 0;
  for (const { id } of tasks) {
    const digits = /^t([1-9]\d{0,8})$/.exec(id)?.[1];
    if (digits !== undefined) highest = Math.max(highest, Number(digits));
  }
  return highest;
}

function adopt(
  known: Task | undefined,
  { intent, marked }: AdoptedTask,
  who: string,
  at: Instant,
): Task {
  const back = known?.status === "superseded" ? restored(known) : known;
  const task = back === undefined ? plannedTask(intent) : reworded(back, intent);
  if (marked === "checks-changed" && task.status === "done") return checkedAnew(task);
  if (marked === "reopened" && (task.status === "done" || task.status === "skipped")) {
    return reopened(task, { by: who, at, reason: "its box was unchecked" });
  }
  // Where there are checks they decide, not the box.
  const hasNoChecks = (task.checks?.length ?? 0) === 0;
  return marked === "done" && hasNoChecks && !isFinished(task) ? markedDone(task, who, at) : task;
}

/** The done tasks that new checks make undone. */
export function checkedAnewBy(
  tasks: readonly Task[],
  intents: readonly TaskIntent[],
): readonly TaskId[] {
  const wanted = new Map(intents.map((intent) => [intent.id, intent]));
  return tasks.flatMap((task) => {
    const intent = wanted.get(task.id);
    return intent !== undefined && hasNewCheck(task, intent) ? [task.id] : [];
  });
}

/** What it was done by does not tell what is asked now. A check that is no longer asked for takes nothing away. */
function hasNewCheck({ status, checks: known = [] }: Task, { checks = [] }: TaskIntent): boolean {
  // One that was taken out of the manifest may come back.
  if (status !== "done" && status !== "superseded") return false;
  const before = new Set(known.map((check) => JSON.stringify(check)));
  return checks.some((check) => !before.has(JSON.stringify(check)));
}

/** Who checked a box is seldom known; that it was a person is. */
const UNNAMED_PERSON = "a person";

/** A task that a person says is done. */
function markedDone(task: Task, who: string, at: Instant): Task {
  return done(task, [{ kind: "person", who }], { labels: [] }, at);
}

function isSettledIn(before: ReadonlyMap<TaskId, Task>, id: TaskId): boolean {
  const task = before.get(id);
  return task !== undefined && isFinished(task);
}

function describe(
  before: ReadonlyMap<TaskId, Task>,
  kept: readonly Task[],
  removed: readonly Task[],
): string {
  const added = kept.filter((task) => !before.has(task.id)).length;
  const gone = removed.filter((task) => task !== before.get(task.id)).length;
  return `${kept.length} tasks, ${added} added, ${gone} removed`;
}

const NAMED_CHANGES = 8;

function naming(changes: readonly string[]): string {
  if (changes.length === 0) return "";
  const more = changes.length - NAMED_CHANGES;
  const rest = more > 0 ? [`and ${more} more`] : [];
  return ` (${[...changes.slice(0, NAMED_CHANGES), ...rest].join("; ")})`;
}

export function manifestRead(state: ProjectState): Ruling {
  return change(`${state.manifest.path} contains nothing new`, {}, { to: state.status });
}
