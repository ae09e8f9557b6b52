import { verify } from "../../operations/verify.ts";
import { verifyText } from "../../report/health-text.ts";
import { EXIT } from "../exit-codes.ts";
import { viewVerb } from "../view-verb.ts";

export const run = viewVerb({
  view: (system, { arguments: [project] }) => verify(system, { project }),
  text: verifyText,
  exitCode: ({ passed }) => (passed ? EXIT.done : EXIT.stateBroken),
});
