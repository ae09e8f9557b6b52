// A person's text of the manifest against the one that is known: nothing new, a plan to adopt, or a text that
// cannot run.
import { adoptChanges } from "./adopt-changes.ts";
import type { ReconcileInput, Reconciliation } from "./reconciliation.ts";

export function reconcileManifest(input: ReconcileInput): Reconciliation {
  return input.disk === input.known ? { kind: "unchanged" } : adoptChanges(input);
}
