// What comes next, in words, from the state alone: the exact next action and the next checkpoint.
import { firstEligible, projectGate } from "../eligibility.ts";
import { currentTask } from "../project-state.ts";
import type { ProjectState } from "../schema/project.ts";
import type { Task } from "../schema/task.ts";

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
        : `Wait until ${state.pause.resume_at}: a run that waits goes on by itself, else: stint resume ${state.project_id}`;
    case "Done":
      return "Nothing: every task is done.";
    case "Abandoned":
      return "Nothing: the project was abandoned.";
    default:
      return state satisfies never;
  }
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
  return projectGate(state) ?? "Find out what is left: no task is eligible.";
}

function labelled(task: Task | undefined): string {
  return task === undefined ? "the current task" : `${task.id} "${task.title}"`;
}

function openDispatches(state: ProjectState): string {
  return state.dispatches
    .filter((dispatch) => dispatch.status === "sent")
    .map((dispatch) => `${dispatch.owner} to return ${dispatch.id}`)
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
