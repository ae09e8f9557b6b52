// What came of an answer, in one line, and what follows from it.
import type { AnswerView } from "../core/schema/views.ts";
import { nextFacts } from "./facts.ts";
import type { Block } from "./layout.ts";
import type { Paint } from "./paint.ts";
import { visibleLine } from "./visible.ts";

export function answerText(view: AnswerView, paint: Paint): Block[] {
  return [
    `${signOf(view, paint)} ${view.project_id}: ${visibleLine(view.what)}${whoDid(view)}`,
    ...nextFacts(view.next, paint),
  ];
}

function signOf({ outcome }: AnswerView, paint: Paint): string {
  if (outcome === "applied") return paint.green("✓");
  return outcome === "given" ? paint.dim("=") : paint.yellow("…");
}

function whoDid({ outcome, by_run, status }: AnswerView): string {
  if (outcome === "given") return "; nothing changed";
  if (outcome === "left") return "";
  return by_run ? `; the run took it up, ${status}` : `; it is ${status} now`;
}
