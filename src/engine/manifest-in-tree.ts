// The manifest in commits: a tracked one goes into each with the boxes that are set by then, and with
// nothing that only the person's file holds.
import type { Sha256 } from "../core/schema/scalar.ts";
import type { Tip } from "../workspace/workspace.ts";
import type { RunContext } from "./run-context.ts";
import { withOurChanges } from "./seen-manifest.ts";

/** Whether commits hold it and its boxes reach the person by delivery. */
export async function isManifestTracked(
  { space, holder }: Pick<RunContext, "space" | "holder">,
  { tree, commit }: Tip,
): Promise<boolean> {
  if (space.kind === "in-place" || commit === null) return false;
  const { manifest } = holder.entry;
  return (await space.entries(tree, [manifest])).has(manifest);
}

/** What the next commit holds of it; null where no commit does. */
export async function committedManifest(
  { space, holder, store }: RunContext,
  { tree }: Tip,
  known: Sha256,
): Promise<string | null> {
  const { manifest } = holder.entry;
  const text = (await space.texts(tree, [manifest])).get(manifest);
  return text === undefined ? null : withOurChanges(store, holder.state, known, text);
}
