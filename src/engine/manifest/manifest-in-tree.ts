// The manifest in commits: a tracked one goes into each with the boxes that are set by then, and with
// nothing that only the person's file holds.
import type { Sha256 } from "../../core/schema/scalar.ts";
import { objectId } from "../../git/object-id.ts";
import type { Tip } from "../../workspace/workspace.ts";
import type { RunContext } from "../base/run-context.ts";
import { withOurChanges } from "./seen-manifest.ts";

/** The manifest in the last commit and in the one that is to come; null where none holds it. */
export interface CommittedManifest {
  readonly before: string | null;
  readonly after: string | null;
}

type Space = Pick<RunContext, "space" | "holder" | "store">;

/** Whether commits hold it and its boxes reach the person by delivery. */
export async function isManifestTracked(context: Space, tip: Tip): Promise<boolean> {
  return context.space.kind !== "in-place" && (await manifestIn(context, tip)) !== null;
}

/** Its text as the tip holds it; mostly the one that is known. */
export async function manifestIn(
  { space, holder, store }: Space,
  { tree, commit }: Tip,
): Promise<string | null> {
  const { entry, state } = holder;
  if (commit === null) return null;
  const there = (await space.entries(tree, [entry.manifest])).get(entry.manifest);
  if (there === undefined) return null;
  const known = store.manifestText(state.project_id, state.manifest.digest);
  if (objectId("blob", Buffer.from(known), there.oid.length) === there.oid) return known;
  return (await space.texts(tree, [entry.manifest])).get(entry.manifest) ?? null;
}

export async function committedManifest(
  context: Space,
  tip: Tip,
  known: Sha256,
): Promise<CommittedManifest> {
  const before = await manifestIn(context, tip);
  const { store, holder } = context;
  const after = before === null ? null : withOurChanges(store, holder.state, known, before);
  return { before, after };
}
