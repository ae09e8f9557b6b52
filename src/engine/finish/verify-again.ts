// What was verified is verified once more where its files are others by now: changed by hooks, or brought
// together with what the person did meanwhile. What no longer holds is no longer done.
import { checksAgain } from "../../checks/judge-task.ts";
import { brokenBy, takenBack } from "../../checks/verdict-event.ts";
import type { EventOf } from "../../core/events.ts";
import type { DoneTask } from "../../core/project-state.ts";
import type { Failing, Move } from "../../workspace/workspace.ts";
import { type Verification, verifyTask } from "../attempt/verify-task.ts";
import { asking } from "../base/fact.ts";
import { memoryOf, readStart } from "../base/kept-record.ts";
import { type Steps, withoutSteps } from "../base/persist.ts";
import type { RunContext } from "../base/run-context.ts";
import { isManifestTracked, setBoxes, writeToPersonsFile } from "../people/manifest-texts.ts";
import { setUp } from "../space/set-up.ts";
import { layTree } from "../space/task-work.ts";

export const BRANCH_CHANGED = "your branch changed since";

export interface Broken {
  readonly kind: "broken";
  readonly task: DoneTask;
  readonly what: string;
}

/** The first of these tasks that no longer holds in another tree than the one it was verified in. */
export async function* failedNow(
  context: RunContext,
  tasks: readonly DoneTask[],
  tree: string,
): Steps<Broken | null> {
  await layTree(context, tree);
  for (const task of tasks) {
    // One after another: each has the files to itself.
    const { verdict } = yield* verifyTask(context, again(context, task, tree));
    const what = brokenBy(verdict);
    if (what !== null) return { kind: "broken", task, what };
  }
  return null;
}

/** The checks that were frozen for it, where its session was the last; else those that the manifest has now. */
function again(context: RunContext, task: DoneTask, tree: string): Verification {
  const session = readStart(context, context.holder.state.counters.sessions);
  const frozen = session?.tasks.find(({ task_id }) => task_id === task.id);
  const files = frozen?.files ?? memoryOf(context, task.id).changed ?? {};
  return {
    task,
    situation: { at: "again" },
    checks: checksAgain(frozen?.checks ?? task.checks ?? [], files),
    laid: { tree, base: tree },
    files,
    hindrance: null,
  };
}

/** Nothing may call it done any longer, nor what was committed of it its work. */
export async function reopen(
  context: RunContext,
  { task, what }: Pick<Broken, "task" | "what">,
  why: string,
): Promise<EventOf<"task-reopened">> {
  const digest = setBoxes(context, [task.id], false);
  const isTracked = await isManifestTracked(context);
  const seen = isTracked ? {} : writeToPersonsFile(context, digest, [task.id]);
  const event = takenBack({ asking: asking(context), task }, what, why);
  return { ...event, manifest_digest: digest, ...seen };
}

/**
 * Before verified work moves among other files, those of the person's branch as it is now, the checks of its
 * tasks run there. What fails stays out, and is its task's unfinished work again.
 */
export async function checkMove(context: RunContext, move: Move): Promise<readonly Failing[]> {
  const failing: Failing[] = [];
  const { tree } = move.to;
  // The same files as before: nothing else can come of it.
  if (tree === move.from.tree) return failing;
  for (const { old, tasks, how } of move.commits) {
    // What the person has in their own commits is theirs.
    if (how === "found") continue;
    for (const task of context.holder.state.tasks) {
      if (!tasks.includes(task.id) || task.status !== "done") continue;
      // oxlint-disable-next-line no-await-in-loop
      await layTree(context, tree);
      // oxlint-disable-next-line no-await-in-loop
      await setUp(context, task);
      // oxlint-disable-next-line no-await-in-loop
      const failed = await withoutSteps(failedNow(context, [task], tree));
      if (failed !== null) failing.push({ old, failure: failed.what });
    }
  }
  return failing;
}
