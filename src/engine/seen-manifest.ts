// Two texts of one manifest: the person's file, and the text that Stint knows. The second is the first as
// it was last seen, with what Stint and its sessions added: boxes, notes. So what a person changed is the
// difference to what was seen, and what Stint changed is the difference from there to what is known.
import type { TaskId } from "../core/ids.ts";
import type { ProjectState } from "../core/schema/project.ts";
import type { Sha256 } from "../core/schema/scalar.ts";
import { mergeLines } from "../manifest/merge-lines.ts";
import type { Holder, Store } from "../store/store.ts";
import { SEEN, seenDigest } from "./seen-digest.ts";
import { withBoxes } from "./task-boxes.ts";

/** The person's text that was last taken into account. */
export function seenText(store: Store, state: ProjectState): string {
  return store.manifestText(state.project_id, seenDigest(store, state));
}

export function keepSeen(holder: Holder, store: Store, text: string): void {
  if (seenText(store, holder.state) === text && hasSeen(holder, store)) return;
  holder.keep(SEEN, `${holder.keepManifest(text)}\n`);
}

function hasSeen(holder: Holder, store: Store): boolean {
  return store.kept(holder.state.project_id, SEEN) !== undefined;
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
