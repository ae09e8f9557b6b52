// The work of a task in the workspace: laid there before anything looks at it, captured after every
// session and act. Between two tasks nothing of it lies around: it is kept, and laid again.
import { fewOf } from "../core/few-of.ts";
import type { TaskId } from "../core/ids.ts";
import type { Task } from "../core/schema/task.ts";
import type { Tip } from "../workspace/workspace.ts";
import { checkedPaths } from "./output-subject.ts";
import type { RunContext } from "./run-context.ts";
import { factsOfStarted, keepTaskFacts, type TaskFacts, taskFacts } from "./task-facts.ts";
import { type Contents, type WorkDone, workDone } from "./work-done.ts";

export interface Laid {
  readonly tip: Tip;
  /** What is in the workspace now. */
  readonly tree: string;
}

/** All verified work, and on top of it what the sessions of these tasks left. */
export async function layWork(context: RunContext, tasks: readonly Task[]): Promise<Laid> {
  const { store, holder, space } = context;
  const tip = await space.tip();
  let { tree } = tip;
  for (const task of tasks) {
    const facts = factsOfStarted(store, holder.state.project_id, task);
    if (isStillThere(context, facts)) return { tip, tree };
    // Each is laid on what the ones before it came to.
    // oxlint-disable-next-line no-await-in-loop
    tree = await withWork(context, task, facts, tree);
  }
  await layTree(context, tree);
  const [task] = tasks;
  if (task !== undefined && tasks.length === 1) rememberLaid(context, task, { tip, tree });
  return { tip, tree };
}

/** What no commit can hold lies where its session left it, for the next one to put it right. */
export function isStillThere({ holder }: RunContext, { uncommittable }: TaskFacts): boolean {
  return uncommittable?.session === holder.state.counters.sessions;
}

async function withWork(
  { holder, space, tell }: RunContext,
  task: Task,
  { work, ...facts }: TaskFacts,
  tree: string,
): Promise<string> {
  if (work === undefined || work.tree === work.base) return tree;
  if (work.base === tree) return work.tree;
  const combined = await space.combine(work.base, tree, work.tree);
  if (combined.conflicts.length > 0) {
    const { ref } = await space.keep(
      { task: task.id, attempt: task.attempts },
      work.tree,
      work.base,
    );
    keepTaskFacts(holder, task.id, {
      ...facts,
      work,
      elsewhere: { ref, paths: combined.conflicts },
    });
    const text = `changed since by others, and kept as ${task.id} left it: ${fewOf(combined.conflicts)}`;
    tell({ kind: "notice", text });
  }
  return combined.tree;
}

/** Its work is from now on what it comes to on top of the last commit. */
function rememberLaid(context: RunContext, task: Task, { tip, tree }: Laid): void {
  const { store, holder } = context;
  const facts = taskFacts(store, holder.state.project_id, task.id);
  if (facts.work === undefined || facts.work.base === tip.tree) return;
  const contents = contentsOf(context, Object.keys(facts.work.contents));
  keepTaskFacts(holder, task.id, { ...facts, work: { tree, base: tip.tree, contents } });
}

/** Exactly these files, a repository of their own for what runs next, and the manifest as it is known. */
export async function layTree(context: RunContext, tree: string): Promise<readonly string[]> {
  const { holder, space, copy, store } = context;
  const { project_id, manifest } = holder.state;
  const touched = await space.lay(tree);
  const known = store.manifestText(project_id, manifest.digest);
  if (space.kind === "own-copy") copy.writeManifest(copy.readManifest(), known);
  return touched.filter((path) => path !== manifest.path);
}

export async function workBetween(
  { space, holder }: RunContext,
  base: string,
  tree: string,
): Promise<WorkDone> {
  const { manifest, folder: projectFolder } = holder.entry;
  const changes = base === tree ? [] : await space.changes(base, tree);
  return workDone(tree, changes, { manifest, projectFolder });
}

/** What a task's sessions came to so far; nothing where it has none. */
export async function workOfTask(
  context: RunContext,
  { work }: Pick<TaskFacts, "work">,
): Promise<WorkDone | null> {
  return work === undefined ? null : await workBetween(context, work.base, work.tree);
}

/**
 * What lies in the workspace becomes the work of these tasks: nobody can tell which of them a session did
 * what for. Kept before it is remembered.
 */
export async function captureWork(
  context: RunContext,
  tasks: readonly Task[],
  { base, session }: { readonly base: string; readonly session: number },
): Promise<WorkDone> {
  const { space, store, holder } = context;
  const said = await space.sessionMessages();
  const captured = await space.capture();
  if (captured.kind === "uncommittable") {
    const { problems } = captured;
    for (const { id } of tasks) remember(context, id, { uncommittable: { session, problems } });
    const before = taskFacts(store, holder.state.project_id, tasks[0]?.id as TaskId).work;
    return await workBetween(context, base, before?.tree ?? base);
  }
  const { tree } = captured;
  const work = await workBetween(context, base, tree);
  for (const task of tasks) {
    const contents = contentsOf(context, [...work.paths, ...checkedPaths(task)]);
    // oxlint-disable-next-line no-await-in-loop
    await space.keep({ task: task.id, attempt: task.attempts }, tree, base);
    remember(context, task.id, {
      work: { tree, base, contents },
      ...(said.length === 0 ? {} : { messages: { [session]: said } }),
    });
  }
  return work;
}

function remember(
  { store, holder }: RunContext,
  task: TaskId,
  found: Pick<TaskFacts, "work" | "uncommittable" | "messages">,
): void {
  const {
    uncommittable: _,
    trying: __,
    ...facts
  } = taskFacts(store, holder.state.project_id, task);
  const messages = { ...facts.messages, ...found.messages };
  keepTaskFacts(holder, task, { ...facts, ...found, messages });
}

function contentsOf({ copy }: RunContext, paths: readonly string[]): Contents {
  return Object.fromEntries([...new Set(paths)].map((path) => [path, copy.contentNow(path)]));
}
