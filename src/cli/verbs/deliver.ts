import { deliver } from "../../operations/deliver.ts";
import { deliverText } from "../../report/decision-text.ts";
import { EXIT } from "../exit-codes.ts";
import { optionText } from "../verb.ts";
import { viewVerb } from "../view-verb.ts";

export const run = viewVerb({
  view: (system, call, tell) =>
    deliver(system, { project: call.arguments[0], into: optionText(call, "into"), tell }),
  text: deliverText,
  exitCode({ delivery, push }) {
    if (delivery?.kind === "waiting") return EXIT.waitingForPerson;
    return push.kind === "failed" ? EXIT.blocked : EXIT.done;
  },
});
