// Puts a change into its status. The constructors give each status exactly what its type demands;
// `settledStatus` ends a wait whose reason is gone, so that no state waits for nothing.
import { firstEligible } from "../eligibility.ts";
import type { TaskId } from "../ids.ts";
import { isPersonAwaited, isResultAwaited } from "../project-state.ts";
import type { ProjectState, ProjectStatus } from "../schema/project.ts";
import type { Body, Change } from "./ruling.ts";

export function place(state: ProjectState, change: Change): ProjectState {
  const body: Body = { ...state, ...change.changes };
  const current = change.current === undefined ? state.current_task_id : change.current;
  const to = change.to ?? settledStatus(state.status, body, current);
  const idle = { current_task_id: null, pause: null };
  switch (to) {
    case "Draft":
    case "Ready":
    case "AwaitingApproval":
    case "Done":
    case "Abandoned":
      return { ...body, ...idle, status: to };
    case "Running":
      return { ...body, status: to, current_task_id: current, pause: null };
    case "AwaitingResult": {
      const [first, ...others] = body.dispatches;
      if (first === undefined) throw new Error("AwaitingResult without a dispatch");
      return { ...body, ...idle, status: to, dispatches: [first, ...others] };
    }
    case "Validating":
      if (current === null) throw new Error("Validating without a task");
      return { ...body, status: to, current_task_id: current, pause: null };
    case "Blocked": {
      const [first, ...others] = body.blockers;
      if (first === undefined) throw new Error("Blocked without a blocker");
      return { ...body, ...idle, status: to, blockers: [first, ...others] };
    }
    case "Paused": {
      const pause = change.pause ?? state.pause;
      if (pause === null) throw new Error("Paused without a reason");
      return { ...body, status: to, current_task_id: current, pause };
    }
    default:
      return to satisfies never;
  }
}

function settledStatus(from: ProjectStatus, body: Body, current: TaskId | null): ProjectStatus {
  switch (from) {
    case "Validating":
      return current === null ? "Running" : from;
    case "AwaitingResult":
      return isResultAwaited(body) && !hasEligible(body) ? from : "Running";
    case "AwaitingApproval":
      return isPersonAwaited(body) && !hasEligible(body) ? from : "Running";
    case "Blocked":
      return body.blockers.length > 0 && !hasEligible(body) ? from : "Running";
    case "Draft":
    case "Ready":
    case "Running":
    case "Paused":
    case "Done":
    case "Abandoned":
      return from;
    default:
      return from satisfies never;
  }
}

export function hasEligible(body: Body): boolean {
  return firstEligible(body) !== undefined;
}
