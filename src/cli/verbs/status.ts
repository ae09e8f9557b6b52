import { status } from "../../operations/status.ts";
import { statusText } from "../../report/status-text.ts";
import { EXIT, exitCodeOfState } from "../exit-codes.ts";
import { printJson } from "../print-json.ts";
import { isSet, type VerbRunner } from "../verb.ts";

export const run: VerbRunner = async (system, call, terminal) => {
  const view = await status(system, { project: call.arguments[0], all: isSet(call, "all") });
  if (call.json) printJson(terminal, view);
  else terminal.out(statusText(view, terminal.paint, terminal.width));
  return isSet(call, "exitCode") ? exitCodeOfState(view) : EXIT.done;
};
