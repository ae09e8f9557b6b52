// Verified commits reach the person's branch where nothing of theirs is in the way; elsewhere they wait on
// a branch of their own, and that is said. Tried after every commit, at the start and at the end of a run.
import type { Sha256 } from "../core/schema/scalar.ts";
import type { Delivery } from "../workspace/workspace.ts";
import { isManifestTracked } from "./manifest-in-tree.ts";
import { keepDelivery } from "./kept-delivery.ts";
import { fact, type RunContext } from "./run-context.ts";
import { keepSeen } from "./seen-manifest.ts";
import { writeToPersonsFile } from "./set-boxes.ts";

/** `known` is the text of the manifest that Stint knows by then. */
export async function deliverWork(
  context: RunContext,
  known: Sha256 = context.holder.state.manifest.digest,
): Promise<Delivery> {
  const { space, store, holder, checkout, personsGit } = context;
  if (space.kind === "in-place") return keepDelivery(context, await space.deliver());
  const tip = await space.tip();
  const isTracked = await isManifestTracked(context, tip);
  // A manifest that the person has edited keeps their words: the boxes are set in it, and it stays theirs.
  if (isTracked && personsGit.away() === null && !(await personsGit.isManifestCommitted())) {
    writeToPersonsFile(context, known);
  }
  const delivery = await space.deliver();
  const text = checkout.readManifest();
  if (delivery.kind === "delivered" && isTracked && text === (await textAt(context, tip.tree))) {
    keepSeen(holder, store, text ?? "");
  }
  tellOf(context, delivery);
  return keepDelivery(context, delivery);
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
