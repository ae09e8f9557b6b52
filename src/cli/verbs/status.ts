import { status } from "../../operations/status.ts";
import { statusText } from "../../report/status-text.ts";
import { EXIT, exitCodeOfState } from "../exit-codes.ts";
import { isSet } from "../verb.ts";
import { viewVerb } from "../view-verb.ts";

export const run = viewVerb({
  view: (system, call) => status(system, { project: call.arguments[0], all: isSet(call, "all") }),
  text: statusText,
  exitCode: (view, call) => (isSet(call, "exitCode") ? exitCodeOfState(view) : EXIT.done),
});
