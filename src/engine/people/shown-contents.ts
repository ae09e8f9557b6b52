// What the files hold that a person is asked about: the kept work of the task, not what lies around by
// now. Other tasks may be at work since.
import type { Approval } from "../../core/schema/items.ts";
import type { ProjectState } from "../../core/schema/project.ts";
import type { Task } from "../../core/schema/task.ts";
import type { Store } from "../../store/store.ts";
import { nextToFinish } from "../../core/project-state.ts";
import { memoryOf } from "../base/task-memory.ts";
import type { Contents } from "../base/work-done.ts";

export function contentsAskedAbout(
  store: Store,
  state: ProjectState,
  { task_id }: Pick<Approval, "task_id">,
): Contents {
  // Files that hold back a commit are those of the tasks that it is made for.
  const tasks =
    task_id === undefined ? nextToFinish(state) : state.tasks.filter(({ id }) => id === task_id);
  return contentsOfTasks(store, state, tasks);
}

export function contentsOfTasks(
  store: Store,
  { project_id }: Pick<ProjectState, "project_id">,
  tasks: readonly Pick<Task, "id" | "status">[],
): Contents {
  const each = tasks.map(({ id }) => memoryOf(store, project_id, id).work?.contents ?? {});
  return Object.assign({}, ...each) as Contents;
}
