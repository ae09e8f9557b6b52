// Verified commits reach the person's branch where nothing of theirs is in the way; elsewhere they wait on
// a branch of their own, and that is said. Tried after every commit, at the start and at the end of a run.
import type { Sha256 } from "../core/schema/scalar.ts";
import type { Delivery } from "../workspace/workspace.ts";
import { isManifestTracked } from "./manifest-in-tree.ts";
import { keepDelivery } from "./kept-delivery.ts";
import { fact, type RunContext } from "./run-context.ts";
import type { Texts } from "./seen-manifest.ts";
import { writeToPersonsFile } from "./set-boxes.ts";

export interface Delivered {
  readonly delivery: Delivery;
  /** What is to be recorded of the person's file. */
  readonly texts: Texts;
}

/** `known` is the text of the manifest that Stint knows by then. */
export async function deliverWork(
  context: RunContext,
  known: Sha256 = context.holder.state.manifest.digest,
): Promise<Delivered> {
  const { space, holder, checkout, personsGit } = context;
  if (space.kind === "in-place")
    return { delivery: keepDelivery(context, await space.deliver()), texts: {} };
  const tip = await space.tip();
  const isTracked = await isManifestTracked(context, tip);
  // A manifest that the person has edited keeps their words: the boxes are set in it, and it stays theirs.
  const isEdited =
    isTracked && personsGit.away() === null && !(await personsGit.isManifestCommitted());
  const written = isEdited ? writeToPersonsFile(context, known) : {};
  const delivery = await space.deliver();
  tellOf(context, delivery);
  const text = checkout.readManifest();
  const isBrought =
    delivery.kind === "delivered" && isTracked && text === (await textAt(context, tip.tree));
  const texts = isBrought ? { manifest_seen: holder.keepManifest(text ?? "") } : written;
  return { delivery: keepDelivery(context, delivery), texts };
}

async function textAt({ space, holder }: RunContext, tree: string): Promise<string | undefined> {
  const { manifest } = holder.entry;
  return (await space.texts(tree, [manifest])).get(manifest);
}

function tellOf(context: RunContext, delivery: Delivery): void {
  if (delivery.kind !== "waiting") return;
  const { branch, why, hint } = delivery;
  const text = `the work waits on ${branch}: ${why}. ${hint}`;
  context.holder.note({ ...fact(context), kind: "delivery-waits", summary: text });
  context.tell({ kind: "notice", text });
}
