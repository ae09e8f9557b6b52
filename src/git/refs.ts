// Branches as people say them, and names below refs/stint/: what Stint keeps from git's garbage
// collection. Nobody pushes those.
import { StintError } from "../core/stint-error.ts";

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

/** A branch as people say it: `main` for `refs/heads/main`. */
export function branchName(ref: string): string {
  return ref.replace(/^refs\/heads\//, "");
}
