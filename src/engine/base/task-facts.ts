// What is remembered of a task across its attempts and is no part of its status: the work that its
// sessions left, which trees were seen, which checks failed before any work was done.
import type { ProjectId, TaskId } from "../../core/ids.ts";
import type { Sha256 } from "../../core/schema/scalar.ts";
import type { Task } from "../../core/schema/task.ts";
import { isLogistical, ownAttempts } from "../../core/step/task-moves.ts";
import { type Holder, type KeptPath, keptPath, type Store } from "../../store/store.ts";
import type { Uncommittable } from "../../workspace/workspace.ts";
import type { Contents } from "./work-done.ts";

/** Unfinished work: what the sessions of a task made of all verified work. */
export interface UnfinishedWork {
  readonly tree: string;
  /** The tree that it was made from. */
  readonly base: string;
  /** What its files hold, and those that its checks look at. */
  readonly contents: Contents;
  /** A person changed it in a shell there. */
  readonly byPerson?: boolean;
}

export interface TaskFacts {
  readonly work?: UnfinishedWork;
  /** What the last session left and no commit can hold; it lies in the workspace until another starts. */
  readonly uncommittable?: {
    readonly session: number;
    readonly problems: readonly Uncommittable[];
  };
  /** An act of the manifest, or a person's shell, was begun on this tree, and what it changed is not known yet. */
  readonly trying?: string;
  /** It is a person\'s shell that was begun. */
  readonly inShell?: boolean;
  /** What could not be applied again, for others changed it since, and the tree that holds it. */
  readonly elsewhere?: { readonly tree: string; readonly paths: readonly string[] };
  /** What sessions said in commits of their own, by session. */
  readonly messages?: Readonly<Record<number, readonly string[]>>;
  /** Trees that attempts of this task ended in: one of them again is no progress. */
  readonly trees: readonly string[];
  /** The session that the last of them is of; measured again, it does not count against itself. */
  readonly measured?: number;
  /** Files that `changed` checks ask about and that a session changed, with their digests before. */
  readonly changed?: Readonly<Record<string, Sha256 | null>>;
  /** Keys of checks that were seen to fail for this task. */
  readonly seenFailing: readonly string[];
  /** Of these, those that failed before the last session. */
  readonly failing?: readonly string[];
  /** Before the first attempt every check passed: passing proves nothing alone. */
  readonly notDiscriminating: boolean;
  /** The tree in which its checks last passed, and what it was made from. */
  readonly verified?: { readonly tree: string; readonly base: string };
}

const NONE: TaskFacts = { trees: [], seenFailing: [], notDiscriminating: false };
const MOST_TREES = 50;

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
 * may have left more.
 */
export function factsOfStarted(store: Store, id: ProjectId, task: Task): TaskFacts {
  const facts = taskFacts(store, id, task.id);
  if (ownAttempts(task) > 0 || isLogistical(task)) return facts;
  const { work } = facts;
  return { ...begunAnew(facts), ...(work?.byPerson === true ? { work } : {}) };
}

/** What its checks can tell is known all the same. */
export function begunAnew({ seenFailing, failing = [] }: TaskFacts): TaskFacts {
  return { ...NONE, seenFailing, failing };
}

export function keepTaskFacts(holder: Holder, task: TaskId, facts: TaskFacts): void {
  const bounded = { ...facts, trees: facts.trees.slice(-MOST_TREES) };
  holder.keep(pathOf(task), `${JSON.stringify(bounded, null, 2)}\n`);
}

/** Before a task is done: from then on its work is what is in this tree, whatever comes later. */
export function keepVerified(
  holder: Holder,
  store: Store,
  task: TaskId,
  verified: NonNullable<TaskFacts["verified"]>,
): void {
  const facts = taskFacts(store, holder.state.project_id, task);
  const { tree, base } = verified;
  keepTaskFacts(holder, task, { ...facts, verified: { tree, base } });
}

/** Its work is committed: reopened, the task starts from there. */
export function forgetWork(holder: Holder, store: Store, task: TaskId): void {
  const { work, verified, messages: _, ...facts } = taskFacts(store, holder.state.project_id, task);
  if (work === undefined && verified === undefined) return;
  keepTaskFacts(holder, task, facts);
}

function pathOf(task: TaskId): KeptPath {
  return keptPath("artifacts", "tasks", `${task}.json`);
}
