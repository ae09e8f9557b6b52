// What every verb that answers prints.
import type { AnswerView } from "../core/schema/views.ts";
import { answerText } from "../report/answer-text.ts";
import { EXIT } from "./exit-codes.ts";
import { printJson } from "./print-json.ts";
import type { Terminal } from "./terminal.ts";

export function printAnswer(view: AnswerView, isJson: boolean, terminal: Terminal): number {
  if (isJson) printJson(terminal, view);
  else terminal.out(answerText(view, terminal.paint));
  return view.outcome === "left" ? EXIT.workRemains : EXIT.done;
}
