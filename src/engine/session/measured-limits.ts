// Bounded work, measured on the real difference and never on what was planned. An excess is said; it
// fails nothing, unless the manifest says `limits: strict`.
import type { Limits } from "../../core/written/bounds.ts";
import type { Task } from "../../core/schema/task.ts";
import type { WorkDone } from "../base/work-done.ts";

export interface MeasuredWork {
  /** The counts with their limits, in words. */
  readonly summary: string;
  /** What was exceeded, in words; empty when nothing was. */
  readonly excess: readonly string[];
}

/** `tasks` are those of the session: what holds per task holds for each of them. */
export function measureWork(
  counts: WorkDone["counts"],
  tasks: readonly Pick<Task, "limit">[],
  limits: Limits,
): MeasuredWork {
  const perTask = (key: "files_per_task" | "moves_per_task"): number =>
    tasks.reduce((sum, { limit }) => sum + (limit?.[key] ?? limits[key]), 0);
  const newFiles = Math.max(
    ...tasks.map(({ limit }) => limit?.new_files_per_session ?? limits.new_files_per_session),
  );
  const measured = [
    {
      what: `${files(counts.files)} changed`,
      count: counts.files,
      limit: perTask("files_per_task"),
    },
    { what: `new ${files(counts.newFiles)}`, count: counts.newFiles, limit: newFiles },
    { what: `${files(counts.moves)} moved`, count: counts.moves, limit: perTask("moves_per_task") },
  ];
  return {
    summary: measured.map(({ what, count, limit }) => `${count} ${what} of ${limit}`).join(", "),
    excess: measured.flatMap(({ what, count, limit }) =>
      count > limit ? [`${count} ${what}, the limit is ${limit}`] : [],
    ),
  };
}

function files(count: number): string {
  return count === 1 ? "file" : "files";
}
