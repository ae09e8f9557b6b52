import { deny } from "../../operations/answers/deny.ts";
import { printAnswer } from "../print-answer.ts";
import { optionText, requiredWord, type VerbRunner } from "../verb.ts";

export const run: VerbRunner = async (system, call, terminal) => {
  const view = await deny(system, {
    item: requiredWord(call, 0),
    project: call.arguments[1],
    reason: optionText(call, "reason"),
  });
  return printAnswer(view, call.json, terminal);
};
