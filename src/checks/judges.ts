// Which of the files that a task changed judge it: what decides in one of its checks, not what that looks at. Two facts
// make a judge: the check read or executed the file, and the file is one that decides, by its role or because the check
// runs it and its exit code counts. What a check compares, searches or imports is the task's product. Pure.
import {
  decidingPart,
  isInstalledTool,
  isNamedJudge,
  isPartlyDeciding,
  isTestFile,
  type Role,
  roleOf,
} from "./file-roles.ts";
import { executedBy, isMeantBy, type ReadText } from "./programs-run.ts";

export interface ChangedFile {
  readonly path: string;
  readonly change: "added" | "modified" | "deleted";
}

/** One command check, after it ran on the work. */
export interface LookedAt {
  readonly command: string;
  /** Where it starts, below the root. */
  readonly dir: string;
  readonly changed: readonly ChangedFile[];
  /** Which of these it opened or executed, as far as that could be seen. */
  readonly isRead: (path: string) => boolean;
  /** Files as they were before the work, and as they are. */
  readonly before: ReadText;
  readonly after: ReadText;
  /** Whether a file is as it was before the work; absent: nobody knows. */
  readonly isOld?: (path: string) => boolean;
}

export interface Judge extends ChangedFile {
  readonly role: Role | "program";
}

/** The files that decide whether a program that a comparison follows is the work; none where it makes no difference. */
export function askedAbout(looked: LookedAt): readonly string[] {
  const [least, most] = [false, true].map((isOld) =>
    judgesAmong({ ...looked, isOld: () => isOld }),
  );
  if (least?.length === most?.length) return [];
  return executedBy(looked.command, looked.dir, looked.after).compared;
}

export function judgesAmong(looked: LookedAt): readonly Judge[] {
  const { command, dir, changed, isRead, after } = looked;
  const suspects = changed.filter(({ path, change }) => change === "deleted" || isRead(path));
  if (suspects.length === 0) return [];
  const executed = executedBy(command, dir, after, looked.isOld);
  return suspects.flatMap((file): Judge[] => {
    const { path } = file;
    const role = roleOf(path, after(path) ?? looked.before(path));
    if (role === "test") return [{ ...file, role }];
    if (isInstalledTool(path)) return [{ ...file, role: "script" }];
    const runs = executed.programs.filter(({ word }) => isMeantBy(path, word));
    if (runs.length > 0) {
      const decides = isNamedJudge(path) || runs.some((run) => run.decides);
      return decides ? [{ ...file, role: role ?? "program" }] : [];
    }
    switch (role) {
      case null:
        return [];
      case "configuration": {
        // Where a check compares what comes out, what made it is the product.
        const decides = executed.decidesByExit && !isSameInDeciding(path, looked);
        return decides ? [{ ...file, role }] : [];
      }
      case "script":
        // What tests start is what they test, unless its name says otherwise.
        return executed.decidesByExit && (!executed.runsTests || isNamedJudge(path))
          ? [{ ...file, role }]
          : [];
      default:
        return role satisfies never;
    }
  });
}

/** A package.json changes for many reasons; only what tools read of it counts. */
function isSameInDeciding(path: string, { before, after }: LookedAt): boolean {
  return (
    isPartlyDeciding(path) && decidingPart(path, before(path)) === decidingPart(path, after(path))
  );
}

/** The whole work is tests that were not there before: to write them was the task. */
export function areNewTests(changed: readonly ChangedFile[]): boolean {
  return (
    changed.length > 0 &&
    changed.every(({ path, change }) => change === "added" && isTestFile(path))
  );
}

/** What a check said with the old judges on the new work, and with the new judges on the old work. */
export interface Answers {
  /** It was seen to fail before any work. */
  readonly wasRed: boolean;
  readonly oldJudges: boolean;
  /** Undefined where that was not asked, as the answer before was enough. */
  readonly newJudges?: boolean | undefined;
  readonly judges: readonly Judge[];
  readonly changed: readonly ChangedFile[];
}

export type Told =
  /** A judge that the task did not change agrees. */
  | "independent"
  | "own-tests"
  | "self-judged"
  /** As before its work: nothing. */
  | "nothing";

export function toldBy({ wasRed, oldJudges, newJudges, judges, changed }: Answers): Told {
  if (oldJudges && wasRed) return "independent";
  if (newJudges === false || areNewTests(changed)) return "own-tests";
  if (!oldJudges) return "self-judged";
  // They passed before and pass now; tests that were added to that tell nothing either.
  const isAdded = judges.some(({ role, change }) => role === "test" && change === "added");
  return isAdded ? "self-judged" : "nothing";
}
