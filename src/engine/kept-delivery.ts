// Where the verified work of a project is, as it was last seen or brought there; for whoever asks while no
// run is at work.
import { runGit } from "../git/run-git.ts";
import { keptPath, type RegistryEntry, type Store } from "../store/store.ts";
import type { Delivery } from "../workspace/workspace.ts";
import type { RunContext } from "./run-context.ts";

const KEPT = keptPath("logs", "delivery.json");

export function keepDelivery(
  { holder, store }: Pick<RunContext, "holder" | "store">,
  delivery: Delivery,
): Delivery {
  if (!isKnown({ holder, store }, delivery)) holder.keep(KEPT, textOf(delivery));
  return delivery;
}

/** Whether that is what was found the last time too. */
export function isKnown(
  { holder, store }: Pick<RunContext, "holder" | "store">,
  delivery: Delivery,
): boolean {
  return store.kept(holder.state.project_id, KEPT)?.toString("utf8") === textOf(delivery);
}

function textOf(delivery: Delivery): string {
  return `${JSON.stringify(delivery)}\n`;
}

/** Null before anything was committed. What waited may have been brought in by hand since. */
export async function readDelivery(store: Store, entry: RegistryEntry): Promise<Delivery | null> {
  const bytes = store.kept(entry.project_id, KEPT);
  if (bytes === undefined) return null;
  const delivery = JSON.parse(bytes.toString("utf8")) as Delivery;
  if (delivery.kind !== "waiting") return delivery;
  const branch = await branchThatHolds(entry, delivery.branch);
  return branch === null ? delivery : { kind: "delivered", branch };
}

/** The branch that the person is on, where it holds all of another. */
async function branchThatHolds({ root }: RegistryEntry, other: string): Promise<string | null> {
  const ask = async (...words: string[]) => await runGit(root, words, { accept: "any" });
  const holds = await ask("merge-base", "--is-ancestor", `refs/heads/${other}`, "HEAD");
  if (holds.code !== 0) return null;
  const { code, stdout } = await ask("symbolic-ref", "--quiet", "--short", "HEAD");
  return code === 0 && stdout.trim() !== other ? stdout.trim() : null;
}
