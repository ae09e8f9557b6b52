// What is remembered of a task changes by these moves and by nothing else. Each takes what is remembered and
// says what is remembered then. Pure.
import type { Task } from "./schema/task.ts";
import type { LastSession, TaskMemory, UnfinishedWork } from "./schema/session-records.ts";
import { isLogistical, ownAttempts } from "./step/task-moves.ts";
import { fewOf } from "./words/amounts.ts";

type Uncommittable = Extract<TaskMemory["unsettled"], { is: "uncommittable" }>;
type Changed = NonNullable<TaskMemory["changed"]>;

export const NOTHING_REMEMBERED: TaskMemory = {
  trees: [],
  seenFailing: [],
  failing: [],
  notDiscriminating: false,
};

/** More attempts than these have other reasons to be stopped. */
const MOST_TREES = 50;

/**
 * As it counts for this task. A run that was killed before the start of an attempt was persisted may have
 * left more.
 */
export function asStarted(memory: TaskMemory, task: Task): TaskMemory {
  if (ownAttempts(task) > 0 || isLogistical(task)) return memory;
  const { work } = task.split_after === undefined ? memory : workHandedOver(memory);
  const anew = begunAnew(memory);
  const isOfWhole = task.chunk_of !== undefined && task.reopened === undefined;
  return work !== undefined && (work.byPerson === true || isOfWhole) ? { ...anew, work } : anew;
}

/** What its first chunk begins with: the work that the task itself left. */
export function handedOver(memory: TaskMemory): TaskMemory {
  const { work } = memory;
  return work === undefined ? begunAnew(memory) : { ...begunAnew(memory), work };
}

/** Of a task that is split: what went to its first chunk is no longer its own; what a person did since is. */
export function workHandedOver(memory: TaskMemory): TaskMemory {
  if (memory.work?.tree !== memory.handed_over) return memory;
  const { work: _w, verified: _v, messages: _m, elsewhere: _e, last: _l, ...rest } = memory;
  return rest;
}

/**
 * It is about to be split: what goes to its first chunk, and the files that its checks ask about as they are before
 * its chunks, so that what those change counts as changed.
 */
export function splitBegun(memory: TaskMemory, files: Changed): TaskMemory {
  const { handed_over: _, ...rest } = memory;
  const tree = memory.work?.tree;
  const given = tree === undefined ? {} : { handed_over: tree };
  return { ...rest, ...given, changed: { ...files, ...memory.changed } };
}

/** What its checks can tell is known all the same. */
export function begunAnew({ seenFailing, failing }: TaskMemory): TaskMemory {
  return { ...NOTHING_REMEMBERED, seenFailing, failing };
}

/** Checks that were seen to fail are remembered for good. */
export function checksFailed(memory: TaskMemory, keys: readonly string[]): TaskMemory {
  return { ...memory, seenFailing: [...new Set([...memory.seenFailing, ...keys])] };
}

/** The same after a session, in this tree. `flickered`: it had passed there just before. */
export function checksFailedAfter(
  memory: TaskMemory,
  tree: string,
  failed: readonly { readonly key: string; readonly flickered: boolean }[],
): TaskMemory {
  const keys = failed.map(({ key }) => key);
  const here = failed.map(({ key, flickered }): [string, { tree: string; flickered?: true }] => [
    key,
    { tree, ...(flickered && { flickered }) },
  ]);
  const all = checksFailed(memory, keys);
  if (here.length === 0) return all;
  return { ...all, redAfter: { ...memory.redAfter, ...Object.fromEntries(here) } };
}

/** What the checks of a task said before a session. */
export interface Baseline {
  /** Keys of those that failed. */
  readonly failing: readonly string[];
  /** All of them passed, so that their passing proves nothing. */
  readonly tellsNothing: boolean;
  /** The files that they ran on. */
  readonly tree: string;
  /** Of those that failed: which did so a second time at once. */
  readonly redTwice?: readonly string[];
  /** Which failed, and passed at once. */
  readonly unreliable?: readonly string[];
}

/** Its checks ran before a session. Only before the first one can they tell whether they discriminate. */
export function baselineTaken(memory: TaskMemory, baseline: Baseline): TaskMemory {
  const { failing, tellsNothing, tree, redTwice = [], unreliable = [] } = baseline;
  const isFirst = memory.trees.length === 0;
  // Before two attempts is twice, too.
  const again = failing.filter((key) => !isFirst && memory.redIn?.[key] !== undefined);
  return {
    ...checksFailed(memory, failing),
    failing,
    redBefore: isFirst ? failing : (memory.redBefore ?? failing),
    redIn: { ...memory.redIn, ...Object.fromEntries(failing.map((key) => [key, tree])) },
    redTwice: union(memory.redTwice, [...redTwice, ...again]),
    unreliable: union(memory.unreliable, unreliable),
    notDiscriminating: isFirst ? tellsNothing : memory.notDiscriminating,
  };
}

function union(before: readonly string[] = [], more: readonly string[]): readonly string[] {
  return [...new Set([...before, ...more])];
}

/** Its work is from now on what it comes to on top of the last commit. */
export function workLaid(
  memory: TaskMemory,
  { tree, base, contents }: Omit<UnfinishedWork, "byPerson">,
): TaskMemory {
  if (memory.work === undefined) return memory;
  return { ...memory, work: { ...memory.work, tree, base, contents } };
}

/** Others changed the same since: a session is told where its own is. */
export function workOvertaken(memory: TaskMemory, paths: readonly string[]): TaskMemory {
  if (memory.work === undefined) return memory;
  return { ...memory, elsewhere: { tree: memory.work.tree, paths } };
}

/** An act, or a person's shell, is about to change what lies there. */
export function workBegun(memory: TaskMemory, base: string, by: "act" | "person"): TaskMemory {
  return { ...memory, unsettled: { is: "begun", base, by } };
}

/** What lay there is in a tree now. */
export function workCaptured(
  memory: TaskMemory,
  work: UnfinishedWork,
  said?: CapturedOf,
): TaskMemory {
  const { unsettled: _, emptied: before, ...rest } = memory;
  const messages =
    said === undefined || said.messages.length === 0
      ? memory.messages
      : { ...memory.messages, [said.session]: said.messages };
  // A session may be captured more than once; what was removed the first time is not there any more.
  const earlier = before !== undefined && before.session === said?.session ? before.paths : [];
  const paths = [...new Set([...earlier, ...(said?.emptied ?? [])])];
  const emptied =
    said === undefined || paths.length === 0 ? {} : { emptied: { session: said.session, paths } };
  return { ...rest, work, ...emptied, ...(messages === undefined ? {} : { messages }) };
}

/** What is captured of a session, next to its work. */
interface CapturedOf {
  readonly session: number;
  readonly messages: readonly string[];
  readonly emptied?: readonly string[] | undefined;
}

/** Why a check may miss a folder that the last session had made; undefined where none of it is missing. */
export function emptiedWords({ emptied }: TaskMemory): string | undefined {
  if (emptied === undefined) return undefined;
  const [first = ""] = emptied.paths;
  const names = fewOf(emptied.paths.map((path) => `${path}/`));
  return `git keeps no empty folder, so the work does not have ${names}; put a file into it, such as ${first}/.gitkeep`;
}

/** What lies there is in no tree, and cannot be. */
export function leftUncommittable(
  memory: TaskMemory,
  session: number,
  problems: Uncommittable["problems"],
): TaskMemory {
  return { ...memory, unsettled: { is: "uncommittable", session, problems } };
}

/** What lay there was made of something else than is verified by now: it is given up. */
export function leftoverGivenUp(memory: TaskMemory): TaskMemory {
  const { unsettled: _, ...rest } = memory;
  return rest;
}

/** The trees of earlier sessions. Measured again, a session does not count against itself. */
export function treesBefore({ measured, trees }: TaskMemory, session: number): readonly string[] {
  return measured === session ? trees.slice(0, -1) : trees;
}

/** A session on it has ended in this tree. */
export function sessionMeasured(memory: TaskMemory, session: number, tree: string): TaskMemory {
  const trees = [...treesBefore(memory, session), tree].slice(-MOST_TREES);
  return { ...memory, trees, measured: session };
}

/** What the next brief tells of the session that has just ended. */
export function sessionLeft(memory: TaskMemory, last: LastSession): TaskMemory {
  return { ...memory, last };
}

/** The checks of the task ran after a session; those of another session are not its own. */
export function checksTurned(
  memory: TaskMemory,
  session: number,
  checks: NonNullable<LastSession["checks"]>,
): TaskMemory {
  if (memory.last?.session !== session) return memory;
  return { ...memory, last: { ...memory.last, checks } };
}

/**
 * A session that knew of it has ended: what it changed counts as changed, with the digest before the first
 * time, and what was handed over to it is not handed over again.
 */
export function filesChanged(memory: TaskMemory, changed: Changed): TaskMemory {
  const { elsewhere: _, ...rest } = memory;
  return { ...rest, changed: { ...changed, ...memory.changed } };
}

/** A session left something that no commit can show. */
export function ignoredLeft(
  memory: TaskMemory,
  ignored: readonly string[],
  broughtChanged: readonly string[],
): TaskMemory {
  return {
    ...memory,
    ignored: union(memory.ignored, ignored),
    broughtChanged: union(memory.broughtChanged, broughtChanged),
  };
}

/** Before it is done: from then on its work is what is in this tree, whatever comes later. */
export function workVerified(
  memory: TaskMemory,
  { tree, base }: { readonly tree: string; readonly base: string },
): TaskMemory {
  return { ...memory, verified: { tree, base } };
}

/** It is done, and changed files that may judge other tasks; null: it changed none. */
export function judgesNoted(memory: TaskMemory, judges: TaskMemory["judges"] | null): TaskMemory {
  const { judges: _, ...rest } = memory;
  return judges === null || judges === undefined ? rest : { ...rest, judges };
}

/** Its work is committed: reopened, the task starts from there. */
export function workCommitted(memory: TaskMemory): TaskMemory {
  const {
    work: _w,
    verified: _v,
    messages: _m,
    ignored: _i,
    broughtChanged: _b,
    last: _l,
    ...rest
  } = memory;
  return rest;
}

/** What a session left and no commit can hold. */
export function uncommittableIn({ unsettled }: TaskMemory): Uncommittable | undefined {
  return unsettled?.is === "uncommittable" ? unsettled : undefined;
}

export function begunIn({ unsettled }: TaskMemory) {
  return unsettled?.is === "begun" ? unsettled : undefined;
}
