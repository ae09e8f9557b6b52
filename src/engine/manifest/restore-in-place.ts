// In place a session writes into the person's own file: once it is settled, the file holds what is known of
// it, and what was more than a note or a box of its own is a proposal.
import type { Sha256 } from "../../core/schema/scalar.ts";
import type { RunContext } from "../base/run-context.ts";
import type { Texts } from "./seen-manifest.ts";

/** A person who saves at the very moment makes us look again; nobody saves that often. */
const TRIES = 10;

/** @returns what is to be recorded of it; nothing where sessions have a copy of their own */
export function restoreInPlace(
  { space, checkout, store, holder }: RunContext,
  known: Sha256,
): Texts {
  if (space.kind !== "in-place") return {};
  const text = store.manifestText(holder.state.project_id, known);
  for (let tries = 0; tries < TRIES; tries++) {
    if (checkout.writeManifest(checkout.readManifest(), text)) return { manifest_seen: known };
  }
  return {};
}

/** While a session is at work, or was cut short, nobody can tell who wrote what. */
export function isSessionsFile({ space, holder }: Pick<RunContext, "space" | "holder">): boolean {
  return space.kind === "in-place" && holder.state.current_task_id !== null;
}
