// What every output says of a project, and how far it is.
import type { ProjectState } from "../core/schema/project.ts";
import type { ProgressView, StatusView } from "../core/schema/views.ts";
import type { RegistryEntry } from "../store/store.ts";

export function projectView(entry: RegistryEntry, state: ProjectState): StatusView["project"] {
  return {
    id: entry.project_id,
    slug: entry.slug,
    owner_agent: entry.owner_agent,
    goal: state.goal,
    root: entry.root,
    folder: entry.folder,
    manifest: entry.manifest,
    created_at: state.created_at,
    updated_at: state.updated_at,
  };
}

/** Superseded tasks were removed from the manifest, so they are no part of the whole. */
export function progressOf(state: ProjectState): ProgressView {
  const progress = { done: 0, total: 0, skipped: 0, blocked: 0 };
  for (const task of state.tasks) {
    if (task.status === "superseded") continue;
    progress.total += 1;
    if (task.status === "done") progress.done += 1;
    if (task.status === "skipped") progress.skipped += 1;
    if (task.status === "blocked") progress.blocked += 1;
  }
  return progress;
}
