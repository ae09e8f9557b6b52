import { clean } from "../../operations/health/clean.ts";
import { cleanText } from "../../report/clean-text.ts";
import { EXIT } from "../exit-codes.ts";
import { printJson } from "../print-json.ts";
import { isSet, optionTexts, type VerbRunner } from "../verb.ts";

export const run: VerbRunner = async (system, call, terminal) => {
  const view = await clean(system, {
    yes: isSet(call, "yes"),
    force: optionTexts(call, "force"),
  });
  if (call.json) printJson(terminal, view);
  else terminal.out(cleanText(view, terminal.paint));
  const isFailed = view.items.some(({ outcome }) => outcome === "failed");
  return isFailed ? EXIT.stateBroken : EXIT.done;
};
