import { diff } from "../../operations/diff.ts";
import { diffText } from "../../report/diff-text.ts";
import { EXIT } from "../exit-codes.ts";
import { printJson } from "../print-json.ts";
import type { VerbRunner } from "../verb.ts";

export const run: VerbRunner = async (system, call, terminal) => {
  const view = await diff(system, { item: call.arguments[0], project: call.arguments[1] });
  if (call.json) printJson(terminal, view);
  else terminal.out(diffText(view, terminal.paint));
  return EXIT.done;
};
