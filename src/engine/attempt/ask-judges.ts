// Where a task changed what judges it, Stint asks the question itself, in the workspace: do the old judges agree with the
// new work, and if not, do the new ones tell that work from nothing? Both runs are kept as evidence. Ignored files that
// were written since the session began lie aside meanwhile: no clone would have them. After a kill the workspace puts them
// back as it is opened, and the next run lays the work, runs its checks and asks again.
import type { AskedOn } from "../../checks/evidence.ts";
import { checkKey, describeCheck } from "../../checks/check-text.ts";
import { companionsOf, mayBeCompanions } from "../../checks/companions.ts";
import { isPartlyDeciding, withDecidingPart } from "../../checks/file-roles.ts";
import type { JudgedCheck } from "../../checks/judge-task.ts";
import {
  areNewTests,
  askedAbout,
  type ChangedFile,
  type Judge,
  judgesAmong,
  toldBy,
} from "../../checks/judges.ts";
import type { Check, Task } from "../../core/schema/task.ts";
import { fewOf } from "../../core/words/amounts.ts";
import { durationText } from "../../core/written/times.ts";
import type { Steps } from "../base/persist.ts";
import type { RunContext } from "../base/run-context.ts";
import { linksIn, textsIn } from "../base/tree-files.ts";
import { lastSessionHere, layTree } from "../space/task-work.ts";
import { startFolder } from "../space/workspace-commands.ts";
import { type Kept, type Ran, runChecks } from "./run-checks.ts";
import { weakenedWords } from "./weakened-tests.ts";

/** Verified so far: all of its checks pass in this tree. */
export interface Passed {
  readonly task: Task;
  readonly checks: readonly Check[];
  readonly runs: readonly Ran[];
  readonly laid: { readonly tree: string; readonly base: string };
  readonly changed: readonly ChangedFile[];
  /** Keys of the checks that were seen to fail before any work. */
  readonly seenRed: ReadonlySet<string>;
  /** By key of a check: the files in which it was last seen to fail before a session. */
  readonly redIn: Readonly<Record<string, string>>;
  /** What its sessions made and git ignores. */
  readonly ignored: readonly string[];
}

export interface AskedJudges {
  readonly judged: readonly JudgedCheck[];
  /** The runs that were made for it. */
  readonly kept: readonly Kept[];
}

/** The files are those of the work again when it comes back. */
export async function* askJudges(context: RunContext, passed: Passed): Steps<AskedJudges> {
  const suspected = await changedJudges(context, passed);
  if (suspected.length === 0) return { judged: [], kept: [] };
  const { space, host } = context;
  if (space.kind !== "own-copy") {
    const why = "sessions work in your own folder, where Stint cannot put other files to test it";
    return { judged: suspected.map((each) => notAsked(each, why)), kept: [] };
  }
  const budgetMs = budgetOf(context, passed);
  const until = host.nowMs() + budgetMs;
  const weakened = await weakenedWords(context, passed.laid.base, passed.changed);
  const judged: JudgedCheck[] = [];
  const kept: Kept[] = [];
  await space.setIgnoredAside(lastSessionHere(context), passed.ignored);
  try {
    for (const each of suspected) {
      const answers = yield* askAbout(context, passed, each, until, kept);
      const why = `its budget of ${durationText(budgetMs)} (proof.budget) was used up`;
      judged.push(
        answers === null ? notAsked(each, why) : judgedAs(passed, each, answers, weakened),
      );
    }
    await layTree(context, passed.laid.tree);
  } finally {
    space.putIgnoredBack();
  }
  return { judged, kept };
}

/** A check, and what the task changed of what decides in it. */
export interface Suspected {
  readonly check: Extract<Check, { kind: "command" }>;
  readonly ordinal: number;
  readonly judges: readonly Judge[];
  /** Which of the changed files it read. */
  readonly read: ReadonlySet<string>;
}

async function changedJudges(
  context: RunContext,
  { task, checks, runs, changed, laid }: Passed,
): Promise<readonly Suspected[]> {
  const { space } = context;
  const seen = runs.filter(({ check, read }) => check.kind === "command" && read !== undefined);
  if (seen.length === 0 || changed.length === 0) return [];
  // Of most files only their names and what is there now is looked at.
  const partly = changed.map(({ path }) => path).filter(isPartlyDeciding);
  const before =
    partly.length === 0 ? new Map<string, string>() : await space.texts(laid.base, partly);
  const { dir } = startFolder(context, task);
  const after = textsNow(context);
  const found: Suspected[] = [];
  for (const { check, read } of seen) {
    if (check.kind !== "command" || read === undefined) continue;
    const looked = {
      command: check.command,
      dir,
      changed,
      isRead: (path: string) => read.has(path),
      before: (path: string) => before.get(path),
      after,
      leadsTo: linksIn(space.folder),
    };
    // oxlint-disable-next-line no-await-in-loop
    const old = await heldBefore(context, laid.base, askedAbout(looked), changed);
    const judges = judgesAmong({ ...looked, isOld: (path) => old.has(path) });
    const ordinal = checks.findIndex((each) => checkKey(each) === checkKey(check)) + 1;
    if (judges.length > 0) found.push({ check, ordinal, judges, read });
  }
  return found;
}

/** Which of these files the tree of before has, and the work left as they are. */
async function heldBefore(
  { space }: RunContext,
  base: string,
  paths: readonly string[],
  changed: readonly ChangedFile[],
): Promise<ReadonlySet<string>> {
  const asked = paths.filter((path) => !changed.some((each) => each.path === path));
  return asked.length === 0
    ? new Set()
    : new Set((await space.entries(base, [...new Set(asked)])).keys());
}

/** The texts of files that a command may name, each read once; what is no file has none. */
export function textsNow({ copy }: RunContext): (path: string) => string | undefined {
  const known = new Map<string, string | undefined>();
  const read = textsIn(copy);
  return (path) => {
    if (!known.has(path)) known.set(path, read(path));
    return known.get(path);
  };
}

/** Five minutes, or twice what the checks took where that is longer. */
const LEAST_BUDGET_MS = 5 * 60_000;

export function budgetOf({ settings }: RunContext, { runs }: Passed): number {
  const took = runs.reduce((sum, { durationMs }) => sum + durationMs, 0);
  return settings.proof.budgetMs ?? Math.max(LEAST_BUDGET_MS, 2 * took);
}

interface Answered {
  readonly oldJudges: boolean;
  readonly newJudges?: boolean | undefined;
  readonly isBySettings?: boolean | undefined;
  /** New files that went with the new judges. */
  readonly companions?: readonly string[];
}

/** Null where the time for it was up. */
async function* askAbout(
  context: RunContext,
  passed: Passed,
  suspected: Suspected,
  until: number,
  kept: Kept[],
): Steps<Answered | null> {
  const { base, tree } = passed.laid;
  const wasRed = passed.seenRed.has(checkKey(suspected.check));
  const old = await mixed(context, tree, base, suspected.judges);
  // Where it changed nothing else, the answer is known: it is that of before its work.
  const withOld: Answer | null =
    old === base
      ? { isPassed: !wasRed, read: new Set() }
      : yield* passesOn(context, passed, suspected, {
          tree: old,
          which: "old-judges",
          until,
          kept,
          watch: mayBeCompanions({ ...suspected, changed: passed.changed }),
        });
  if (withOld === null) return null;
  const oldJudges = withOld.isPassed;
  if (oldJudges && wasRed) return { oldJudges };
  const companions =
    oldJudges || old === base ? [] : await companionsHere(context, passed, suspected, withOld.read);
  // What is ignored stays as it is: without its line, installed dependencies would be removed as nobody's.
  const ignores = passed.changed.flatMap((file): Judge[] =>
    file.path.endsWith(".gitignore") ? [{ ...file, role: "configuration" }] : [],
  );
  const beside = companions.map((path): Judge => ({ path, change: "added", role: "script" }));
  // To write tests was the task; what is around them may still not pass alone.
  const isAboutTests = wasRed && !oldJudges && areNewTests(passed.changed);
  const judges = isAboutTests ? suspected.judges.filter(isNoTest) : suspected.judges;
  if (judges.length === 0) return { oldJudges, newJudges: true };
  const now = await mixed(context, base, tree, [...judges, ...beside, ...ignores]);
  if (now === tree) return { oldJudges, newJudges: true, isBySettings: isAboutTests, companions };
  const question = { tree: now, which: "new-judges", until, kept, companions } as const;
  const withNew = yield* passesOn(context, passed, { ...suspected, judges }, question);
  if (withNew === null) return null;
  const { isPassed } = withNew;
  return { oldJudges, newJudges: isPassed, isBySettings: isAboutTests && isPassed, companions };
}

function isNoTest({ role }: Judge): boolean {
  return role !== "test";
}

/** New files by which a judge that was there before was made to agree. */
async function companionsHere(
  context: RunContext,
  { task, laid, changed }: Passed,
  { check, judges, read }: Suspected,
  readWithOld: ReadonlySet<string>,
): Promise<readonly string[]> {
  const { space } = context;
  const paths = judges.map(({ path }) => path);
  const [before, after] = await Promise.all([
    space.texts(laid.base, paths),
    space.texts(laid.tree, paths),
  ]);
  const { command } = check;
  const { dir } = startFolder(context, task);
  const now = textsNow(context);
  return companionsOf({
    command,
    dir,
    judges,
    changed,
    read,
    readWithOld,
    before: (path) => before.get(path),
    after: (path) => after.get(path) ?? now(path),
  });
}

/** A tree with the judges of another; of a file that decides in part, that part. */
export async function mixed(
  { space }: RunContext,
  tree: string,
  other: string,
  judges: readonly Judge[],
): Promise<string> {
  const paths = judges.map(({ path }) => path);
  const partly = paths.filter(isPartlyDeciding);
  if (partly.length === 0) return await space.mix(tree, other, paths);
  const [own, theirs] = await Promise.all([space.texts(tree, partly), space.texts(other, partly)]);
  const texts = partly.flatMap((path) => {
    const text = withDecidingPart(path, own.get(path), theirs.get(path));
    return text === undefined ? [] : [[path, text] as const];
  });
  return await space.mix(tree, other, paths, new Map(texts));
}

interface Question {
  readonly which: Extract<AskedOn["which"], "old-judges" | "new-judges" | "red-before">;
  readonly tree: string;
  readonly until: number;
  readonly kept: Kept[];
  /** Which of these files it reads is looked at. */
  readonly watch?: readonly string[];
  readonly companions?: readonly string[];
}

interface Answer {
  readonly isPassed: boolean;
  readonly read: ReadonlySet<string>;
}

/** Whether the check passes on these files; null where there was no time to find out. */
export async function* passesOn(
  context: RunContext,
  { task }: Passed,
  { check, ordinal, judges }: Suspected,
  { tree, which, until, kept, watch = [], companions = [] }: Question,
): Steps<Answer | null> {
  const { host, tell, checkTimeoutMs = Infinity } = context;
  const leftMs = until - host.nowMs();
  if (leftMs <= 0) return null;
  const names = [...judges.map(({ path }) => path), ...companions];
  const isOne = names.length === 1;
  const on = {
    "old-judges": `with ${fewOf(names)} as ${isOne ? "it was" : "they were"} before`,
    "new-judges": `with ${fewOf(names)} and nothing else of the work`,
    "red-before": `before ${fewOf(names)} ${isOne ? "was" : "were"} changed`,
  }[which];
  const text = `asks whether ${describeCheck(check)} of ${task.id} passes ${on}`;
  tell({ kind: "notice", text });
  await layTree(context, tree);
  const timeoutMs = Math.min(leftMs, checkTimeoutMs);
  const asked = { checks: [check], when: "after", watch, question: { timeoutMs } } as const;
  const [run] = yield* runChecks(context, task, asked);
  if (run === undefined) return null;
  // Out of time, nothing is known; a check that takes longer than it may has failed.
  if (!run.passed && host.nowMs() >= until) return null;
  kept.push({ run, ordinal, asked: { which, judges: names } });
  return { isPassed: run.passed, read: run.read ?? new Set() };
}

function notAsked({ check, judges }: Suspected, why: string): JudgedCheck {
  const names = fewOf(judges.map(({ path }) => path));
  return {
    check,
    told: "not-asked",
    why: `it changed ${names}, and Stint did not test what that means: ${why}`,
  };
}

function judgedAs(
  { seenRed, changed }: Passed,
  { check, judges }: Suspected,
  answered: Answered,
  weakened: string | null,
): JudgedCheck {
  const also = weakened === null ? "" : `; it weakened ${weakened}`;
  const wasRed = seenRed.has(checkKey(check));
  const told = toldBy({ wasRed, ...answered, judges, changed });
  const names = fewOf(judges.map(({ path }) => path));
  const { companions = [] } = answered;
  const described = describeCheck(check);
  switch (told) {
    case "independent":
      return { check, told, why: `${described} also passes with the old ${names}` };
    case "own-tests": {
      const why = answered.oldJudges
        ? `only because of ${names}, which it changed, can ${described} tell its work from no work`
        : `${described} passes only together with ${names}, which it changed`;
      return { check, told, why: `${why}${also}` };
    }
    case "self-judged": {
      const isAll = changed.length === judges.length;
      const [decide, are] = judges.length === 1 ? ["decides", "is"] : ["decide", "are"];
      const added = companions.length === 0 ? "" : ` and added ${fewOf(companions)} to it`;
      const why = isAll
        ? `${names}, which ${decide} ${described}, ${are} all that it changed`
        : `it changed ${names}${added}, and ${described} passes with that and nothing else of its work`;
      return { check, told, why: `${why}${also}` };
    }
    case "nothing":
      return { check, told, why: `${described} passes whatever it changed` };
    default:
      return told satisfies never;
  }
}
