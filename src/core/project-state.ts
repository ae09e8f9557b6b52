// What every rule knows of a state: its statuses, which are final, and S4's word for each.
import type { ProjectState, ProjectStatus } from "./schema/project.ts";

export const PROJECT_STATUSES = [
  "Draft",
  "Ready",
  "Running",
  "AwaitingResult",
  "Validating",
  "AwaitingApproval",
  "Blocked",
  "Paused",
  "Done",
  "Abandoned",
] as const satisfies readonly ProjectStatus[];

export const ROUND_STATUS = {
  Draft: "paused",
  Ready: "paused",
  Running: "running",
  AwaitingResult: "awaiting-result",
  Validating: "running",
  AwaitingApproval: "paused",
  Blocked: "blocked",
  Paused: "paused",
  Done: "complete",
  // Abandoned ended without completion, so it must never read as complete (S4-25).
  Abandoned: "blocked",
} as const satisfies Record<ProjectStatus, string>;

export const PHASE = {
  Draft: "plan",
  Ready: "plan",
  Running: "execute",
  AwaitingResult: "wait",
  Validating: "validate",
  AwaitingApproval: "gate",
  Blocked: "gate",
  Paused: "gate",
  Done: "closed",
  Abandoned: "closed",
} as const satisfies Record<ProjectStatus, string>;

/** At work, or about to be. */
export function isActive({ status }: ProjectState): boolean {
  return status === "Ready" || status === "Running" || status === "Validating";
}

/** Neither before its approval, nor paused, nor over. */
export function isOpen(state: ProjectState): boolean {
  return isActive(state) || isStandingStill(state);
}

/** What only waits may go on by an answer; what is paused or over may not. */
export function isStandingStill({ status }: ProjectState): boolean {
  return status === "AwaitingApproval" || status === "Blocked" || status === "AwaitingResult";
}

export function isTerminal(state: ProjectState): boolean {
  return state.status === "Done" || state.status === "Abandoned";
}
