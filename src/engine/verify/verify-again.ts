// What was verified is verified once more where its files are others by now: changed by hooks, or brought
// together with what the person did meanwhile. What no longer holds is no longer done.
import { describeCheck } from "../../checks/check-text.ts";
import type { EventOf } from "../../core/events.ts";
import { isManifestTracked } from "../manifest/manifest-in-tree.ts";
import type { DoneTask } from "../../core/next-to-finish.ts";
import { runChecks } from "./run-checks.ts";
import { fact } from "../base/fact.ts";
import type { RunContext } from "../base/run-context.ts";
import { readStart } from "../base/session-record.ts";
import { setBoxes, writeToPersonsFile } from "../manifest/set-boxes.ts";
import { layTree } from "../space/task-work.ts";

export const BRANCH_CHANGED = "your branch changed since";

export interface Broken {
  readonly kind: "broken";
  readonly task: DoneTask;
  readonly what: string;
}

/** The first check of these tasks that fails in another tree than the one it passed in. */
export async function failedNow(
  context: RunContext,
  tasks: readonly DoneTask[],
  tree: string,
): Promise<Broken | null> {
  const { holder, store } = context;
  const session = readStart(store, holder.state.project_id, holder.state.counters.sessions);
  await layTree(context, tree);
  for (const task of tasks) {
    const frozen = session?.tasks.find(({ task_id }) => task_id === task.id);
    const checks = (frozen?.checks ?? task.checks ?? []).filter(
      ({ kind }) =>
        kind !== "review" && kind !== "agent-review" && (kind !== "file" || frozen !== undefined),
    );
    const files = new Map(Object.entries(frozen?.files ?? {}));
    // oxlint-disable-next-line no-await-in-loop
    const runs = await runChecks(context, task, checks, "after", files);
    const run = runs.find((each) => each.result === "failed");
    if (run !== undefined) {
      return { kind: "broken", task, what: `${describeCheck(run.check)} fails: ${run.summary}` };
    }
  }
  await layTree(context, tree);
  return null;
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
  return {
    kind: "task-reopened",
    ...fact(context),
    task_id: task.id,
    ...(task.commit === undefined ? {} : { commit: task.commit }),
    blocker: {
      kind: "unfulfillable",
      reason: `${task.id}: verified, but ${why}, and now ${what}`,
      unblock: "fix the cause, then: stint resume --retry",
    },
    manifest_digest: digest,
    ...seen,
  };
}
