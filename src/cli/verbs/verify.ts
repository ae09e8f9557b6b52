import { verify } from "../../operations/verify.ts";
import { verifyText } from "../../report/verify-text.ts";
import { EXIT } from "../exit-codes.ts";
import { printJson } from "../print-json.ts";
import type { VerbRunner } from "../verb.ts";

export const run: VerbRunner = async (system, call, terminal) => {
  const view = await verify(system, { project: call.arguments[0] });
  if (call.json) printJson(terminal, view);
  else terminal.out(verifyText(view, terminal.paint));
  return view.passed ? EXIT.done : EXIT.stateBroken;
};
