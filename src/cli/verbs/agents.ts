import { agents } from "../../operations/agents.ts";
import { agentsText } from "../../report/agents-text.ts";
import { EXIT } from "../exit-codes.ts";
import { printJson } from "../print-json.ts";
import type { VerbRunner } from "../verb.ts";

export const run: VerbRunner = async (system, call, terminal) => {
  const view = await agents(system);
  if (call.json) printJson(terminal, view);
  else terminal.out(agentsText(view, terminal.paint, terminal.width));
  return EXIT.done;
};
