import { lint } from "../../operations/lint.ts";
import { lintText } from "../../report/manifest-text.ts";
import { EXIT } from "../exit-codes.ts";
import { viewVerb } from "../view-verb.ts";

export const run = viewVerb({
  view: (system, call) => lint(system, { manifests: call.arguments }),
  text: lintText,
  exitCode: ({ files }) => (files.some(({ errors }) => errors > 0) ? EXIT.badInput : EXIT.done),
});
