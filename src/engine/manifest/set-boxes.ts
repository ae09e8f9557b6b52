// Sets boxes in the text that Stint knows. A person's file that no commit holds gets them at once; a
// tracked one gets them with the commit that is delivered.
import type { TaskId } from "../../core/ids.ts";
import type { Sha256 } from "../../core/schema/scalar.ts";
import type { RunContext } from "../base/run-context.ts";
import { type Texts, withOurChanges } from "./seen-manifest.ts";
import { withBoxes } from "./task-boxes.ts";

/** A person who saves at the very moment makes us look again; nobody saves that often. */
const TRIES = 10;

/** @returns what the state is to know once this is recorded */
export function setBoxes(
  { holder, store }: Pick<RunContext, "holder" | "store">,
  ids: readonly TaskId[],
  checked: boolean,
): Sha256 {
  const { tasks, project_id, manifest } = holder.state;
  const text = store.manifestText(project_id, manifest.digest);
  return holder.keepManifest(withBoxes(text, tasks, ids, checked));
}

/**
 * Boxes and notes, in the person's file; everything else in it stays byte for byte. `undone` are tasks whose
 * box this run, or one that was killed, may have set there already.
 * @returns what is to be recorded of it
 */
export function writeToPersonsFile(
  { holder, store, checkout }: Pick<RunContext, "holder" | "store" | "checkout">,
  known: Sha256,
  undone: readonly TaskId[] = [],
): Texts {
  const { state } = holder;
  for (let tries = 0; tries < TRIES; tries++) {
    const disk = checkout.readManifest();
    if (disk === undefined) return {};
    const ours = withOurChanges(store, state, known, disk);
    const wanted = withBoxes(ours, state.tasks, undone, false);
    if (wanted !== disk && !checkout.writeManifest(disk, wanted)) continue;
    // What the person wrote since then stays a difference, to be adopted at the next READ.
    return { manifest_seen: known };
  }
  return {};
}
