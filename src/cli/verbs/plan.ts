import { plan } from "../../operations/plan.ts";
import { planText } from "../../report/manifest-text.ts";
import { typedSettings } from "../run-settings-options.ts";
import { viewVerb } from "../view-verb.ts";

export const run = viewVerb({
  view: (system, call) => plan(system, { target: call.arguments[0], ...typedSettings(call) }),
  text: planText,
});
