// Which new files decide although no tool opens them: that they are there is enough. What make takes as made it does not
// make, and in a folder with such a mark a test runner looks for no test. By name and place alone. Pure.
import type { ChangedFile } from "./judges.ts";
import type { Executed } from "./programs-run.ts";

/** An environment of Python, and of conda; below the root, another module of Go. */
const MARKS = /(?:^|\/)(?:pyvenv\.cfg|conda-meta\/history)$|\/go\.mod$/;

/** Of a file that was not read. */
export function decidesByBeingThere(
  { path, change }: ChangedFile,
  { targets }: Pick<Executed, "targets">,
): boolean {
  return change === "added" && (MARKS.test(path) || isMade(path, targets));
}

/** Whether a path is what a rule would make, or is in a folder of that name. */
export function isMade(path: string, targets: readonly string[]): boolean {
  return targets.some((target) => path === target || path.startsWith(`${target}/`));
}
