// Who changed the manifest decides what becomes of the change. Outside a session it is a person's
// and adopted; inside, the session keeps its own box and its notes; where nobody can tell, a
// person is asked and nothing is adopted or reverted.
import { adoptChanges } from "./adopt-changes.ts";
import { diffLines } from "./line-diff.ts";
import type { ReconcileInput, Reconciliation } from "./reconciliation.ts";
import { settleWindow } from "./settle-window.ts";

export function reconcileManifest(input: ReconcileInput): Reconciliation {
  const { known, disk, tasks, window } = input;
  if (window.kind === "none") {
    if (disk === undefined) return { kind: "missing" };
    return disk === known ? { kind: "unchanged" } : adoptChanges(input, disk);
  }
  if (disk === window.startText) return { kind: "unchanged" };
  const settled = settleWindow(window, tasks, disk);
  // Without the window's end nobody knows who wrote; only what the session may do explains itself.
  const isExplained = settled.text === undefined && settled.proposal === undefined;
  if (window.kind === "closed" || isExplained) return settled;
  return {
    kind: "approval-needed",
    session: window.session,
    parts: settled.proposal?.parts ?? ["Steps"],
    diff: diffLines(window.startText, disk ?? ""),
    disk,
  };
}
