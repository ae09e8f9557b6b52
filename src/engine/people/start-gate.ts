// What a person must say yes to before a task starts: `approve: before`, or that it is a release step.
// The yes counts for the task as it was shown, with all that stands below it; reworded, it is asked again.
import { isReleaseStep } from "../../core/written/commands.ts";
import type { Approval } from "../../core/schema/items.ts";
import type { Task } from "../../core/schema/task.ts";
import { hasGrant, needsReview } from "../../core/step/task-moves.ts";
import { sha256Of } from "../../store/digest.ts";
import { approvalRequested, type Asking } from "../base/approval-request.ts";
import { commandsOfTask } from "./consent.ts";
import type { ProjectEvent } from "../../core/events.ts";

export interface StartGate {
  readonly kind: "task-before" | "release";
  readonly subject: string;
}

/** Null where none is in the way, or the person has said yes. */
export function startGate(task: Task, releases: "ask" | "auto"): StartGate | null {
  const kind = gateKind(task, releases);
  if (kind === null) return null;
  const subject = startSubject(task);
  return hasGrant(task, kind, sha256Of(subject)) ? null : { kind, subject };
}

/** Whether the task is still the one that was shown, and still has the gate. */
export function isStartStillAsked(
  task: Task,
  { kind, subject }: Pick<Approval, "kind" | "subject">,
): boolean {
  return subject === startSubject(task) && (kind === "release" || task.approve === "before");
}

function startSubject(task: Task): string {
  // A state of an earlier version holds no details; what would be executed was always shown.
  const acts = task.run === undefined && task.webhook === undefined ? [] : commandsOfTask(task);
  const below = task.details === undefined ? acts : [task.details];
  return [`start ${task.id}: ${task.title}`, ...below].join("\n");
}

/** Who wrote their own gate, before or after, has decided where they look. */
function gateKind(task: Task, releases: "ask" | "auto"): StartGate["kind"] | null {
  if (task.approve === "before") return "task-before";
  return releases === "ask" && !needsReview(task) && isReleaseStep(task) ? "release" : null;
}

/** The request is persisted, and the gate is met when nothing else is eligible. */
export function startApproval(task: Task, { kind, subject }: StartGate, now: Asking): ProjectEvent {
  const named = `${task.id} "${task.title}"`;
  return approvalRequested(now, {
    kind,
    task_id: task.id,
    subject,
    reason:
      kind === "release"
        ? `${named} is a release step; it needs your yes before it starts`
        : `${named} needs your yes before it starts`,
    on_yes: "the task starts",
    on_no: "the task is blocked; nothing of it is executed",
  });
}
