import { plan } from "../../operations/plan.ts";
import { planText } from "../../report/plan-text.ts";
import { EXIT } from "../exit-codes.ts";
import { printJson } from "../print-json.ts";
import type { VerbRunner } from "../verb.ts";

export const run: VerbRunner = async (system, call, terminal) => {
  const view = await plan(system, { target: call.arguments[0] });
  if (call.json) printJson(terminal, view);
  else terminal.out(planText(view, terminal.paint));
  return EXIT.done;
};
