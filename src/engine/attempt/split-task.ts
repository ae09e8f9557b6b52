// A task that is to be split is not attempted: it becomes chunks. Its child workflow is due when its turn comes;
// what a session showed to be too large is split before the next attempt, and what it left goes to the first
// chunk. That is kept before the split is persisted: the task itself begins anew by being split, so a kill
// between the two leaves the work where it was.
import { fileBaseline } from "../../checks/file-check.ts";
import { checkKey } from "../../checks/check-text.ts";
import type { EventOf } from "../../core/events.ts";
import type { Task } from "../../core/schema/task.ts";
import { maySplit } from "../../core/step/chunks.ts";
import { ownAttempts } from "../../core/step/task-moves.ts";
import { handedOver, splitBegun } from "../../core/task-memory.ts";
import { fact } from "../base/fact.ts";
import { memoryOfStarted, remember } from "../base/kept-record.ts";
import type { Steps } from "../base/persist.ts";
import type { RunContext } from "../base/run-context.ts";
import { plannedTask } from "../people/manifest-texts.ts";
import { chunksOfRest, chunksOfStep } from "./chunk-intents.ts";

type Split = Pick<EventOf<"task-split">, "reason" | "chunks">;

/** Null where the task is attempted as it is. `failing` are the keys of its checks that fail now. */
export function splitDue(
  context: RunContext,
  task: Task,
  failing: readonly string[],
): Split | null {
  const { state } = context.holder;
  if (!maySplit(state.tasks, task)) return null;
  const next = state.counters.tasks + 1;
  if (task.child !== undefined && ownAttempts(task) === 0) {
    const reason = `its child workflow ${task.child} is due`;
    return { reason, chunks: chunksOfStep(task, plannedTask(context, task.id), next) };
  }
  if (task.too_large === undefined || context.settings.extract === false) return null;
  const failed = (task.checks ?? []).filter((check) => failing.includes(checkKey(check)));
  const written = plannedTask(context, task.id);
  return { reason: task.too_large, chunks: chunksOfRest(task, written, failed, next) };
}

export async function* splitTask(context: RunContext, task: Task, split: Split): Steps {
  const [first] = split.chunks;
  const { space } = context;
  const before = memoryOfStarted(context, task);
  const files = Object.fromEntries(await fileBaseline(space.folder, task.checks ?? []));
  const { work } = before;
  // Under its own name, so that it is there as long as the chunk is.
  if (work !== undefined) await space.keep({ task: first.id, attempt: 0 }, work.tree, work.base);
  remember(context, first.id, () => handedOver(before));
  remember(context, task.id, (memory) => splitBegun(memory, files));
  yield { event: { kind: "task-split", ...fact(context), task_id: task.id, ...split } };
}
