import { retry } from "../../operations/answers/retry.ts";
import { printAnswer } from "../print-answer.ts";
import { requiredWord, type VerbRunner } from "../verb.ts";

export const run: VerbRunner = async (system, call, terminal) => {
  const view = await retry(system, { task: requiredWord(call, 0), project: call.arguments[1] });
  return printAnswer(view, call.json, terminal);
};
