// The logs that Stint itself appends to, one line for each task that is done: the review log of the repository, for
// tasks that resolve an item of it, and the log of a workflow, for all tasks of that. They are Stint's own files
// in every commit, as a manifest that is tracked.
import type { Task } from "../../core/schema/task.ts";
import { subtaskLogPath } from "../../iteration/settings.ts";
import { frontMatterOf } from "../../manifest/settings.ts";
import type { LogPaths } from "../base/run-context.ts";
import { type Known, knownText } from "./manifest-texts.ts";

export interface ProjectLog {
  /** Below the root. */
  readonly path: string;
  /** What the line of a task begins with; undefined where it has none in this log. */
  readonly idOf: (task: Pick<Task, "id" | "name" | "resolves">) => string | undefined;
}

export function projectLogs(context: Known, paths: LogPaths | undefined): readonly ProjectLog[] {
  if (paths === undefined) return [];
  const { workflow } = frontMatterOf(knownText(context));
  return [
    ...(resolvesAny(context) ? [reviewLog(paths)] : []),
    ...(typeof workflow === "string"
      ? [{ path: subtaskLogPath(paths.subtask, workflow), idOf: nameIn(context) }]
      : []),
  ];
}

export function reviewLog({ review }: LogPaths): ProjectLog {
  return { path: review, idOf: ({ resolves }) => resolves };
}

function resolvesAny({ holder }: Known): boolean {
  return holder.state.tasks.some(({ resolves }) => resolves !== undefined);
}

/** Of a task that was split its chunks have the lines. */
function nameIn({ holder }: Known): ProjectLog["idOf"] {
  return ({ id, name }) =>
    holder.state.tasks.some(({ chunk_of }) => chunk_of === id) ? undefined : name;
}
