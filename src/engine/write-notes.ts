// What sessions added to the manifest, in a person's file that no commit holds: there nothing else would
// ever bring it. A tracked one gets it with the next commit.
import { isManifestTracked } from "./manifest-in-tree.ts";
import type { RunContext } from "./run-context.ts";
import { seenText } from "./seen-manifest.ts";
import { writeToPersonsFile } from "./set-boxes.ts";

/** At once where there is nothing to write. */
export async function writeNotes(context: RunContext): Promise<void> {
  const { holder, store, space } = context;
  const { project_id, manifest, current_task_id } = holder.state;
  const known = store.manifestText(project_id, manifest.digest);
  if (current_task_id !== null || seenText(store, holder.state) === known) return;
  if (await isManifestTracked(context, await space.tip())) return;
  writeToPersonsFile(context, manifest.digest);
}
