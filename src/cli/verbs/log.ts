import { log } from "../../operations/log.ts";
import { logText } from "../../report/status-text.ts";
import { optionCount } from "../verb.ts";
import { viewVerb } from "../view-verb.ts";

export const run = viewVerb({
  view: (system, call) =>
    log(system, { project: call.arguments[0], lines: optionCount(call, "lines", "-n 20") }),
  text: logText,
});
