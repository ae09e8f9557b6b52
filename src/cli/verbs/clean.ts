import { clean } from "../../operations/health/clean.ts";
import { cleanText } from "../../report/health-text.ts";
import { EXIT } from "../exit-codes.ts";
import { isSet, optionTexts } from "../verb.ts";
import { viewVerb } from "../view-verb.ts";

export const run = viewVerb({
  view: (system, call, tell) =>
    clean(system, { yes: isSet(call, "yes"), force: optionTexts(call, "force"), tell }),
  text: cleanText,
  exitCode({ items }) {
    const isFailed = items.some(({ outcome }) => outcome === "failed");
    return isFailed ? EXIT.stateBroken : EXIT.done;
  },
});
