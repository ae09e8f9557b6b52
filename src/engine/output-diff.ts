// The difference that a task made, as git shows it. Whoever looks is outside of any session, so every
// program that git might start for it is kept away from Stint's state, whatever was planted.
import type { ProjectId } from "../core/ids.ts";
import { MARKER_NAME } from "../core/marker.ts";
import type { Task } from "../core/schema/task.ts";
import { guardGit } from "../git/guard.ts";
import { runGit } from "../git/run-git.ts";
import { takeSnapshot } from "../git/snapshot.ts";
import { chooseIsolation, viewWords } from "../process/isolation.ts";
import type { RegistryEntry, Store } from "../store/store.ts";
import { startOfWork } from "./task-facts.ts";

/** Of these paths, from where the task's work began until now; null without git or without work. */
export async function outputDiff(
  store: Store,
  entry: RegistryEntry,
  task: Task,
  paths: readonly string[],
  stateHome: string,
): Promise<string | null> {
  const { root, manifest, folder, project_id } = entry;
  const start = startOfWork(store, project_id satisfies ProjectId, task);
  if (start === null || start.ref === null || paths.length === 0) return null;
  const words = viewWords(chooseIsolation("auto"), { hide: [stateHome], mounts: [] });
  guardGit(root, { words, everything: true });
  const now = await takeSnapshot(root, { exclude: [manifest, MARKER_NAME, folder] });
  if (now.kind !== "git") return null;
  const shown = await runGit(root, [
    "diff",
    "--no-color",
    "--no-ext-diff",
    "--no-textconv",
    start.tree,
    now.tree,
    "--",
    ...paths.map((path) => `:(literal)${path}`),
  ]);
  return shown.stdout;
}
