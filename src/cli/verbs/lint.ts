import { lint } from "../../operations/lint.ts";
import { lintText } from "../../report/lint-text.ts";
import { EXIT } from "../exit-codes.ts";
import { printJson } from "../print-json.ts";
import type { VerbRunner } from "../verb.ts";

export const run: VerbRunner = async (system, call, terminal) => {
  const view = await lint(system, { manifests: call.arguments });
  if (call.json) printJson(terminal, view);
  else terminal.out(lintText(view, terminal.paint));
  return view.files.some((file) => file.errors > 0) ? EXIT.badInput : EXIT.done;
};
