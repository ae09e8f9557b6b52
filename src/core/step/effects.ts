// What must be done after a state is durable. Effects are data; each is safe to perform again, so a
// crash between the state and its effects is healed by performing them once more.
import type { DispatchId, TaskId } from "../ids.ts";
import type { Instant } from "../instant.ts";

export type Effect =
  /** Checks the task's box. Repeating finds it checked. */
  | { readonly kind: "flip-box"; readonly task_id: TaskId }
  /** Unchecks the task's box. Repeating finds it unchecked. */
  | { readonly kind: "unflip-box"; readonly task_id: TaskId }
  /** Commits the task's work with its trailer. Repeating finds the trailer in the history. */
  | { readonly kind: "commit-work"; readonly task_id: TaskId }
  /** Ends every process of a session. Repeating finds none. */
  | { readonly kind: "end-session"; readonly session: number; readonly reason: string }
  /** Tells a worker that its result is no longer wanted. Repeating tells it again. */
  | { readonly kind: "recall-dispatch"; readonly dispatch_id: DispatchId }
  /** Looks for a worker's result at that time. Repeating replaces the appointment. */
  | {
      readonly kind: "schedule-checkpoint";
      readonly dispatch_id: DispatchId;
      readonly at: Instant;
    }
  /** Resumes the project at that time. Repeating replaces the appointment. */
  | { readonly kind: "schedule-resume"; readonly at: Instant }
  /** Takes back any appointment to resume. Repeating finds none. */
  | { readonly kind: "cancel-resume" }
  /** Installs the watchdog. Repeating finds it installed. */
  | { readonly kind: "install-watchdog" }
  /** Removes the watchdog. Repeating finds none. */
  | { readonly kind: "remove-watchdog" }
  /** Tells the person; keyed by revision, so that repeating sends nothing twice. */
  | { readonly kind: "notify-person"; readonly about: string }
  /** Writes handoff.md from the state. Repeating writes the same bytes. */
  | { readonly kind: "write-handoff" };
