// What a done task rests on, in a few words each: the path of a record, or what else tells.
import type { DoneTask } from "../project-state.ts";
import type { Evidence } from "../schema/task.ts";
import { isMarked } from "./task-standing.ts";

export function evidenceTexts(task: DoneTask): string[] {
  return task.evidence.map((each) => evidenceText(each, isMarked(task)));
}

function evidenceText(evidence: Evidence, hasOnlyMarks: boolean): string {
  switch (evidence.kind) {
    case "check":
      return evidence.path;
    case "diff":
      return `diff of tree ${evidence.tree}`;
    case "person":
      return hasOnlyMarks ? `marked by ${evidence.who}` : `${evidence.who} said yes`;
    case "chunks":
      return `its chunks ${evidence.tasks.join(", ")}`;
    default:
      return evidence satisfies never;
  }
}
