// A check may be green because another task weakened what judges in it: before the work of its own task began, or since it
// was last seen red. Stint asks: does it pass with those judges as they were before the other task? Was it red then? And did
// these changes alone turn it green? Only where all of that is so, its task is labelled. What a person changed is theirs, and
// is not asked about.
import { isDeepStrictEqual } from "node:util";
import { companionsOf } from "../../checks/companions.ts";
import { checkKey, describeCheck } from "../../checks/check-text.ts";
import type { JudgedCheck } from "../../checks/judge-task.ts";
import { type Judge, judgesAmong, judgesOthers, mayJudgeOthers } from "../../checks/judges.ts";
import type { TaskId } from "../../core/ids.ts";
import type { TaskMemory } from "../../core/schema/session-records.ts";
import type { Task } from "../../core/schema/task.ts";
import { StintError } from "../../core/stint-error.ts";
import { fewOf } from "../../core/words/amounts.ts";
import { programsStarted } from "../../core/written/programs-started.ts";
import { memoryOf } from "../base/kept-record.ts";
import type { Steps } from "../base/persist.ts";
import type { RunContext } from "../base/run-context.ts";
import { linksIn } from "../base/tree-files.ts";
import { lastSessionHere, layTree } from "../space/task-work.ts";
import { startFolder } from "../space/workspace-commands.ts";
import {
  type AskedJudges,
  budgetOf,
  mixed,
  type Passed,
  passesOn,
  type Suspected,
  textsNow,
} from "./ask-judges.ts";
import type { Kept } from "./run-checks.ts";
import { weakenedWords } from "./weakened-tests.ts";

type Noted = NonNullable<TaskMemory["judges"]>;

/** What an earlier task changed, among it files that may judge. */
interface Earlier extends Noted {
  readonly id: TaskId;
}

/** Beyond so many files a change is nothing that somebody slipped in. */
const MOST_NOTED = 200;

/** What is kept of the work of a task that is done. */
export function noted({ base, changed }: Noted): Noted {
  const judging = changed.filter(mayJudgeOthers);
  const others = changed.filter((each) => !mayJudgeOthers(each));
  return { base, changed: [...judging, ...others].slice(0, MOST_NOTED) };
}

/** In the order in which they are written. */
export function earlierJudges(context: RunContext, { id: own }: Task): readonly Earlier[] {
  return context.holder.state.tasks.flatMap(({ id, status }) => {
    const judges = id === own || status !== "done" ? undefined : memoryOf(context, id).judges;
    return judges === undefined ? [] : [{ id, ...judges }];
  });
}

/** The files are those of the work again when it comes back. */
export async function* askEarlier(
  context: RunContext,
  passed: Passed,
  own: readonly JudgedCheck[],
  earlier: readonly Earlier[],
): Steps<AskedJudges> {
  const judged: JudgedCheck[] = [];
  const kept: Kept[] = [];
  const { space, host } = context;
  if (earlier.length === 0 || space.kind !== "own-copy") return { judged, kept };
  // What its own judges were found to be is told already.
  const told = own.filter((each) => each.told !== "independent" && each.told !== "nothing");
  const known = new Set(told.map(({ check }) => checkKey(check)));
  const all = await Promise.all(earlier.map((each) => suspects(context, passed, each, known)));
  const asked = all.flat();
  if (asked.length === 0) return { judged, kept };
  const until = host.nowMs() + budgetOf(context, passed);
  await space.setIgnoredAside(lastSessionHere(context), passed.ignored);
  try {
    for (const suspected of asked) {
      const key = checkKey(suspected.check);
      if (known.has(key)) continue;
      if (!(yield* isTurned(context, passed, suspected, { until, kept }))) continue;
      known.add(key);
      // oxlint-disable-next-line no-await-in-loop
      judged.push(await judgedBy(context, passed, suspected));
    }
    await layTree(context, passed.laid.tree);
  } finally {
    space.putIgnoredBack();
  }
  return { judged, kept };
}

interface SuspectedEarlier extends Suspected {
  readonly earlier: Earlier;
}

/** Checks of which nothing is told, and what the other task changed of their judges. */
async function suspects(
  context: RunContext,
  passed: Passed,
  earlier: Earlier,
  known: ReadonlySet<string>,
): Promise<readonly SuspectedEarlier[]> {
  const { space } = context;
  const { task, checks, runs } = passed;
  const { base, changed } = earlier;
  const wanted = changed.filter(mayJudgeOthers).map(({ path }) => path);
  const before = await unlessGone(space.texts(base, wanted));
  if (before === null) return [];
  const after = textsNow(context);
  const { dir } = startFolder(context, task);
  const found = runs.flatMap(({ check, read, unreliable }): SuspectedEarlier[] => {
    if (check.kind !== "command" || read === undefined || unreliable !== undefined) return [];
    const key = checkKey(check);
    if (known.has(key) || wasGreenFor(context, task, earlier.id, key)) return [];
    const all = judgesAmong({
      command: check.command,
      dir,
      changed,
      isRead: (path) => read.has(path),
      before: (path) => before.get(path),
      after,
      leadsTo: linksIn(space.folder),
    });
    const isThere = isSetUp(check.command, dir, (path) => before.get(path) ?? after(path), after);
    const judges = all.filter(
      (judge) => judgesOthers(judge) && (isThere || judge.role !== "configuration"),
    );
    const ordinal = checks.findIndex((each) => checkKey(each) === key) + 1;
    return judges.length === 0 ? [] : [{ check, ordinal, judges, read, earlier }];
  });
  const since = await Promise.all(found.map((each) => isChangedSinceRed(context, passed, each)));
  return found.filter((_, at) => since[at]);
}

/** The other task had the same check and never saw it red: that check was not red before its work. */
function wasGreenFor(context: RunContext, task: Task, id: TaskId, key: string): boolean {
  const other = context.holder.state.tasks.find((each) => each.id === id);
  const hasIt = other?.checks?.some((each) => checkKey(each) === key) === true;
  if (other === undefined || !hasIt || memoryOf(context, id).seenFailing.includes(key))
    return false;
  return startFolder(context, other).dir === startFolder(context, task).dir;
}

/** A check that was seen red with the judges of now is not green because of them. */
async function isChangedSinceRed(
  { space }: RunContext,
  { redIn, laid }: Passed,
  { check, judges }: SuspectedEarlier,
): Promise<boolean> {
  const red = redIn[checkKey(check)];
  const paths = judges.map(({ path }) => path);
  const was = red === undefined ? null : await unlessGone(space.entries(red, paths));
  if (was === null) return true;
  const is = await space.entries(laid.tree, paths);
  return paths.some((path) => !isDeepStrictEqual(was.get(path), is.get(path)));
}

/** Null where nothing holds that tree any more, as after a cleanup: then nothing is known of it. */
async function unlessGone<Asked>(asked: Promise<Asked>): Promise<Asked | null> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof StintError && error.code === "git-failed") return null;
    throw error;
  }
}

/** Whether every script that the check calls now could be called before: to set up tests weakens none. */
function isSetUp(
  command: string,
  dir: string,
  before: (path: string) => string | undefined,
  after: (path: string) => string | undefined,
): boolean {
  const [old, now] = [before, after].map((read) => programsStarted(command, dir, read));
  return now?.[0]?.isFollowed !== true || old?.[0]?.isFollowed === true;
}

interface Asking {
  readonly until: number;
  readonly kept: Kept[];
}

/** Whether the check is green by what the earlier task did to its judges, and by nothing else. */
async function* isTurned(
  context: RunContext,
  passed: Passed,
  suspected: SuspectedEarlier,
  { until, kept }: Asking,
): Steps<boolean> {
  const { space } = context;
  const { tree } = passed.laid;
  const { judges, check, read, earlier } = suspected;
  const { base, changed } = earlier;
  const old = await mixed(context, tree, base, judges);
  if (old === tree) return false;
  const watch = changed.filter(({ change }) => change === "added").map(({ path }) => path);
  const withOld = yield* passesOn(context, passed, suspected, {
    tree: old,
    which: "old-judges",
    until,
    kept,
    watch,
  });
  if (withOld === null || withOld.isPassed) return false;
  const before = yield* passesOn(context, passed, suspected, {
    tree: base,
    which: "red-before",
    until,
    kept,
  });
  if (before === null || before.isPassed) return false;
  const texts = await space.texts(
    base,
    judges.map(({ path }) => path),
  );
  const companions = companionsOf({
    command: check.command,
    dir: startFolder(context, passed.task).dir,
    judges,
    changed,
    read,
    readWithOld: withOld.read,
    before: (path) => texts.get(path),
    after: textsNow(context),
  });
  const beside = companions.map((path): Judge => ({ path, change: "added", role: "script" }));
  const now = await mixed(context, base, tree, [...judges, ...beside]);
  const question = { tree: now, which: "new-judges", until, kept, companions } as const;
  return (yield* passesOn(context, passed, suspected, question))?.isPassed === true;
}

async function judgedBy(
  context: RunContext,
  { laid }: Passed,
  { check, judges, earlier }: SuspectedEarlier,
): Promise<JudgedCheck> {
  const { id, base, changed } = earlier;
  await layTree(context, laid.tree);
  const weakened = await weakenedWords(context, base, changed);
  const names = fewOf(judges.map(({ path }) => path));
  const also = weakened === null ? "" : `; ${id} weakened ${weakened}`;
  const asBefore = judges.length === 1 ? "that as it was" : "those as they were";
  const why = `${describeCheck(check)} failed until ${id} changed ${names}, and fails with ${asBefore} before${also}`;
  return { check, told: "self-judged", why };
}

/** A question has one record for each check: what decided is kept. */
export function decisive(own: AskedJudges, others: AskedJudges): readonly Kept[] {
  const found = new Map<string, Kept>();
  const isByOthers = (each: Kept): boolean =>
    others.judged.some(({ check }) => checkKey(check) === checkKey(each.run.check));
  const all = [
    ...others.kept.filter((each) => !isByOthers(each)),
    ...own.kept,
    ...others.kept.filter(isByOthers),
  ];
  for (const each of all) found.set(`${each.ordinal} ${each.asked?.which}`, each);
  return [...found.values()];
}
