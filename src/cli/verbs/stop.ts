import { stop } from "../../operations/run/stop.ts";
import { printAnswer } from "../print-answer.ts";
import { isSet, type VerbRunner } from "../verb.ts";

export const run: VerbRunner = async (system, call, terminal) => {
  const view = await stop(system, { project: call.arguments[0], now: isSet(call, "now") });
  return printAnswer(view, call.json, terminal);
};
