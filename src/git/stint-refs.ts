// Names below refs/stint/: what Stint keeps from git's garbage collection. Nobody pushes them.
import { StintError } from "../core/stint-error.ts";

/** The work tree at the start of a session, or of a task without one. No task can be named `_start`. */
export function startRef(project: string, of: number | string): string {
  return checked(`refs/stint/${project}/_start/${of}`);
}

/** What an attempt left behind when another task began. */
export function parkRef(project: string, task: string, attempt: number): string {
  return checked(`refs/stint/${project}/${task}/${attempt}`);
}

export function checked(ref: string): string {
  if (/^refs\/stint(?:\/[\w][\w-]*)+$/.test(ref)) return ref;
  throw new StintError(
    "bad-input",
    `${ref} is not a ref that Stint may write`,
    "Refs of Stint look like refs/stint/<project>/<task>/<attempt>.",
  );
}
