// What is remembered of a task across its attempts and is no part of its status: where its first
// attempt started, which trees were seen, which checks failed before any work was done.
import type { ProjectId, TaskId } from "../core/ids.ts";
import type { Sha256 } from "../core/schema/scalar.ts";
import type { Task } from "../core/schema/task.ts";
import { isLogistical, ownAttempts } from "../core/task-moves.ts";
import { type Holder, type KeptPath, keptPath, type Store } from "../store/store.ts";
import type { Contents, StartPoint, WorkTree } from "./work-tree.ts";

export interface TaskFacts {
  /** Where the first attempt started; what changed since then is the task's work. */
  readonly first: StartPoint | null;
  /** Trees that attempts of this task ended in: one of them again is no progress. */
  readonly trees: readonly string[];
  /** The session that the last of them is of; measured again, it does not count against itself. */
  readonly measured?: number;
  /** Paths that its sessions changed; absent where that is not known, or they are too many. */
  readonly own?: readonly string[];
  /** What they held when the last session that changed them ended. */
  readonly left?: Contents;
  /** Of these, files that are still there and that git no longer sees. */
  readonly unseen?: readonly string[];
  /** Files that `changed` checks ask about and that a session changed, with their digests before. */
  readonly changed?: Readonly<Record<string, Sha256 | null>>;
  /** Those of them that others changed before a later session did: where that one started. */
  readonly later?: readonly { readonly start: StartPoint; readonly paths: readonly string[] }[];
  /** The tree before an act of the manifest whose changes are not among these yet. */
  readonly trying?: string;
  /** Keys of checks that were seen to fail for this task. */
  readonly seenFailing: readonly string[];
  /** Of these, those that failed before the last session. */
  readonly failing?: readonly string[];
  /** Before the first attempt every check passed: passing proves nothing alone. */
  readonly notDiscriminating: boolean;
  /** Attempts whose leftovers were put aside; what lies there since is somebody else's. */
  readonly parked?: number;
  /** They are being put back. */
  readonly returning?: boolean;
  /** What could not be put back, for others changed it since, and the ref that holds it. */
  readonly elsewhere?: { readonly ref: string; readonly paths: readonly string[] };
  /** The tree in which its checks last passed, and the revision before it was done. */
  readonly verified?: { readonly tree: string; readonly revision: number };
  /** Commits of its work that hooks changed so that its checks failed. */
  readonly broken?: readonly string[];
}

const NONE: TaskFacts = { first: null, trees: [], seenFailing: [], notDiscriminating: false };
const MOST_TREES = 50;
const MOST_PATHS = 5000;

export interface SessionWork {
  readonly paths: readonly string[];
  /** What the paths hold by now. */
  readonly left: Contents;
  /** Files that are still there and went out of git's sight. */
  readonly vanished: readonly string[];
  /** Of the files that checks ask about, those that are others by now, with their digests before. */
  readonly changed: NonNullable<TaskFacts["changed"]>;
}

/** Without git nobody asks about single files. */
export function contentsOf(
  tree: Pick<WorkTree, "hasGit" | "contentNow">,
  paths: readonly string[],
): Contents {
  return tree.hasGit ? Object.fromEntries(paths.map((path) => [path, tree.contentNow(path)])) : {};
}

/** What a session changed, where that is known, is added to what earlier ones did. */
export function withWork(facts: TaskFacts, work: SessionWork | undefined): TaskFacts {
  const { own: before, left, ...others } = facts;
  if (work === undefined) return others;
  const unseen = [...new Set([...(facts.unseen ?? []), ...work.vanished])];
  // What a file was before the first session that changed it.
  const rest = { ...others, unseen, changed: { ...work.changed, ...facts.changed } };
  // Sessions of which nothing is known came before.
  if (before === undefined && facts.trees.length > 0) return rest;
  const own = [...new Set([...(before ?? []), ...work.paths])];
  return own.length > MOST_PATHS ? rest : { ...rest, own, left: { ...left, ...work.left } };
}

/** Checks that were seen to fail are remembered for good. */
export function withFailing(facts: TaskFacts, keys: readonly string[]): TaskFacts {
  return { ...facts, seenFailing: [...new Set([...facts.seenFailing, ...keys])] };
}

export function taskFacts(store: Store, id: ProjectId, task: TaskId): TaskFacts {
  const bytes = store.kept(id, pathOf(task));
  return bytes === undefined ? NONE : (JSON.parse(bytes.toString("utf8")) as TaskFacts);
}

/**
 * What is remembered of a task that was started. A run that was killed before the start was persisted
 * may have left more; where a person worked since then, it would call their work the task's.
 */
export function factsOfStarted(store: Store, id: ProjectId, task: Task): TaskFacts {
  const facts = taskFacts(store, id, task.id);
  return ownAttempts(task) > 0 ? facts : begunAnew(facts, null);
}

/** What its checks can tell is known all the same. */
export function begunAnew(
  { broken = [], seenFailing, failing = [] }: TaskFacts,
  first: StartPoint | null,
): TaskFacts {
  return { ...NONE, broken, seenFailing, failing, first };
}

/** Where a task's work began, or null where it did none. */
export function startOfWork(store: Store, id: ProjectId, task: Task): StartPoint | null {
  return (isLogistical(task) ? taskFacts(store, id, task.id) : factsOfStarted(store, id, task))
    .first;
}

export function keepTaskFacts(holder: Holder, task: TaskId, facts: TaskFacts): void {
  const bounded = { ...facts, trees: facts.trees.slice(-MOST_TREES) };
  holder.keep(pathOf(task), `${JSON.stringify(bounded, null, 2)}\n`);
}

/** Before a task is done: from then on its work is what is in this tree, whatever comes later. */
export function keepVerified(holder: Holder, store: Store, task: TaskId, tree: string): void {
  const { project_id, revision } = holder.state;
  const facts = taskFacts(store, project_id, task);
  keepTaskFacts(holder, task, { ...facts, verified: { tree, revision } });
}

function pathOf(task: TaskId): KeptPath {
  return keptPath("artifacts", "tasks", `${task}.json`);
}
