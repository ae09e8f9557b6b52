import { answer } from "../../operations/answers/answer.ts";
import { printAnswer } from "../print-answer.ts";
import { requiredWord, type VerbRunner } from "../verb.ts";

export const run: VerbRunner = async (system, call, terminal) => {
  const view = await answer(system, {
    question: requiredWord(call, 0),
    text: requiredWord(call, 1),
    project: call.arguments[2],
  });
  return printAnswer(view, call.json, terminal);
};
