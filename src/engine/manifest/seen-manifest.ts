// Two texts of one manifest: the person's file, and the text that Stint knows. The second is the first as
// it was last seen, with what Stint and its sessions added: boxes, notes. So what a person changed is the
// difference to what was seen, and what Stint changed is the difference from there to what is known.
// An event names both, so that no crash lies between them.
import type { TaskId } from "../../core/ids.ts";
import type { ProjectEvent } from "../../core/events.ts";
import type { ProjectState } from "../../core/schema/project.ts";
import type { Sha256 } from "../../core/schema/scalar.ts";
import { mergeLines } from "../../manifest/edit/line-diff.ts";
import type { Store } from "../../store/store.ts";
import { withBoxes } from "./task-boxes.ts";

/** What an event says about the texts, where they are others by then. */
export type Texts = Pick<ProjectEvent, "manifest_digest" | "manifest_seen">;

/** The person's text that was last taken into account. */
export function seenText(store: Store, { project_id, manifest }: ProjectState): string {
  return store.manifestText(project_id, manifest.seen ?? manifest.digest);
}

/** Another text of the same manifest with what Stint changed in it. */
export function withOurChanges(
  store: Store,
  state: ProjectState,
  known: Sha256,
  text: string,
): string {
  const ours = store.manifestText(state.project_id, known);
  const merged = mergeLines(seenText(store, state), text, ours);
  if (merged !== undefined) return merged;
  // Both changed the same lines: boxes can be told apart from everything else.
  const done = doneIds(state);
  return withBoxes(text, state.tasks, done, true);
}

function doneIds({ tasks }: ProjectState): TaskId[] {
  return tasks.filter(({ status }) => status === "done").map(({ id }) => id);
}
