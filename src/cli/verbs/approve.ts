import { approve } from "../../operations/answers/approve.ts";
import { printAnswer } from "../print-answer.ts";
import { requiredWord, type VerbRunner } from "../verb.ts";

export const run: VerbRunner = async (system, call, terminal) => {
  const view = await approve(system, { item: requiredWord(call, 0), project: call.arguments[1] });
  return printAnswer(view, call.json, terminal);
};
