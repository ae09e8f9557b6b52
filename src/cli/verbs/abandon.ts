import { abandon } from "../../operations/answers/abandon.ts";
import { printAnswer } from "../print-answer.ts";
import { optionText, type VerbRunner } from "../verb.ts";

export const run: VerbRunner = async (system, call, terminal) => {
  const view = await abandon(system, {
    project: call.arguments[0],
    reason: optionText(call, "reason"),
  });
  return printAnswer(view, call.json, terminal);
};
