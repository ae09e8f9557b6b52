// What was verified is verified once more where its files are others by now: changed by hooks, or brought
// together with what the person did meanwhile. What no longer holds is no longer done.
import { checksAgain } from "../../checks/judge-task.ts";
import { brokenBy, takenBack } from "../../checks/verdict-event.ts";
import type { EventOf } from "../../core/events.ts";
import type { DoneTask } from "../../core/project-state.ts";
import { isManifestTracked } from "../manifest/manifest-in-tree.ts";
import { asking } from "../base/fact.ts";
import type { RunContext } from "../base/run-context.ts";
import { readStart } from "../base/session-record.ts";
import { memoryOf } from "../base/task-memory.ts";
import { setBoxes, writeToPersonsFile } from "../manifest/set-boxes.ts";
import { layTree } from "../space/task-work.ts";
import type { Steps } from "../base/steps.ts";
import { type Verification, verifyTask } from "./verify-task.ts";

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
  const { holder, store } = context;
  const { project_id, counters } = holder.state;
  const session = readStart(store, project_id, counters.sessions);
  const frozen = session?.tasks.find(({ task_id }) => task_id === task.id);
  const files = frozen?.files ?? memoryOf(store, project_id, task.id).changed ?? {};
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
  { task, what }: Broken,
  why: string,
): Promise<EventOf<"task-reopened">> {
  const digest = setBoxes(context, [task.id], false);
  const isTracked = await isManifestTracked(context, await context.space.tip());
  const seen = isTracked ? {} : writeToPersonsFile(context, digest, [task.id]);
  const event = takenBack({ asking: asking(context), task }, what, why);
  return { ...event, manifest_digest: digest, ...seen };
}
