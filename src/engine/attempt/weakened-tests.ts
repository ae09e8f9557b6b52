// What a session did to tests that makes them weaker, in a few words: said in its result and beside a label. It explains;
// what it means for the task is found out by running the checks.
import type { ChangedFile } from "../../checks/judges.ts";
import { isTestFile } from "../../checks/file-roles.ts";
import { isConfiguration } from "../../checks/test-thresholds.ts";
import { weakenedTests } from "../../checks/weakened-tests.ts";
import { fewOf } from "../../core/words/amounts.ts";
import type { RunContext } from "../base/run-context.ts";
import { textsIn } from "../base/tree-files.ts";

/** Null where no test got weaker. The files of `tree` are laid. Git is asked only where a test was changed or is gone. */
export async function weakenedWords(
  { space, copy }: RunContext,
  base: string,
  changed: readonly ChangedFile[],
): Promise<string | null> {
  const tests = changed.filter(({ path }) => isTestFile(path) || isConfiguration(path));
  const old = tests.filter(({ change }) => change !== "added").map(({ path }) => path);
  if (old.length === 0) return null;
  const before = await space.texts(base, old);
  const now = textsIn(copy);
  const files = tests.map(({ path, change }) => {
    const after = change === "deleted" ? undefined : now(path);
    return { path, before: before.get(path), after };
  });
  const weakened = weakenedTests(files).map(({ path, what }) => `${path}: ${what}`);
  return weakened.length === 0 ? null : fewOf(weakened);
}
