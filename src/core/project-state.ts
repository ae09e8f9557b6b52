// What every rule knows of a state: its statuses, which are final, and S4's word for each.
import type { ProjectState, ProjectStatus } from "./schema/project.ts";

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

export function isTerminal(state: ProjectState): boolean {
  return state.status === "Done" || state.status === "Abandoned";
}
