// `status`, `list` and `log`: where projects stand, from their last durable revisions. Takes no lock.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { hasBoundsOfItsOwn } from "../core/bounds-used.ts";
import { pathInTree } from "../core/files.ts";
import { approvalCommands, questionCommands } from "../core/asking.ts";
import { isFinished } from "../core/eligibility.ts";
import type { ProjectId } from "../core/ids.ts";
import { PHASE, ROUND_STATUS } from "../core/project-state.ts";
import { failureLine } from "../core/words/failure-line.ts";
import { rolesOf, whatCompletes } from "../core/words/state-words.ts";
import { isMarked, NOT_VERIFIED, standingOf } from "../core/words/task-standing.ts";
import { PROVIDER_ANSWERED, PROVIDER_WAITED_FOR } from "../core/words/retries-told.ts";
import { stopAskedIn } from "../core/words/stop-asked.ts";
import type { JournalEntry, ProjectState } from "../core/schema/project.ts";
import type { Task } from "../core/schema/task.ts";
import { sessionsSpent } from "../core/step/budgets.ts";
import type { ListView, LogView, ProgressView, StatusView } from "../core/schema/views.ts";
import type { RegistryEntry, Snapshot } from "../store/store.ts";
import { hasSpace } from "../engine/space/has-space.ts";

import type { TreeFields } from "./bounds-view.ts";
import { resolveProject } from "./resolve-project.ts";
import type { SpaceStatus } from "./space-status.ts";
import type { System } from "./system.ts";
import { tasksAroundNow } from "../report/status/tasks-around-now.ts";
import { evidenceTexts } from "../core/words/evidence-text.ts";
import { orFault } from "./faults.ts";

export interface StatusInput {
  readonly project?: string | undefined;
  /** Every task, not only those around the current one. */
  readonly all?: boolean;
}

export async function status(system: System, input: StatusInput): Promise<StatusView> {
  const id = await resolveProject(system, input.project);
  const snapshot = system.store.read(id);
  const { entry, state, folder, lease } = snapshot;
  const shown = input.all === true ? state.tasks : tasksAroundNow(state.tasks);
  const inTree = await treeFieldsOf(system, state);
  const { workers, ...roles } = rolesOf(state, lease.held ? lease.lease : null);
  return {
    project: projectView(entry, state),
    revision: state.revision,
    status: state.status,
    round_status: ROUND_STATUS[state.status],
    phase: PHASE[state.status],
    progress: progressOf(state),
    tasks: shown.map((task) => ({
      id: task.id,
      name: task.name,
      title: task.title,
      status: task.status,
      attempts: task.attempts,
      labels: [...(task.labels ?? [])],
      ...(task.label_reasons !== undefined && { label_reasons: task.label_reasons }),
      spent: task.spent ?? null,
      detail: detailOf(task, state),
      ...inTree(task),
    })),
    tasks_left_out: state.tasks.length - shown.length,
    next_action: state.next_action,
    next_checkpoint: state.next_checkpoint,
    blockers: [...state.blockers],
    waiting_for_a_person: waitingFor(state),
    pause: state.pause,
    agent_limits: [...(state.agent_limits ?? [])],
    current_attempt: currentAttempt(state),
    last_failure: lastFailure(state),
    session_ends: sessionEnds(entry, state),
    provider_waits: lease.held ? providerWaits(system, state) : [],
    budget: budgetOf(state),
    roles: { ...roles, workers: [...workers] },
    lease: {
      held: lease.held,
      run_id: lease.lease?.run_id ?? null,
      fence: lease.lease?.fence ?? 0,
      why: lease.why,
    },
    stop_asked: stopAsked(system, snapshot),
    background: await backgroundOf(system, id),
    ...(await spaceStatusOf(system, snapshot)),
    proof: state.proof ?? null,
    folder,
    last_event: state.last_event,
    done_when: whatCompletes(state),
    resume_instructions: state.resume_instructions,
  };
}

/** A live run in the background, also one that waits and holds no lease. */
async function backgroundOf(system: System, id: ProjectId): Promise<StatusView["background"]> {
  if (!existsSync(join(system.stateHome, "detached", id))) return null;
  const files = await system.detachedFiles();
  const run = files.current(id);
  if (run === undefined || !files.isAlive(run)) return null;
  return { pid: run.pid, log: files.logPath(id, run.name), since: run.started_at };
}

/** Only a project that was run has any of it, and only for that one the schemas of kept files are loaded. */
async function spaceStatusOf({ store }: System, snapshot: Snapshot): Promise<SpaceStatus> {
  const { entry, state } = snapshot;
  const delivery = state.delivery ?? null;
  if (!hasSpace(store, entry) && delivery === null) {
    return { workspace: null, delivery, delivery_cut_short: null, manifest_not_adopted: null };
  }
  const { spaceStatus } = await import("./space-status.ts");
  return await spaceStatus(store, snapshot);
}

/** The manifest and the journal are read only where there may be a tree, or bounds to tell. */
async function treeFieldsOf(
  { store }: System,
  state: ProjectState,
): Promise<(task: Task) => TreeFields> {
  const isOwn = hasBoundsOfItsOwn(state) || pathInTree(state.manifest.path) === null;
  if (!isOwn) return () => ({});
  const { treeFields } = await import("./bounds-view.ts");
  return treeFields(store, state);
}

function awaitedText(
  { dispatch_id, attempt }: Extract<Task, { status: "awaiting_result" }>,
  dispatches: ProjectState["dispatches"],
): string {
  const worker = dispatches.find(({ id }) => id === dispatch_id)?.worker;
  if (worker?.kind !== "session") return `waits for ${dispatch_id}`;
  return `attempt ${attempt.number}, session ${worker.session} in parallel (${dispatch_id})`;
}

export function detailOf(task: Task, { dispatches }: ProjectState): string | null {
  switch (task.status) {
    case "blocked":
    case "skipped":
      return task.reason;
    case "awaiting_approval":
      return `waits for approval ${task.approval_id}`;
    case "awaiting_result":
      return awaitedText(task, dispatches);
    case "in_progress":
    case "validating":
      return `attempt ${task.attempt.number}, session ${task.attempt.session}`;
    case "done":
      return doneText(task);
    case "pending":
    case "superseded":
      return task.last_failure === undefined ? null : `failed before: ${task.last_failure.check}`;
    default:
      return task satisfies never;
  }
}

function doneText(task: Extract<Task, { status: "done" }>): string {
  const evidence = evidenceTexts(task).join(", ");
  const standing = standingOf(task);
  if (standing === "marked") return `${evidence}, ${NOT_VERIFIED}`;
  return standing === "by-exit-code" ? `by exit code, ${evidence}` : evidence;
}

function currentAttempt(state: ProjectState): StatusView["current_attempt"] {
  const task = state.tasks.find(({ id }) => id === state.current_task_id);
  if (task === undefined || !("attempt" in task) || task.attempt === undefined) return null;
  const { number, session, started_at } = task.attempt;
  const allowed = state.budgets.attempts_per_task + (task.extra_attempts ?? 0);
  return { task_id: task.id, number, allowed, session, started_at };
}

/** What passed since and waits for a yes did not fail last. */
function lastFailure(state: ProjectState): StatusView["last_failure"] {
  const failed = state.tasks
    .filter((task) => !isFinished(task) && task.status !== "awaiting_approval")
    .flatMap(({ id, last_failure }) => (last_failure === undefined ? [] : [{ id, last_failure }]))
    .toSorted((a, b) => a.last_failure.at.localeCompare(b.last_failure.at))
    .at(-1);
  if (failed === undefined) return null;
  const { attempt, check, excerpt, at } = failed.last_failure;
  return { task_id: failed.id, attempt, check, line: failureLine(excerpt), at };
}

function sessionEnds({ root, folder }: RegistryEntry, { tasks }: ProjectState): SessionEnds {
  return tasks
    .filter((task) => !isFinished(task))
    .flatMap(({ id: task_id, last_end }) => {
      if (last_end === undefined) return [];
      const { log: path, ...end } = last_end;
      return { task_id, ...end, log: path === undefined ? null : join(root, folder, path) };
    })
    .toSorted((a, b) => a.session - b.session);
}

type SessionEnds = StatusView["session_ends"];

/** Of the journal: what a run told since a session began, or a stop was asked for, is seldom more. */
const LAST_LINES = 100;

function stopAsked({ store }: System, { state, lease }: Snapshot): StatusView["stop_asked"] {
  if (!lease.held || lease.lease === null) return null;
  return stopAskedIn(store.journal(state.project_id, LAST_LINES), lease.lease.acquired_at);
}

/** As the last line about each session that is at work has it. */
function providerWaits({ store }: System, state: ProjectState): StatusView["provider_waits"] {
  const atWork = new Set(
    state.tasks.flatMap((task) =>
      "attempt" in task && task.attempt !== undefined && task.status !== "validating"
        ? [task.attempt.session]
        : [],
    ),
  );
  if (atWork.size === 0) return [];
  const last = new Map<number, JournalEntry>();
  for (const line of store.journal(state.project_id, LAST_LINES)) {
    const session = line.data?.["session"];
    const isAbout = line.kind === PROVIDER_WAITED_FOR || line.kind === PROVIDER_ANSWERED;
    if (isAbout && typeof session === "number" && atWork.has(session)) last.set(session, line);
  }
  return [...last].flatMap(([session, { kind, summary: text, at }]) =>
    kind === PROVIDER_WAITED_FOR ? [{ session, text, at }] : [],
  );
}

function budgetOf({ budgets, spent, counters }: ProjectState): StatusView["budget"] {
  const amounts = {
    sessions: {
      used: sessionsSpent(counters),
      allowed: budgets.sessions,
      refused: counters.refused_sessions ?? 0,
    },
    wall_ms: { used: spent.wall_ms, allowed: budgets.wall_ms },
    tokens: {
      used: spent.tokens,
      allowed: budgets.tokens,
      unknown: spent.unknown_tokens ?? 0,
    },
    cost_usd: {
      used: spent.cost_usd,
      allowed: budgets.cost_usd,
      unknown: spent.unknown_cost ?? 0,
    },
  };
  const isSpent = (name: keyof typeof amounts): boolean => {
    const { used, allowed } = amounts[name];
    return allowed !== null && (used ?? 0) >= allowed;
  };
  const names = {
    sessions: "sessions",
    wall_ms: "hours",
    tokens: "tokens",
    cost_usd: "usd",
  } as const;
  const first = (Object.keys(names) as (keyof typeof names)[]).find(isSpent);
  return { ...amounts, spent: first === undefined ? null : names[first] };
}

function waitingFor(state: ProjectState): StatusView["waiting_for_a_person"] {
  const approvals = state.approval_items
    .filter((item) => item.status === "open")
    .map((item) => ({
      id: item.id,
      kind: item.kind,
      what: item.reason,
      asked_at: item.asked_at,
      expires_at: item.expires_at ?? null,
      ...approvalCommands(item, state.project_id),
    }));
  const questions = state.questions
    .filter((item) => item.status === "open")
    .map((item) => ({
      id: item.id,
      kind: "question",
      what: item.text,
      asked_at: item.asked_at,
      expires_at: null,
      ...questionCommands(item, state.project_id),
    }));
  return [...approvals, ...questions];
}

export function list(system: System): ListView {
  return {
    projects: system.store.list().map((entry) => ({
      id: entry.project_id,
      slug: entry.slug,
      root: entry.root,
      manifest: entry.manifest,
      created_at: entry.created_at,
      state: stateOf(system, entry),
    })),
    damaged: system.store.damaged().map(({ project_id, path, fault }) => ({
      project_id,
      path,
      reason: fault.message,
      fix: fault.hint,
    })),
  };
}

function stateOf(system: System, entry: RegistryEntry): ListView["projects"][number]["state"] {
  const read = orFault(() => system.store.read(entry.project_id));
  if (!read.ok) return { readable: false, reason: read.fault.message };
  const { state, lease } = read.value;
  return {
    readable: true,
    status: state.status,
    revision: state.revision,
    progress: progressOf(state),
    delivery: state.delivery ?? null,
    held: lease.held,
    updated_at: state.updated_at,
  };
}

export interface LogInput {
  readonly project?: string | undefined;
  /** Only the last so many lines. */
  readonly lines?: number | undefined;
}

export async function log(system: System, input: LogInput): Promise<LogView> {
  const id = await resolveProject(system, input.project);
  const lines = system.store.journal(id);
  const shown = input.lines === undefined ? lines : lines.slice(-input.lines);
  return { project_id: id, total: lines.length, lines: shown };
}

export function projectView(entry: RegistryEntry, state: ProjectState): StatusView["project"] {
  return {
    id: entry.project_id,
    slug: entry.slug,
    owner_agent: entry.owner_agent,
    goal: state.goal,
    root: entry.root,
    folder: entry.folder,
    manifest: entry.manifest,
    created_at: state.created_at,
    updated_at: state.updated_at,
  };
}

/** Superseded tasks were removed from the manifest, so they are no part of the whole. */
export function progressOf(state: ProjectState): ProgressView {
  const progress = { done: 0, total: 0, skipped: 0, blocked: 0, marked: 0 };
  for (const task of state.tasks) {
    if (task.status === "superseded") continue;
    progress.total += 1;
    if (task.status === "done") progress.done += 1;
    if (task.status === "skipped") progress.skipped += 1;
    if (task.status === "blocked") progress.blocked += 1;
    if (isMarked(task)) progress.marked += 1;
  }
  return progress;
}
