import type { CompletionView } from "../../core/schema/views.ts";
import { StintError } from "../../core/stint-error.ts";
import { completionScript, SHELLS } from "../completion-script.ts";
import { EXIT } from "../exit-codes.ts";
import { printJson } from "../print-json.ts";
import type { VerbRunner } from "../verb.ts";
import { VERBS } from "../verbs.ts";

export const run: VerbRunner = (_system, call, terminal) => {
  const shell = SHELLS.find((name) => name === call.arguments[0]);
  if (shell === undefined) {
    throw new StintError(
      "bad-input",
      `there is no completion for "${call.arguments[0]}"; known are ${SHELLS.join(", ")}`,
      "Right is, for example: stint completion bash",
    );
  }
  const view: CompletionView = { shell, script: completionScript(shell, VERBS) };
  if (call.json) printJson(terminal, view);
  else terminal.out(view.script);
  return EXIT.done;
};
