// A project that is at work by its state while no run works on it: it was answered, or its run was killed.
// `--json` has the state as it is recorded, and next to it whether a run holds it.
import type { StatusView } from "../../core/schema/views.ts";

export const READY_TO_CONTINUE = "Ready to continue";

const AT_WORK = new Set<string>(["Running", "Validating"]);

/** Whether a project in this state waits for a run, where none is there. */
export function waitsForRun(status: string): boolean {
  return AT_WORK.has(status);
}

/** The status as a person reads it. */
export function statusWord(status: string, isHeld: boolean): string {
  return !isHeld && waitsForRun(status) ? READY_TO_CONTINUE : status;
}

/** The task that an attempt is open on while no run works on it: the next run looks at it before anything else. */
export function interruptedTask({
  current_attempt: now,
  tasks,
  roles,
}: StatusView): StatusView["tasks"][number] | null {
  if (roles.coordinator !== null) return null;
  const task = tasks.find(({ id }) => id === now?.task_id);
  return task?.status === "in_progress" || task?.status === "validating" ? task : null;
}
