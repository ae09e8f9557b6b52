// Acts of the manifest, which Stint performs itself: what each is called, and how it stands.
import type { TaskIntent, Task } from "./schema/task.ts";
import type { ActIntent, ActResult } from "./schema/run-records.ts";

// What an act of the manifest is called wherever a person is shown it, and what their yes is bound to: the
// same command in their own checkout is another act than in a workspace.

type Act = Pick<TaskIntent, "run" | "in" | "protect" | "webhook">;

export function runText({
  run,
  in: place,
  protect,
}: Pick<Act, "run" | "in" | "protect">): string | undefined {
  if (run === undefined) return undefined;
  const where = place === undefined ? "" : ` (in the ${place})`;
  return `${run}${where}${protect === undefined ? "" : " (protect: off)"}`;
}

/** Null for a task that is no act. */
export function actText(act: Act): string | null {
  return runText(act) ?? (act.webhook === undefined ? null : `POST ${act.webhook}`);
}

// How an act of the manifest stands, from what was kept of it and from its task: whether it is to be done,
// was done, or nobody knows. Pure. Only a person's word, given after it was intended, lets it happen again.

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
