// A key that is read and kept, but not yet carried out, is never passed over in silence.
import { warningAt } from "../problem.ts";
import type { LintRule } from "./rule.ts";

export const delegateIgnored: LintRule = (_document, plan) =>
  plan.tasks.flatMap(({ box, text, delegate }) =>
    delegate === undefined || box.checked
      ? []
      : warningAt(box.line, "delegate-ignored", {
          message:
            "delegate is not carried out yet: an agent works on this task as on any other; a person can review what it made",
          example: `- [ ] ${text}\n  - check: review`,
          found: `delegate: ${delegate}`,
        }),
  );
