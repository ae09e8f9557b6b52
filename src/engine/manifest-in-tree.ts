// The manifest in commits: a tracked one goes into each with the boxes that are set by then, and with
// nothing that only the person's file holds.
import type { Sha256 } from "../core/schema/scalar.ts";
import type { Tip } from "../workspace/workspace.ts";
import type { RunContext } from "./run-context.ts";
import { withOurChanges } from "./seen-manifest.ts";

/** The manifest in the last commit and in the one that is to come; null where none holds it. */
export interface CommittedManifest {
  readonly before: string | null;
  readonly after: string | null;
}

/** Whether commits hold it and its boxes reach the person by delivery. */
export async function isManifestTracked(
  context: Pick<RunContext, "space" | "holder">,
  tip: Tip,
): Promise<boolean> {
  return context.space.kind !== "in-place" && (await manifestIn(context, tip)) !== null;
}

/** Its text as the tip holds it. */
export async function manifestIn(
  { space, holder }: Pick<RunContext, "space" | "holder">,
  { tree, commit }: Tip,
): Promise<string | null> {
  const { manifest } = holder.entry;
  if (commit === null) return null;
  return (await space.texts(tree, [manifest])).get(manifest) ?? null;
}

export async function committedManifest(
  context: Pick<RunContext, "space" | "holder" | "store">,
  tip: Tip,
  known: Sha256,
): Promise<CommittedManifest> {
  const before = await manifestIn(context, tip);
  const { store, holder } = context;
  const after = before === null ? null : withOurChanges(store, holder.state, known, before);
  return { before, after };
}
