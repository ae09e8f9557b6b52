// Where the verified work of a project is, for whoever asks while no run is at work: as it was recorded,
// unless a person has brought in by hand what waited.
import type { Delivery, ProjectState } from "../../core/schema/project.ts";
import { runGit } from "../../git/run-git.ts";

/** Null before anything was committed. */
export async function deliveryNow(root: string, state: ProjectState): Promise<Delivery | null> {
  const { delivery } = state;
  if (delivery?.kind !== "waiting") return delivery ?? null;
  return (await broughtByHand(root, delivery.branch)) ?? delivery;
}

/** Into the branch that the person is on, where that holds all of the other. */
async function broughtByHand(root: string, other: string): Promise<Delivery | null> {
  const ask = async (...words: string[]) => await runGit(root, words, { accept: "any" });
  const holds = await ask("merge-base", "--is-ancestor", `refs/heads/${other}`, "HEAD");
  if (holds.code !== 0) return null;
  const head = await ask("symbolic-ref", "--quiet", "--short", "HEAD");
  const branch = head.stdout.trim();
  if (head.code !== 0 || branch === other) return null;
  const { stdout } = await ask("rev-parse", "--verify", `refs/heads/${other}`);
  return { kind: "delivered", branch, commit: stdout.trim() };
}
