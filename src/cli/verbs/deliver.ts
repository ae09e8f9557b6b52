import { deliver } from "../../operations/deliver.ts";
import { deliverText } from "../../report/deliver-text.ts";
import { visibleText } from "../../report/visible.ts";
import { EXIT } from "../exit-codes.ts";
import { printJson } from "../print-json.ts";
import { optionText, type VerbRunner } from "../verb.ts";

export const run: VerbRunner = async (system, call, terminal) => {
  const view = await deliver(system, {
    project: call.arguments[0],
    into: optionText(call, "into"),
    tell: (text) => {
      if (!call.json) terminal.err(`stint: ${visibleText(text)}`);
    },
  });
  if (call.json) printJson(terminal, view);
  else terminal.out(deliverText(view, terminal.paint));
  if (view.delivery?.kind === "waiting") return EXIT.waitingForPerson;
  return view.push.kind === "failed" ? EXIT.blocked : EXIT.done;
};
