import { pause } from "../../operations/run/pause.ts";
import { printAnswer } from "../print-answer.ts";
import { optionText, type VerbRunner } from "../verb.ts";

export const run: VerbRunner = async (system, call, terminal) => {
  const view = await pause(system, {
    project: call.arguments[0],
    reason: optionText(call, "reason"),
  });
  return printAnswer(view, call.json, terminal);
};
