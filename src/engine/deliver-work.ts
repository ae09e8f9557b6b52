// Verified commits reach the person's branch where nothing of theirs is in the way; elsewhere they wait on
// a branch of their own, and that is said. Tried after every commit, at the start and at the end of a run.
import type { Sha256 } from "../core/schema/scalar.ts";
import type { Delivery } from "../workspace/workspace.ts";
import { isKnown, keepDelivery } from "./kept-delivery.ts";
import { type CommittedManifest, manifestIn } from "./manifest-in-tree.ts";
import { fact, type RunContext } from "./run-context.ts";
import type { Texts } from "./seen-manifest.ts";
import { writeToPersonsFile } from "./set-boxes.ts";

export interface Delivered {
  readonly delivery: Delivery;
  /** What is to be recorded of the person's file. */
  readonly texts: Texts;
}

/** `known` is the text of the manifest that Stint knows by then; `manifest` what is committed of it. */
export async function deliverWork(
  context: RunContext,
  known: Sha256 = context.holder.state.manifest.digest,
  manifest?: CommittedManifest,
): Promise<Delivered> {
  const { space, holder, checkout, personsGit } = context;
  if (space.kind === "in-place")
    return { delivery: keepDelivery(context, await space.deliver()), texts: {} };
  const after =
    manifest === undefined ? await manifestIn(context, await space.tip()) : manifest.after;
  // A manifest that the person has edited keeps their words: the boxes are set in it, and it stays theirs.
  const isEdited =
    after !== null && personsGit.away() === null && !(await isUnedited(context, manifest));
  const written = isEdited ? writeToPersonsFile(context, known) : {};
  const { notes = [], ...delivery } = await space.deliver();
  for (const text of notes) context.tell({ kind: "notice", text });
  if (!isKnown(context, delivery)) tellOf(context, delivery);
  const text = checkout.readManifest();
  const isBrought = delivery.kind === "delivered" && after !== null && text === after;
  const texts = isBrought ? { manifest_seen: holder.keepManifest(text ?? "") } : written;
  return { delivery: keepDelivery(context, delivery), texts };
}

/** Whether the person's file is the one of the commit that they have checked out. */
async function isUnedited(
  { checkout, personsGit }: RunContext,
  manifest: CommittedManifest | undefined,
): Promise<boolean> {
  if (manifest !== undefined && checkout.readManifest() === manifest.before) return true;
  return await personsGit.isManifestCommitted();
}

function tellOf(context: RunContext, delivery: Delivery): void {
  if (delivery.kind !== "waiting") return;
  const { branch, why, hint } = delivery;
  const text = `the work waits on ${branch}: ${why}. ${hint}`;
  context.holder.note({ ...fact(context), kind: "delivery-waits", summary: text });
  context.tell({ kind: "notice", text });
}
