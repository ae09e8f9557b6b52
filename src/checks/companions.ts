// Which new files stand by a judge that the task changed: read by the check only since then. With that judge they are laid
// on the old files, so that it does not fail just because they are missing there. Pure.
import { posix } from "node:path";
import type { ChangedFile, Judge } from "./judges.ts";
import { executedBy, isMeantBy, type ReadText } from "./programs-run.ts";

export interface Asked {
  readonly command: string;
  /** Where it starts, below the root. */
  readonly dir: string;
  readonly judges: readonly Judge[];
  readonly changed: readonly ChangedFile[];
  /** What the check read of the work, and what it read of that with its old judges, which did not agree. */
  readonly read: ReadonlySet<string>;
  readonly readWithOld: ReadonlySet<string>;
  /** Files as they were before the work, and as they are. */
  readonly before: ReadText;
  readonly after: ReadText;
}

/** New files that may be what a changed judge was made to agree by. */
export function mayBeCompanions({ judges, changed }: Pick<Asked, "judges" | "changed">): string[] {
  // With a new judge, new files are what it tests.
  if (judges.every(({ change }) => change === "added")) return [];
  return changed
    .filter(({ path, change }) => change === "added" && !isAmong(judges, path))
    .map(({ path }) => path);
}

export function companionsOf(asked: Asked): readonly string[] {
  const { command, dir, judges, changed, read, readWithOld, before, after } = asked;
  const found = mayBeCompanions(asked).filter((path) => read.has(path) && !readWithOld.has(path));
  if (found.length === 0) return [];
  const old = judges.filter(({ change }) => change !== "added");
  const added = judges.filter(({ change }) => change === "added");
  // What its old judges look at is elsewhere now: the new files are that work.
  const gone = changed.filter(({ path, change }) => change === "deleted" && !isAmong(judges, path));
  if (gone.some(({ path }) => old.some((judge) => names(before(judge.path), path)))) return [];
  const { programs, compared } = executedBy(command, dir, after);
  const named = [...programs.map(({ word }) => word), ...compared];
  return found.filter((path) => {
    if (named.some((word) => isMeantBy(path, word))) return false;
    const isOfOld = old.some((judge) => names(after(judge.path), path));
    return isOfOld || !added.some((judge) => names(after(judge.path), path));
  });
}

function isAmong(judges: readonly Judge[], path: string): boolean {
  return judges.some((judge) => judge.path === path);
}

/** Whether a text has the name of a file, as an import writes it. */
function names(text: string | undefined, path: string): boolean {
  const { name } = posix.parse(path);
  const escaped = name.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return text !== undefined && new RegExp(`(?<![\\w-])${escaped}(?![\\w-])`).test(text);
}
