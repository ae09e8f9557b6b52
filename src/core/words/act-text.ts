// What an act of the manifest is called wherever a person is shown it, and what their yes is bound to: the
// same command in their own checkout is another act than in a workspace.
import type { TaskIntent } from "../schema/task.ts";

type Act = Pick<TaskIntent, "run" | "in" | "webhook">;

export function runText({ run, in: place }: Pick<Act, "run" | "in">): string | undefined {
  return run === undefined || place === undefined ? run : `${run} (in the ${place})`;
}

/** Null for a task that is no act. */
export function actText(act: Act): string | null {
  return runText(act) ?? (act.webhook === undefined ? null : `POST ${act.webhook}`);
}
