import { log } from "../../operations/log.ts";
import { StintError } from "../../core/stint-error.ts";
import { logText } from "../../report/log-text.ts";
import { EXIT } from "../exit-codes.ts";
import { printJson } from "../print-json.ts";
import { optionText, type VerbRunner } from "../verb.ts";

export const run: VerbRunner = async (system, call, terminal) => {
  const lines = lineCount(optionText(call, "lines"));
  const view = await log(system, { project: call.arguments[0], lines });
  if (call.json) printJson(terminal, view);
  else terminal.out(logText(view, terminal.paint, terminal.width));
  return EXIT.done;
};

function lineCount(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new StintError(
    "bad-input",
    `"${text}" is no number of lines`,
    "Right is, for example: -n 20",
  );
}
