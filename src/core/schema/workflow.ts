// A step of a workflow: bounded, with explicit inputs and outputs. The schema judges what Stint generates before
// it is written, and what a person made of it before it runs.
import * as z from "zod/mini";
import { nonEmpty, text } from "./scalar.ts";

export const STEP_STATUSES = ["planned", "in_progress", "done", "blocked"] as const;

export const workflowStep = z.object({
  id: text,
  title: text,
  inputs: nonEmpty(text),
  actions: nonEmpty(text),
  outputs: nonEmpty(text),
  status: z.enum(STEP_STATUSES),
});

export type WorkflowStep = z.infer<typeof workflowStep>;
export type StepStatus = (typeof STEP_STATUSES)[number];
