import { newProject } from "../../operations/new-project.ts";
import { newText } from "../../report/new-text.ts";
import { EXIT } from "../exit-codes.ts";
import { printJson } from "../print-json.ts";
import { optionText, requiredWord, type VerbRunner } from "../verb.ts";

export const run: VerbRunner = async (system, call, terminal) => {
  const manifest = requiredWord(call, 0);
  const view = await newProject(system, { manifest, as: optionText(call, "as") });
  if (call.json) printJson(terminal, view);
  else terminal.out(newText(view, terminal.paint, terminal.width));
  return EXIT.done;
};
