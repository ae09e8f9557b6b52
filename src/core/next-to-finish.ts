// Which tasks the next commit is made for.
import type { ProjectState } from "./schema/project.ts";
import type { Task } from "./schema/task.ts";
import { hasGrant } from "./step/task-moves.ts";

export type DoneTask = Extract<Task, { status: "done" }>;

/** Done by work of this project, but box, commit or push are not recorded yet. */
export function unfinishedTasks(tasks: readonly Task[]): DoneTask[] {
  return tasks.filter(
    (task): task is DoneTask =>
      task.status === "done" &&
      task.commit === undefined &&
      task.evidence.some((evidence) => evidence.kind !== "person"),
  );
}

/** The tasks that one commit is made for: one that a person said yes to has its own. */
export function nextToFinish({ tasks }: Pick<ProjectState, "tasks">): DoneTask[] {
  const unfinished = unfinishedTasks(tasks);
  const [first] = unfinished;
  if (first !== undefined && hasGrant(first, "task-after")) return [first];
  return unfinished.filter((task) => !hasGrant(task, "task-after"));
}
