// What a piece of evidence is, in a few words: the path of its record, or what else tells.
import type { Evidence } from "../schema/task.ts";

export function evidenceText(evidence: Evidence): string {
  switch (evidence.kind) {
    case "check":
      return evidence.path;
    case "diff":
      return `diff of tree ${evidence.tree}`;
    case "person":
      return `marked by ${evidence.who}`;
    case "chunks":
      return `its chunks ${evidence.tasks.join(", ")}`;
    default:
      return evidence satisfies never;
  }
}
