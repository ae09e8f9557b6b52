import { accept } from "../../operations/answers/accept.ts";
import { printAnswer } from "../print-answer.ts";
import { requiredWord, type VerbRunner } from "../verb.ts";

export const run: VerbRunner = async (system, call, terminal) => {
  const view = await accept(system, {
    proposal: requiredWord(call, 0),
    project: call.arguments[1],
  });
  return printAnswer(view, call.json, terminal);
};
