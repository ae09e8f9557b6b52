// Who has which files in hand. Between two sessions of a task other tasks, their commits, checks and
// people may have changed files too: none of that is this task's work, and none of it is committed or
// put aside with it.
import type { ProjectId, TaskId } from "../core/ids.ts";
import type { ProjectState } from "../core/schema/project.ts";
import { isFinished } from "../core/eligibility.ts";
import type { Task } from "../core/schema/task.ts";
import { isLogistical } from "../core/task-moves.ts";
import type { Store } from "../store/store.ts";
import { startOfWork, taskFacts } from "./task-facts.ts";
import type { Piece } from "./work-tree.ts";

/** The paths that sessions on these tasks changed; undefined where that is not known of one of them. */
export function ownPaths(
  store: Store,
  project: ProjectId,
  these: readonly TaskId[],
): readonly string[] | undefined {
  const paths = new Set<string>();
  for (const id of these) {
    const { own } = taskFacts(store, project, id);
    if (own === undefined) return undefined;
    for (const path of own) paths.add(path);
  }
  return [...paths];
}

/** Paths that unfinished tasks have in hand, and none of these. */
export function pathsOfOthers(
  store: Store,
  { project_id, tasks }: Pick<ProjectState, "project_id" | "tasks">,
  these: readonly TaskId[],
): ReadonlySet<string> {
  const others = tasks.filter(
    (task) =>
      (task.attempts > 0 || isLogistical(task)) && !isFinished(task) && !these.includes(task.id),
  );
  const paths = new Set(others.flatMap(({ id }) => ownPaths(store, project_id, [id]) ?? []));
  if (paths.size > 0)
    for (const path of ownPaths(store, project_id, these) ?? []) paths.delete(path);
  return paths;
}

/**
 * What Stint or its sessions did for each of these tasks, in the order in which they were verified;
 * nothing for one that was found done.
 */
export function piecesOf(store: Store, project: ProjectId, tasks: readonly Task[]): Piece[] {
  const pieces = tasks.flatMap((task) => {
    const start = startOfWork(store, project, task);
    if (start === null) return [];
    const { own: only, verified } = taskFacts(store, project, task.id);
    const piece: Piece = {
      start,
      ...(only === undefined ? {} : { only }),
      ...(verified === undefined ? {} : { verified: verified.tree }),
    };
    return [{ piece, revision: verified?.revision ?? 0 }];
  });
  return pieces.toSorted((a, b) => a.revision - b.revision).map(({ piece }) => piece);
}
