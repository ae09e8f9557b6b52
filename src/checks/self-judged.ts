// Whether an attempt changed what judges it: a file its check names, a script the check calls, or a
// test file the check runs. The label informs a person; it fails nothing, so it errs on saying it.
import type { Check } from "../core/schema/task.ts";
import { calledBy, type ReadText } from "./called-by.ts";
import { isTestFile } from "./test-files.ts";

export interface JudgedAttempt {
  readonly checks: readonly Check[];
  /** Relative to the work tree, with `/`. */
  readonly changed: readonly string[];
  /** Files as they were when the checks were frozen, and as they are. */
  readonly before: ReadText;
  readonly after: ReadText;
}

/** The changed paths that had a say in the attempt's own checks; none when it was judged by others. */
export function selfJudgedPaths({ checks, changed, before, after }: JudgedAttempt): string[] {
  const found = new Set<string>();
  for (const check of checks) {
    // The file of a file check is what the task makes, not what judges it.
    if (check.kind !== "command") continue;
    const was = calledBy(check.command, before);
    const is = calledBy(check.command, after);
    for (const path of changed) {
      const isNamed = was.isNamed(path) || is.isNamed(path);
      const isRunTest = (was.runsTests || is.runsTests) && isTestFile(path);
      if (isNamed || isRunTest) found.add(path);
    }
    // A manifest of scripts changes for many reasons; only the scripts that are called count.
    for (const path of was.scriptsFrom) {
      if (changed.includes(path) && was.scriptTexts !== is.scriptTexts) found.add(path);
    }
  }
  return [...found].toSorted();
}
