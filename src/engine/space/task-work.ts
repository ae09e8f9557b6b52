// The work of a task in the workspace: laid there before anything looks at it, captured after every
// session and act. Between two tasks nothing of it lies around: it is kept, and laid again.
import { fewOf } from "../../core/words/few-of.ts";
import type { TaskId } from "../../core/ids.ts";
import type { Task } from "../../core/schema/task.ts";
import type { Combined, Tip } from "../../workspace/workspace.ts";
import { checkedPaths } from "../people/output-subject.ts";
import type { RunContext } from "../base/run-context.ts";
import { factsOfStarted, keepTaskFacts, type TaskFacts, taskFacts } from "../base/task-facts.ts";
import { type Contents, type WorkDone, workDone } from "../base/work-done.ts";

/** What laying and capturing takes; a run has it, and so has a person's shell in the workspace. */
export type SpaceContext = Pick<RunContext, "holder" | "store" | "space" | "copy" | "tell">;

export interface Laid {
  readonly tip: Tip;
  /** What is in the workspace now. */
  readonly tree: string;
  /** What is as others changed it since, and not as the sessions of these tasks left it. */
  readonly conflicts: readonly string[];
}

/** All verified work, and on top of it what the sessions of these tasks left. */
export async function layWork(context: SpaceContext, tasks: readonly Task[]): Promise<Laid> {
  const { store, holder, space } = context;
  const tip = await space.tip();
  let { tree } = tip;
  const conflicts: string[] = [];
  for (const task of tasks) {
    const facts = factsOfStarted(store, holder.state.project_id, task);
    if (isStillThere(context, facts)) return { tip, tree, conflicts };
    // Each is laid on what the ones before it came to.
    // oxlint-disable-next-line no-await-in-loop
    const combined = await withWork(context, task, facts, tree);
    ({ tree } = combined);
    conflicts.push(...combined.conflicts);
  }
  await layTree(context, tree);
  const laid = { tip, tree, conflicts };
  const [task] = tasks;
  // What could not be laid is found in the way again, until a session has seen it.
  const isWhole = tasks.length === 1 && conflicts.length === 0;
  if (task !== undefined && isWhole) rememberLaid(context, task, laid);
  return laid;
}

/** What no commit can hold lies where its session left it, for the next one to put it right. */
export function isStillThere({ holder }: SpaceContext, { uncommittable }: TaskFacts): boolean {
  return uncommittable?.session === holder.state.counters.sessions;
}

async function withWork(
  { holder, space, tell }: SpaceContext,
  task: Task,
  { work, ...facts }: TaskFacts,
  tree: string,
): Promise<Combined> {
  if (work === undefined || work.tree === work.base) return { tree, conflicts: [] };
  if (work.base === tree) return { tree: work.tree, conflicts: [] };
  const combined = await space.combine(work.base, tree, work.tree);
  if (combined.conflicts.length > 0) {
    await space.keep({ task: task.id, attempt: task.attempts }, work.tree, work.base);
    keepTaskFacts(holder, task.id, {
      ...facts,
      work,
      elsewhere: { tree: work.tree, paths: combined.conflicts },
    });
    const text = `changed since by others, and kept as ${task.id} left it: ${fewOf(combined.conflicts)}`;
    tell({ kind: "notice", text });
  }
  return combined;
}

/** Its work is from now on what it comes to on top of the last commit. */
function rememberLaid(context: SpaceContext, task: Task, { tip, tree }: Laid): void {
  const { store, holder } = context;
  const facts = taskFacts(store, holder.state.project_id, task.id);
  if (facts.work === undefined || facts.work.base === tip.tree) return;
  const contents = contentsOf(context, Object.keys(facts.work.contents));
  keepTaskFacts(holder, task.id, {
    ...facts,
    work: { ...facts.work, tree, base: tip.tree, contents },
  });
}

/** Exactly these files, and the manifest as it is known. */
export async function layTree(context: SpaceContext, tree: string): Promise<readonly string[]> {
  const { holder, space, copy, store } = context;
  const { project_id, manifest } = holder.state;
  const known = store.manifestText(project_id, manifest.digest);
  const writeKnown = (): void => {
    if (space.kind === "own-copy") copy.writeManifest(copy.readManifest(), known);
  };
  // Mostly the tree has the same text, and then there is nothing to lay.
  writeKnown();
  const touched = await space.lay(tree);
  writeKnown();
  return touched.filter((path) => path !== manifest.path);
}

export async function workBetween(
  { space, holder }: SpaceContext,
  base: string,
  tree: string,
): Promise<WorkDone> {
  const { manifest, folder: projectFolder } = holder.entry;
  const changes = base === tree ? [] : await space.changes(base, tree);
  return workDone(tree, changes, { manifest, projectFolder });
}

export interface Capturing {
  readonly base: string;
  readonly session: number;
  /** A person had a hand in it: it counts also where no session has begun the task. */
  readonly byPerson?: boolean;
  /** What else is to be remembered of a task, once its files are captured. */
  readonly measure?: (task: TaskId, facts: TaskFacts, tree: string) => Promise<TaskFacts>;
}

/**
 * What lies in the workspace becomes the work of these tasks: nobody can tell which of them a session did
 * what for. Kept before it is remembered.
 */
export async function captureWork(
  context: SpaceContext,
  tasks: readonly Task[],
  { base, session, byPerson, measure }: Capturing,
): Promise<WorkDone> {
  const { space, store, holder } = context;
  const said = await space.sessionMessages();
  const captured = await space.capture();
  const remember = async (task: TaskId, found: Found, tree: string): Promise<void> => {
    const facts = withFound(taskFacts(store, holder.state.project_id, task), found);
    keepTaskFacts(holder, task, measure === undefined ? facts : await measure(task, facts, tree));
  };
  if (captured.kind === "uncommittable") {
    const { problems } = captured;
    const before = taskFacts(store, holder.state.project_id, tasks[0]?.id as TaskId).work;
    const tree = before?.tree ?? base;
    for (const { id } of tasks) {
      // oxlint-disable-next-line no-await-in-loop
      await remember(id, { uncommittable: { session, problems } }, tree);
    }
    return await workBetween(context, base, tree);
  }
  const { tree } = captured;
  const work = await workBetween(context, base, tree);
  for (const task of tasks) {
    const contents = contentsOf(context, [...work.paths, ...checkedPaths(task)]);
    const { messages = {} } = taskFacts(store, holder.state.project_id, task.id);
    const earlier = byPerson === true ? (messages[session] ?? []) : [];
    // oxlint-disable-next-line no-await-in-loop
    await space.keep({ task: task.id, attempt: task.attempts }, tree, base);
    const found = {
      work: { tree, base, contents, ...(byPerson === true ? { byPerson } : {}) },
      ...(said.length === 0 ? {} : { messages: { [session]: [...earlier, ...said] } }),
    };
    // oxlint-disable-next-line no-await-in-loop
    await remember(task.id, found, tree);
  }
  return work;
}

/** What was committed once becomes the unfinished work of a task again: laid where it may be laid. */
export async function workAgain(
  context: SpaceContext,
  task: Task,
  { tree, base }: { readonly tree: string; readonly base: string },
): Promise<void> {
  const { holder, store, space } = context;
  await layTree(context, tree);
  const { paths } = await workBetween(context, base, tree);
  const contents = contentsOf(context, [...paths, ...checkedPaths(task)]);
  await space.keep({ task: task.id, attempt: task.attempts }, tree, base);
  const facts = taskFacts(store, holder.state.project_id, task.id);
  keepTaskFacts(holder, task.id, withFound(facts, { work: { tree, base, contents } }));
}

type Found = Pick<TaskFacts, "work" | "uncommittable" | "messages">;

function withFound(known: TaskFacts, found: Found): TaskFacts {
  const { uncommittable: _, trying: __, inShell: ___, ...facts } = known;
  return { ...facts, ...found, messages: { ...facts.messages, ...found.messages } };
}

function contentsOf({ copy }: SpaceContext, paths: readonly string[]): Contents {
  return Object.fromEntries([...new Set(paths)].map((path) => [path, copy.contentNow(path)]));
}
