import { status, statusInput } from "../../operations/status.ts";
import { statusText } from "../../report/status-text.ts";
import { EXIT, exitCodeOfState } from "../exit-codes.ts";
import { printJson } from "../print-json.ts";
import type { VerbRunner } from "../verb.ts";

export const run: VerbRunner = (system, call, terminal) => {
  const { all } = call.options;
  const view = status(system, statusInput.parse({ project: call.arguments[0], all }));
  if (call.json) printJson(terminal, view);
  else terminal.out(statusText(view, terminal.paint, terminal.width));
  return call.options["exitCode"] === true ? exitCodeOfState(view) : EXIT.done;
};
