// The difference that a task made, as git shows it: between the verified work it stands on and what its
// sessions left.
import type { Task } from "../../core/schema/task.ts";
import type { RegistryEntry, Store } from "../../store/store.ts";
import { openKeptSpace } from "../space/open-kept-space.ts";
import { memoryOf } from "../base/task-memory.ts";

/** Of these paths; null without work, or where its workspace is gone. */
export async function outputDiff(
  store: Store,
  entry: RegistryEntry,
  task: Task,
  paths: readonly string[],
): Promise<string | null> {
  const { work } = memoryOf(store, entry.project_id, task.id);
  const space = openKeptSpace(store, entry);
  if (work === undefined || space === null || paths.length === 0) return null;
  return await space.diff(work.base, work.tree, paths);
}
