// Verified work is about to stand among other files, those of the person's branch as it is now: the checks of
// its tasks run there before anything moves. What fails stays out, and is its task's unfinished work again.
import type { Failing, Move } from "../../workspace/workspace.ts";
import type { RunContext } from "../base/run-context.ts";
import { withoutSteps } from "../base/steps.ts";
import { setUp } from "../space/set-up.ts";
import { layTree } from "../space/task-work.ts";
import { failedNow } from "../verify/verify-again.ts";

export async function checkMove(context: RunContext, move: Move): Promise<readonly Failing[]> {
  const failing: Failing[] = [];
  // The same files as before: nothing else can come of it.
  if (move.to.tree === move.from.tree) return failing;
  for (const { old, tasks, how } of move.commits) {
    // What the person has in their own commits is theirs.
    if (how === "found") continue;
    for (const task of context.holder.state.tasks) {
      if (!tasks.includes(task.id) || task.status !== "done") continue;
      // oxlint-disable-next-line no-await-in-loop
      await layTree(context, move.to.tree);
      // oxlint-disable-next-line no-await-in-loop
      await setUp(context, task);
      // oxlint-disable-next-line no-await-in-loop
      const failed = await withoutSteps(failedNow(context, [task], move.to.tree));
      if (failed !== null) failing.push({ old, failure: failed.what });
    }
  }
  return failing;
}
