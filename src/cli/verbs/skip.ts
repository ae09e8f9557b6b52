import { skip } from "../../operations/answers/skip.ts";
import { printAnswer } from "../print-answer.ts";
import { optionText, requiredWord, type VerbRunner } from "../verb.ts";

export const run: VerbRunner = async (system, call, terminal) => {
  const view = await skip(system, {
    task: requiredWord(call, 0),
    project: call.arguments[1],
    reason: optionText(call, "reason"),
  });
  return printAnswer(view, call.json, terminal);
};
