// Two texts of one manifest: the person's file, and the text that Stint knows. The second is the first as
// it was last seen, with what Stint and its sessions added: boxes, notes. So what a person changed is the
// difference to what was seen, and what Stint changed is the difference from there to what is known.
import type { TaskId } from "../core/ids.ts";
import type { ProjectState } from "../core/schema/project.ts";
import type { Sha256 } from "../core/schema/scalar.ts";
import { mergeLines } from "../manifest/merge-lines.ts";
import { type Holder, keptPath, type Store } from "../store/store.ts";
import { withBoxes } from "./task-boxes.ts";

const SEEN = keptPath("logs", "seen-manifest.sha256");

/** The person's text that was last taken into account. */
export function seenText(store: Store, state: ProjectState): string {
  return store.manifestText(state.project_id, seenDigest(store, state) ?? state.manifest.digest);
}

/** Three where a change is being adopted: what is seen then, what is known until then, what was seen. */
function seenDigest(store: Store, { project_id, manifest }: ProjectState): Sha256 | undefined {
  const kept = store.kept(project_id, SEEN)?.toString("utf8").trim();
  const [seen, knownUntilThen, seenUntilThen] = (kept?.split(" ") ?? []) as Sha256[];
  return knownUntilThen === manifest.digest ? seenUntilThen : seen;
}

export function keepSeen(holder: Holder, store: Store, text: string): void {
  const kept = `${holder.keepManifest(text)}\n`;
  if (store.kept(holder.state.project_id, SEEN)?.toString("utf8") !== kept) holder.keep(SEEN, kept);
}

/** Counts as seen from when the event that adopts it is persisted: a kill before that loses no edit. */
export function keepSeenOnceAdopted(holder: Holder, store: Store, text: string): void {
  const { digest } = holder.state.manifest;
  const before = seenDigest(store, holder.state) ?? digest;
  holder.keep(SEEN, `${holder.keepManifest(text)} ${digest} ${before}\n`);
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
