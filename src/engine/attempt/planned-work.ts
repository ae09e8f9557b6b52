// How much a session is given, counted before it starts: what the words of its tasks name. What it really changes
// is measured after it. Pure.
import type { Task, WorkCounts } from "../../core/schema/task.ts";
import { namedIn } from "../../iteration/request.ts";
import { directSteps, type Written } from "./chunk-intents.ts";

/** `writtenOf` is what stands of a task in the manifest; of a chunk nothing does. */
export function plannedCounts<T extends Pick<Task, "title">>(
  tasks: readonly T[],
  writtenOf: (task: T) => Written,
): WorkCounts {
  const named = tasks.map((task) =>
    namedIn([task.title, ...directSteps(writtenOf(task))].join("\n")),
  );
  const sum = (counts: readonly number[]): number => counts.reduce((all, count) => all + count, 0);
  return {
    tasks: tasks.length,
    files: sum(named.map(({ files }) => files.length)),
    new_files: sum(named.map(({ newFiles }) => newFiles)),
    moves: sum(named.map(({ moves }) => moves)),
  };
}
