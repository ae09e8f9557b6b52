import type { CompletionView } from "../../core/schema/views.ts";
import { StintError } from "../../core/stint-error.ts";
import { completionScript, SHELLS } from "../completion-script.ts";
import { viewVerb } from "../view-verb.ts";
import { VERBS } from "../verbs.ts";

export const run = viewVerb({
  view(_system, { arguments: [named] }): CompletionView {
    const shell = SHELLS.find((name) => name === named);
    if (shell !== undefined) return { shell, script: completionScript(shell, VERBS) };
    throw new StintError(
      "bad-input",
      `there is no completion for "${named}"; known are ${SHELLS.join(", ")}`,
      "Right is, for example: stint completion bash",
    );
  },
  text: ({ script }) => [{ whole: script }],
});
