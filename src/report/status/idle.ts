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

export function isIdle({ status, roles }: StatusView): boolean {
  return waitsForRun(status) && roles.coordinator === null;
}
