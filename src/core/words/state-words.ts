// What a state says in words, and nothing but the state: what comes next, who holds each role, what a run is at.
import { firstEligible, isFinished, projectGate } from "../eligibility.ts";
import { currentTask, isResultAwaited, ROUND_STATUS, unfinishedTasks } from "../project-state.ts";
import type { ProjectState, Lease } from "../schema/project.ts";
import type { Task } from "../schema/task.ts";
import { doneWords } from "./task-standing.ts";
import { backWhen } from "./return-condition.ts";
import type { UpdateKind } from "../schema/notice.ts";
import type { Instant } from "../instant.ts";

export function nextAction(state: ProjectState): string {
  switch (state.status) {
    case "Draft":
      return "Approve the plan.";
    case "Ready":
    case "Running":
      return nextWork(state);
    case "Validating":
      return `Run the checks of ${labelled(currentTask(state))}.`;
    case "AwaitingResult":
      return `Wait for ${openDispatches(state)}.`;
    case "AwaitingApproval":
      return `Answer ${openItems(state)}.`;
    case "Blocked":
      return `Clear this: ${state.blockers[0].reason} (${state.blockers[0].unblock})`;
    case "Paused":
      return state.pause.resume_at === undefined
        ? `Resume with: stint resume ${state.project_id}`
        : `Wait until ${state.pause.resume_at}: a waiting run continues by itself; otherwise: stint resume ${state.project_id}`;
    case "Done":
      return `Nothing: ${doneWords(state.tasks)}.`;
    case "Abandoned":
      return "Nothing: the project was abandoned.";
    default:
      return state satisfies never;
  }
}

/** What would unblock the work or complete it; null where nothing is left. */
export function whatCompletes(state: ProjectState): string | null {
  switch (state.status) {
    case "Blocked":
      return state.blockers[0].unblock;
    case "AwaitingApproval":
      return `An answer to ${openItems(state)}.`;
    case "AwaitingResult":
      return `The return of ${awaitedResults(state)}.`;
    case "Draft":
    case "Ready":
    case "Running":
    case "Validating":
    case "Paused":
      return `${left(state)} with passing checks.`;
    case "Done":
    case "Abandoned":
      return null;
    default:
      return state satisfies never;
  }
}

function left({ tasks }: ProjectState): string {
  const open = tasks.filter((task) => !isFinished(task)).map(({ id }) => id);
  const named = open.slice(0, MOST_NAMED).join(", ");
  const more = open.length - MOST_NAMED;
  return more > 0 ? `${named} and ${more} more tasks` : named || "nothing is left but the end";
}

const MOST_NAMED = 5;

/** What each of those that are out is known by to be back. */
function awaitedResults({ dispatches }: ProjectState): string {
  return dispatches
    .flatMap((item) => (item.status === "sent" ? `${item.id} (${backWhen(item.returns)})` : []))
    .slice(0, MOST_NAMED)
    .join(", ");
}

/** When or where the next thing can be verified; null when nothing is under way. */
export function nextCheckpoint(state: ProjectState): string | null {
  const sent = state.dispatches.filter((dispatch) => dispatch.status === "sent");
  const soonest = sent.map((dispatch) => dispatch.checkpoint_at).toSorted()[0];
  if (state.status === "Paused") return state.pause.resume_at ?? null;
  const task = currentTask(state);
  if (task !== undefined) return `The checks of ${labelled(task)}.`;
  return soonest ?? null;
}

function nextWork(state: ProjectState): string {
  const current = currentTask(state);
  if (current !== undefined) {
    return `Finish attempt ${current.attempts} of ${labelled(current)}, then run its checks.`;
  }
  const next = firstEligible(state);
  if (next !== undefined) return `Start ${labelled(next)}.`;
  if (isResultAwaited(state)) return `Wait for ${openDispatches(state)}.`;
  const gate = projectGate(state);
  if (gate !== undefined) return gate;
  return state.tasks.every(isFinished) ? lastWork(state) : "No task can start now: a run says why.";
}

/** What is left when every task is finished. */
function lastWork(state: ProjectState): string {
  const push = pushApproved(state);
  if (push !== null) return `Push what was approved (${push}), then end as Done.`;
  const [done] = unfinishedTasks(state.tasks);
  return done === undefined
    ? "End as Done: every task is finished."
    : `Finish ${labelled(done)} (box and commit), then end as Done.`;
}

/** The yes to a push that is the next thing to do; null if there is none. */
export function pushApproved({ approval_items, tasks }: ProjectState): string | null {
  if (!tasks.every(isFinished)) return null;
  const last = approval_items.findLast(({ kind }) => kind === "push");
  return last?.status === "granted" ? last.id : null;
}

function labelled(task: Task | undefined): string {
  return task === undefined ? "the current task" : `${task.id} "${task.title}"`;
}

function openDispatches(state: ProjectState): string {
  return state.dispatches
    .filter((dispatch) => dispatch.status === "sent")
    .map(({ worker, owner, id, task_id }) =>
      worker.kind === "session"
        ? `session ${worker.session} on ${task_id}`
        : `${owner} to return ${id}`,
    )
    .slice(0, 3)
    .join(", ");
}

function openItems(state: ProjectState): string {
  return [...state.approval_items, ...state.questions]
    .filter((item) => item.status === "open")
    .map((item) => item.id)
    .slice(0, 5)
    .join(", ");
}

/**
 * Who holds each role now: Origin (goal and acceptance), Coordinator (state, sequence, recovery),
 * Worker (bounded sub-work), Watchdog (liveness and recovery only).
 */
export function rolesOf(state: ProjectState, lease: Lease | null) {
  const sent = state.dispatches.filter((dispatch) => dispatch.status === "sent");
  const current = currentTask(state);
  const session =
    current?.status === "in_progress"
      ? [`session ${current.attempt.session} on ${current.id}`]
      : [];
  const isHeld = lease !== null && lease.released_at === null;
  return {
    origin: state.plan?.approved_by ?? "a person",
    /** Null while no run acts for the project. */
    coordinator: isHeld ? `${lease.owner} (${lease.run_id} on ${lease.host})` : null,
    workers: [
      ...session,
      ...sent.map(({ worker, owner, id, task_id }) =>
        worker.kind === "session"
          ? `session ${worker.session} on ${task_id} (${id})`
          : `${owner} (${id} on ${task_id})`,
      ),
    ],
    /** Who ticks is a matter of the machine: a child of the run, a timer, or nobody. */
    watchdog: state.watchdog.installed ? "checked at each tick (stint watchdog status)" : null,
    /** One run does it all: nothing is delegated. */
    collapsed: sent.length === 0,
  };
}

// What Stint tells a person while it works. An update says one of four things; one that says nothing
// cannot be constructed, and its status is the persisted one, never a paraphrase.

/** While a run is at work, an update is due at least this often. */
export const UPDATE_EVERY_MS = 5 * 60 * 1000;

/** Undefined when there is nothing to say. */
export function newStatusUpdate(state: ProjectState, kind: UpdateKind, what: string, at: Instant) {
  if (what.trim() === "") return undefined;
  return {
    kind,
    at,
    revision: state.revision,
    status: state.status,
    round_status: ROUND_STATUS[state.status],
    /** The artifact, the task, the blocker or the action: what is new. */
    what: what.trim(),
    next: state.next_action,
    /** What would unblock the work; null when nothing is in its way. */
    unblocked_by: state.blockers[0]?.unblock ?? null,
  };
}

export function isUpdateDue(lastUpdateMs: number, nowMs: number): boolean {
  return nowMs - lastUpdateMs >= UPDATE_EVERY_MS;
}
