// Sets boxes in the manifest. The text that the state knows gets the same boxes and nothing else: what
// a person changed meanwhile stays a difference, to be adopted at the next READ.
import type { TaskId } from "../core/ids.ts";
import type { Sha256 } from "../core/schema/scalar.ts";
import type { RunContext } from "./run-context.ts";
import { withBoxes } from "./task-boxes.ts";

export interface BoxesSet {
  /** What the state is to know once this is recorded. */
  readonly digest: Sha256;
  /** Whether a box on disk was another one; a repeated call after a crash finds it set. */
  readonly wrote: boolean;
}

/** A person who saves at the very moment makes us look again; nobody saves that often. */
const TRIES = 10;

/** `known` is the digest of the text that is known; the state's, unless an event is about to change it. */
export function setBoxes(
  context: RunContext,
  ids: readonly TaskId[],
  checked: boolean,
  known: Sha256 = context.holder.state.manifest.digest,
): BoxesSet {
  const { holder, store, tree } = context;
  const { tasks, project_id } = holder.state;
  const text = store.manifestText(project_id, known);
  const digest = holder.keepManifest(withBoxes(text, tasks, ids, checked));
  for (let tries = 0; tries < TRIES; tries++) {
    const disk = tree.readManifest();
    if (disk === undefined) break;
    const wanted = withBoxes(disk, tasks, ids, checked);
    if (wanted === disk) break;
    if (tree.writeManifest(disk, wanted)) return { digest, wrote: true };
  }
  return { digest, wrote: false };
}
