// What sessions of a task changed, each from its start to its end. Between two of them other tasks, their
// commits, checks and people may have changed more: none of that is this task's work.
import type { ProjectId, TaskId } from "../core/ids.ts";
import type { ProjectState } from "../core/schema/project.ts";
import { isFinished } from "../core/eligibility.ts";
import type { Store } from "../store/store.ts";
import { taskFacts } from "./task-facts.ts";
import type { WorkDone } from "./work-tree.ts";

/** Everything where it is not known who did what. */
export function ownPart<W extends Pick<WorkDone, "paths" | "substantial" | "docs">>(
  work: W,
  own: readonly string[] | undefined,
): W {
  if (own === undefined) return work;
  const mine = new Set(own);
  const kept = (paths: readonly string[]): string[] => paths.filter((path) => mine.has(path));
  return {
    ...work,
    paths: kept(work.paths),
    substantial: kept(work.substantial),
    docs: kept(work.docs),
  };
}

/** Paths that unfinished tasks have in hand, and none of these. */
export function pathsOfOthers(
  store: Store,
  { project_id, tasks }: Pick<ProjectState, "project_id" | "tasks">,
  these: readonly TaskId[],
): ReadonlySet<string> {
  const others = tasks.filter(
    (task) => task.attempts > 0 && !isFinished(task) && !these.includes(task.id),
  );
  const paths = new Set(others.flatMap(({ id }) => ownOf(store, project_id, id)));
  if (paths.size > 0)
    for (const id of these) for (const path of ownOf(store, project_id, id)) paths.delete(path);
  return paths;
}

function ownOf(store: Store, project: ProjectId, task: TaskId): readonly string[] {
  return taskFacts(store, project, task).own ?? [];
}
