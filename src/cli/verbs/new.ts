import { newInput, newProject } from "../../operations/new-project.ts";
import { newText } from "../../report/new-text.ts";
import { EXIT } from "../exit-codes.ts";
import { printJson } from "../print-json.ts";
import type { VerbRunner } from "../verb.ts";

export const run: VerbRunner = async (system, call, terminal) => {
  const input = newInput.parse({ manifest: call.arguments[0], as: call.options["as"] });
  const view = await newProject(system, input);
  if (call.json) printJson(terminal, view);
  else terminal.out(newText(view, terminal.paint, terminal.width));
  return EXIT.done;
};
