// Whether a session may be handed out to work in the person's own folder: only where nothing of theirs lies there that
// it would be taken for, and where the work of the project is not somewhere else.
import { isWithin } from "../../core/files.ts";
import { isFinished } from "../../core/eligibility.ts";
import { currentTask, unfinishedTasks } from "../../core/project-state.ts";
import type { ProjectState } from "../../core/schema/project.ts";
import { StintError } from "../../core/stint-error.ts";
import { fewOf } from "../../core/words/amounts.ts";
import { readStatus } from "../../git/work-tree.ts";
import { findGitFolder } from "../../git/git-folder.ts";
import { memoryOf, readStart } from "../base/kept-record.ts";
import type { RunContext } from "../base/run-context.ts";
import { ownPaths } from "../base/tree-files.ts";
import { projectLogs } from "../people/project-logs.ts";
import type { RegistryEntry, Store } from "../../store/store.ts";
import { readSpace } from "./kept-space.ts";

/** What unfinished tasks of the project left there is no change of a person's. @throws refused */
export async function assertClean(context: RunContext): Promise<void> {
  const { holder, settings } = context;
  const { root, manifest, folder: projectFolder } = holder.entry;
  if (findGitFolder(root) === null) return;
  const { page } = holder.state;
  const logs = projectLogs(context, settings.logs).map(({ path }) => path);
  const own = [...ownPaths({ root, manifest, projectFolder, page }), ...logs];
  const { tracked, untracked } = await readStatus(root);
  const others = [...tracked, ...untracked].filter(
    (path) => !own.some((each) => isWithin(path, each)) && !isOfATask(context, path),
  );
  if (others.length === 0) return;
  throw new StintError(
    "refused",
    `${root} has changes that are not committed: ${fewOf(others)}. A session by hand works in the checkout itself, so they would count as its work`,
    `Commit or stash them, then: stint brief ${holder.entry.project_id}; or let Stint work in a copy, where they are not in the way: stint run ${holder.entry.project_id}`,
  );
}

function isOfATask(context: RunContext, path: string): boolean {
  return context.holder.state.tasks.some((task) => {
    const { work } = memoryOf(context, task.id);
    return (
      work?.contents[path] !== undefined && work.contents[path] === context.copy.contentNow(path)
    );
  });
}

/** A project whose unfinished or undelivered work lies in a copy goes on there. @throws refused */
export function assertNotInCopy(store: Store, entry: RegistryEntry, state: ProjectState): void {
  if (readSpace(store, entry)?.kind !== "own-copy") return;
  const id = entry.project_id;
  if (state.delivery?.kind === "waiting") {
    throw new StintError(
      "refused",
      `${id}: verified work waits on ${state.delivery.branch} and is not in this checkout`,
      `A person must bring it in first: stint deliver ${id}; then: stint brief ${id}`,
    );
  }
  const kept = { store, holder: { state } };
  const current = currentTask(state);
  const inHand =
    current?.status === "in_progress" ? readStart(kept, current.attempt.session) : undefined;
  const left = state.tasks.find((task) => {
    if (task.id === current?.id && inHand?.by_hand !== true) return true;
    if (task.status === "awaiting_result") return true;
    const { work } = memoryOf(kept, task.id);
    return !isFinished(task) && work !== undefined && work.tree !== work.base;
  });
  const unfinished = left ?? unfinishedTasks(state.tasks)[0];
  if (unfinished === undefined) return;
  throw new StintError(
    "refused",
    `${id} works in a copy, and ${unfinished.id} has unfinished work there`,
    `Let a run continue it there: stint resume ${id}`,
  );
}
