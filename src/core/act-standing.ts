// How an act of the manifest stands, from what was kept of it and from its task: whether it is to be done,
// was done, or nobody knows. Pure. Only a person's word, given after it was intended, lets it happen again.
import type { ActIntent, ActResult } from "./schema/act-record.ts";
import type { Task } from "./schema/task.ts";

export type ActStanding =
  /** Nothing of it was begun. */
  | "new"
  /** Its result is known. */
  | "known"
  /** It was begun, and nobody knows whether it took effect. */
  | "unknown"
  /** A person wants it tried once more: another try of the same act. */
  | "wanted-again"
  /** Its task was done and is to be done again: another act. */
  | "wanted-anew";

export function actStanding(
  task: Pick<Task, "undone" | "tried_again" | "reopened">,
  intent: ActIntent | undefined,
  result: ActResult | undefined,
): ActStanding {
  if (intent === undefined) return "new";
  if ((task.undone ?? 0) > (intent.undone ?? 0)) return "wanted-anew";
  if ((task.tried_again ?? 0) > intent.tried_again) return "wanted-again";
  // A result of an earlier intent says nothing about this one.
  if (result?.revision !== intent.revision) return "unknown";
  // An intent that does not say how often its task was taken back may be one of before that.
  const mayBeOld = intent.undone === undefined && task.reopened !== undefined;
  return mayBeOld ? "unknown" : "known";
}
