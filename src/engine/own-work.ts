// Uncommitted changes that are our own: work that is verified but not committed yet, and what an
// attempt left for the task's next one. After a kill they must not look like a person's.
import type { ProjectState } from "../core/schema/project.ts";
import type { Task } from "../core/schema/task.ts";
import type { Store } from "../store/store.ts";
import { wasActBegun } from "./logistics.ts";
import { taskFacts } from "./task-facts.ts";

/** The trees in which such work ended, or "all" where nobody can say where it did. */
export function ownTrees(store: Store, state: ProjectState): readonly string[] | "all" {
  const open = state.tasks.filter(isOpenWork);
  if (state.current_task_id !== null) return "all";
  if (open.some((task) => wasActBegun(store, state.project_id, task))) return "all";
  return open.flatMap((task) => taskFacts(store, state.project_id, task.id).trees.slice(-1));
}

function isOpenWork(task: Task): boolean {
  if (task.status === "done") return task.commit === undefined;
  // Skipped, or removed from the manifest: what it left is put aside once another task starts.
  return task.status !== "superseded" || task.completion === undefined;
}
