// The rules of `stint lint`, beyond what makes a manifest unreadable.
import { agentReviewOfRelease, noCheck, passwordInCheck } from "./check-rules.ts";
import { nestedBox, strayBox } from "./box-rules.ts";
import { delegateIgnored } from "./key-rules.ts";
import type { LintRule } from "./rule.ts";
import { manyFiles, manySubsteps, oneTask } from "./size-rules.ts";
import { mixedBoundaries, moreThanOneVerb } from "./split-rules.ts";

export const RULES: readonly LintRule[] = [
  moreThanOneVerb,
  mixedBoundaries,
  noCheck,
  agentReviewOfRelease,
  passwordInCheck,
  delegateIgnored,
  manyFiles,
  manySubsteps,
  oneTask,
  nestedBox,
  strayBox,
];
