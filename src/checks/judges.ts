// Which of the files that a task changed judge it: what decides in one of its checks, not what that looks at. Two facts
// make a judge: the check read or executed the file, and the file is one that decides, by its role or because the check
// runs it and its exit code counts. What a check compares, searches or imports is the task's product. Pure.
import { posix } from "node:path";
import { decidesByBeingThere } from "./asked-for.ts";
import {
  decidesAlike,
  isAroundTests,
  isInstalledTool,
  isNamedJudge,
  isPartlyDeciding,
  isTestFile,
  type Role,
  roleOf,
} from "./file-roles.ts";
import { configuredFiles, pluginsOf } from "./configured-files.ts";
import {
  type Executed,
  executedBy,
  isMeantBy,
  type ProgramRun,
  type ReadText,
} from "./programs-run.ts";
import { isLoadedFirst, isStandIn } from "./stand-ins.ts";

export interface ChangedFile {
  readonly path: string;
  readonly change: "added" | "modified" | "deleted";
  /** It was a program before and is none now, or the other way round. */
  readonly switched?: true | undefined;
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
  /** Where a path leads through links of the repository; undefined where no link is on the way. */
  readonly leadsTo?: (path: string) => string | undefined;
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
  if (changed.length === 0) return [];
  const executed = withConfigured(executedBy(command, dir, after, looked.isOld), looked);
  const suspects = changed.filter(
    (file) =>
      file.change === "deleted" ||
      // A check that asks whether it is a program does not open it.
      file.switched === true ||
      isRead(file.path) ||
      decidesByBeingThere(file, executed),
  );
  const found = suspects.flatMap((file): Judge[] => {
    const role = judgingRole(file, executed, looked);
    return role === null ? [] : [{ ...file, role }];
  });
  return behindLinks(found, suspects, looked);
}

/** With what the configuration of before, or of now, names. */
function withConfigured(executed: Executed, { before, after, changed }: LookedAt): Executed {
  if (!executed.decidesByExit && !executed.runsTests) return executed;
  const dirs = new Set(["", ...executed.dirs]);
  const paths = changed.map(({ path }) => path);
  const named = [before, after].flatMap((read) => [
    ...configuredFiles(dirs, read),
    ...pluginsOf(paths, read),
  ]);
  return { ...executed, configured: [...executed.configured, ...named] };
}

/** As what a file that was read decides; null where it is the work. */
function judgingRole(
  file: ChangedFile,
  executed: Executed,
  looked: LookedAt,
): Judge["role"] | null {
  const { path } = file;
  const { after, isRead } = looked;
  const role = roleOf(path, after(path) ?? looked.before(path));
  const isProgram = executed.lookedUp.has(path.slice(path.lastIndexOf("/") + 1));
  const isText = executed.onlyLooks && !isProgram;
  if (!isText && isStandIn(file, executed, after)) return role ?? "program";
  if (executed.onlyLooks) return null;
  if (isInstalledTool(path)) return "script";
  const decides = executed.decidesByExit || executed.runsTests;
  if (!isRead(path) && decidesByBeingThere(file, executed)) return decides ? "configuration" : role;
  if (role === "test" || isAroundTests(path)) return role;
  const runs = executed.programs.filter((run) => isRunBy(run, path, looked));
  if (runs.length > 0) {
    const isJudge = isNamedJudge(path) || runs.some((run) => run.decides);
    return isJudge ? (role ?? "program") : null;
  }
  const isConfigured = executed.configured.some((word) => isMeantBy(path, word));
  const decided = isConfigured && role === null ? "configuration" : role;
  switch (decided) {
    case null:
      return null;
    case "configuration":
      // Where a check compares what comes out, what made it is the product.
      return decides && !isSameInDeciding(path, looked) ? decided : null;
    case "script":
      // What tests start is what they test, unless its name says otherwise.
      return executed.decidesByExit && (!executed.runsTests || isNamedJudge(path)) ? decided : null;
    default:
      return decided satisfies never;
  }
}

/** Whether a program that is run is this file, by its own name, by a link, or because it is a link on the way there. */
function isRunBy({ word, dir: at }: ProgramRun, path: string, { dir, leadsTo }: LookedAt): boolean {
  if (isMeantBy(path, word)) return true;
  const full = posix.join(at ?? dir, word);
  return full.startsWith(`${path}/`) || leadsTo?.(full) === path;
}

/** A link that judges, or is on the way to a judge, does so by the files behind it. */
function behindLinks(
  judges: readonly Judge[],
  suspects: readonly ChangedFile[],
  { leadsTo }: LookedAt,
): readonly Judge[] {
  const found = new Map(judges.map((each) => [each.path, each]));
  for (const { path, role } of judges) {
    const real = leadsTo?.(path);
    for (const file of suspects) {
      const isLink = path.startsWith(`${file.path}/`);
      const isBehind =
        file.path === real || (real !== undefined && file.path.startsWith(`${real}/`));
      if ((isLink || isBehind) && !found.has(file.path)) found.set(file.path, { ...file, role });
    }
  }
  return [...found.values()];
}

/** A package.json changes for many reasons; only what tools read of it counts. */
function isSameInDeciding(path: string, { before, after, changed }: LookedAt): boolean {
  const isGone = (each: string): boolean =>
    changed.some((file) => file.path === each && file.change === "deleted");
  return isPartlyDeciding(path) && decidesAlike(path, before(path), after(path), isGone);
}

/** Whether by its name alone it may judge a check of another task. A new test or script judges what is new as well. */
export function mayJudgeOthers({ path, change }: ChangedFile): boolean {
  const role = roleOf(path, undefined);
  if (change !== "added") return role !== null || isNamedJudge(path);
  return role === "configuration" || isLoadedFirst(path) || path.split("/").some(isNamedJudge);
}

/** Whether what an earlier task made of it counts for a later one. */
export function judgesOthers(judge: Judge): boolean {
  const { role, change } = judge;
  const isAbout = role === "configuration" || isLoadedFirst(judge.path);
  return mayJudgeOthers(judge) && (change !== "added" || isAbout);
}

/** The whole work is tests that were not there before, with what is around them: to write them was the task. */
export function areNewTests(changed: readonly ChangedFile[]): boolean {
  return (
    changed.length > 0 &&
    changed.every(({ path, change }) => change === "added" && isTestFile(path)) &&
    !changed.every(({ path }) => isAroundTests(path))
  );
}

/** What a check said with the old judges on the new work, and with the new judges on the old work. */
export interface Answers {
  /** It was seen to fail before any work. */
  readonly wasRed: boolean;
  readonly oldJudges: boolean;
  /** Undefined where that was not asked, as the answer before was enough. */
  readonly newJudges?: boolean | undefined;
  /** It passes with nothing but what is around the new tests. */
  readonly isBySettings?: boolean | undefined;
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

export function toldBy(answers: Answers): Told {
  const { wasRed, oldJudges, newJudges, judges, changed, isBySettings = false } = answers;
  if (oldJudges && wasRed) return "independent";
  if (newJudges === false || (areNewTests(changed) && !isBySettings)) return "own-tests";
  if (!oldJudges) return "self-judged";
  // They passed before and pass now; tests that were added to that tell nothing either.
  const isAdded = judges.some(({ role, change }) => role === "test" && change === "added");
  return isAdded ? "self-judged" : "nothing";
}
