// A step of a workflow: bounded, with explicit inputs and outputs. Below its box it says each of its parts; Stint
// writes them so, lint refuses a step that lacks one, and the status is set beside the box.
import type { NonEmpty } from "../core/ids.ts";

export const STEP_PARTS = ["inputs", "actions", "outputs", "status"] as const;
export const STEP_STATUSES = ["planned", "in_progress", "done", "blocked"] as const;

export type StepStatus = (typeof STEP_STATUSES)[number];

export interface WorkflowStep {
  readonly id: string;
  readonly title: string;
  readonly inputs: NonEmpty<string>;
  readonly actions: NonEmpty<string>;
  readonly outputs: NonEmpty<string>;
  readonly status: StepStatus;
}
