// What is remembered of a task across its attempts and is no part of its status: where its first
// attempt started, which trees were seen, which checks failed before any work was done.
import type { ProjectId, TaskId } from "../core/ids.ts";
import type { Sha256 } from "../core/schema/scalar.ts";
import type { Task } from "../core/schema/task.ts";
import { ownAttempts } from "../core/task-moves.ts";
import { type Holder, type KeptPath, keptPath, type Store } from "../store/store.ts";
import type { Contents, StartPoint } from "./work-tree.ts";

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
  readonly vanished: readonly string[];
  readonly changed: NonNullable<TaskFacts["changed"]>;
}

/** What a session changed is added to what earlier ones did. */
export function withWork(facts: TaskFacts, work: SessionWork): TaskFacts {
  const { own: before, left: leftBefore, ...others } = facts;
  const unseen = [...new Set([...(facts.unseen ?? []), ...work.vanished])];
  const rest = {
    ...others,
    ...(unseen.length === 0 ? {} : { unseen }),
    // What it was before the first session that changed it.
    changed: { ...work.changed, ...facts.changed },
  };
  // Sessions of which nothing is known came before.
  if (before === undefined && facts.trees.length > 0) return rest;
  const own = [...new Set([...(before ?? []), ...work.paths])];
  return own.length > MOST_PATHS ? rest : { ...rest, own, left: { ...leftBefore, ...work.left } };
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
  if (ownAttempts(task) > 0) return facts;
  // What is to be done again begins anew; what its checks can tell is known all the same.
  const { broken = [], seenFailing } = facts;
  const kept = task.reopened === undefined ? facts : { ...NONE, broken, seenFailing };
  const { own: _own, left: _left, unseen: _unseen, changed: _changed, ...rest } = kept;
  return { ...rest, first: null, notDiscriminating: false };
}

/** Where a task's work began, or null where it did none. */
export function startOfWork(store: Store, id: ProjectId, task: Task): StartPoint | null {
  const isLogistical = task.run !== undefined || task.webhook !== undefined;
  return (isLogistical ? taskFacts(store, id, task.id) : factsOfStarted(store, id, task)).first;
}

export function keepTaskFacts(holder: Holder, task: TaskId, facts: TaskFacts): void {
  const bounded = { ...facts, trees: facts.trees.slice(-MOST_TREES) };
  holder.keep(pathOf(task), `${JSON.stringify(bounded, null, 2)}\n`);
}

function pathOf(task: TaskId): KeptPath {
  return keptPath("artifacts", "tasks", `${task}.json`);
}
