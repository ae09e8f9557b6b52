// The bounds of each task of a workflow, an iteration, or a project whose work has bounds of its own; every other
// project has nothing of it to show.
import { boundsUsed, hasBoundsOfItsOwn } from "../core/bounds-used.ts";
import type { TaskId } from "../core/ids.ts";
import type { ProjectState } from "../core/schema/project.ts";
import type { Task } from "../core/schema/task.ts";
import type { StatusView } from "../core/schema/views.ts";
import { plannedCounts } from "../engine/attempt/planned-work.ts";
import { writtenTasks } from "../engine/people/manifest-texts.ts";
import { frontMatterOf } from "../manifest/settings.ts";
import type { Store } from "../store/store.ts";

/** What its place in the tree and its bounds add to the view of a task. */
export type TreeFields = Pick<StatusView["tasks"][number], "chunk_of" | "child" | "bounds">;

export function treeFields(store: Store, state: ProjectState): (task: Task) => TreeFields {
  const text = store.manifestText(state.project_id, state.manifest.digest);
  const { iteration, workflow } = frontMatterOf(text);
  const isBounded = hasBoundsOfItsOwn(state) || [iteration, workflow].some(isNamed);
  const bounds = isBounded ? boundsOf(store, state, text) : new Map<TaskId, never>();
  return ({ id, chunk_of, child }) => {
    const used = bounds.get(id);
    return {
      ...(chunk_of !== undefined && { chunk_of }),
      ...(child !== undefined && { child }),
      ...(used !== undefined && { bounds: { ...used, with: [...used.with] } }),
    };
  };
}

function isNamed(value: unknown): boolean {
  return value !== undefined;
}

function boundsOf(store: Store, state: ProjectState, text: string): ReturnType<typeof boundsUsed> {
  const { byId } = writtenTasks(text, state.tasks);
  return boundsUsed(state, store.journal(state.project_id), (task) =>
    plannedCounts([task], ({ id }) => byId.get(id)?.planned),
  );
}
