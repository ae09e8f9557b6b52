// The work of a task in the workspace: laid there before anything looks at it, captured after every
// session and act. Between two tasks nothing of it lies around: it is kept, and laid again.
import { isDeepStrictEqual } from "node:util";
import type { ChangedFile } from "../../checks/judges.ts";
import { isDocs, isWithin } from "../../core/files.ts";
import type { TaskId } from "../../core/ids.ts";
import type { TaskMemory, UnfinishedWork } from "../../core/schema/session-records.ts";
import type { Task } from "../../core/schema/task.ts";
import {
  asStarted,
  leftoverGivenUp,
  leftUncommittable,
  uncommittableIn,
  workCaptured,
  workLaid,
  workOvertaken,
} from "../../core/task-memory.ts";
import { fewOf } from "../../core/words/amounts.ts";
import { measureLimits, substantialPaths, touchedPaths } from "../../git/changed-paths.ts";
import type { Combined, Tip } from "../../workspace/workspace.ts";
import { memoryOf, memoryOfStarted, readStart, remember } from "../base/kept-record.ts";
import type { RunContext } from "../base/run-context.ts";
import { knownText } from "../people/manifest-texts.ts";
import { checkedPaths, type Contents } from "../people/output-subject.ts";

/** What laying and capturing takes; a run has it, and so has a person's shell in the workspace. */
export type SpaceContext = Pick<
  RunContext,
  "holder" | "store" | "space" | "copy" | "tell" | "lane"
>;

export interface Laid {
  readonly tip: Tip;
  /** What is in the workspace now. */
  readonly tree: string;
  /** What is as others changed it since, and not as the sessions of these tasks left it. */
  readonly conflicts: readonly string[];
}

/** All verified work, and on top of it what the sessions of these tasks left. */
export async function layWork(context: SpaceContext, tasks: readonly Task[]): Promise<Laid> {
  const tip = await context.space.tip();
  let { tree } = tip;
  const conflicts: string[] = [];
  for (const task of tasks) {
    const memory = memoryOfStarted(context, task);
    if (isStillThere(context, memory)) {
      if (isMadeOf(context, memory, tip)) return { tip, tree, conflicts };
      // It would take back what was committed since.
      remember(context, task.id, leftoverGivenUp);
    }
    // Each is laid on what the ones before it came to.
    // oxlint-disable-next-line no-await-in-loop
    const combined = await withWork(context, task, memory.work, tree);
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
export function isStillThere(context: SpaceContext, memory: TaskMemory): boolean {
  const left = uncommittableIn(memory);
  return left !== undefined && left.session === lastSessionHere(context);
}

/** What others made is about to be laid here: what the last session here left, and no commit can hold, goes. */
export function giveUpLeftover(context: SpaceContext): void {
  const last = lastSessionHere(context);
  for (const { task_id } of readStart(context, last)?.tasks ?? []) {
    const isLying = uncommittableIn(memoryOf(context, task_id))?.session === last;
    if (isLying) remember(context, task_id, leftoverGivenUp);
  }
}

/** Whether what lies there was made of what is verified now. */
function isMadeOf(context: SpaceContext, memory: TaskMemory, { tree }: Tip): boolean {
  const start = readStart(context, uncommittableIn(memory)?.session ?? 0);
  return start === undefined || start.start.base === tree;
}

/** The last session that was started in this workspace, or in this lane of it; 0 for none. */
export function lastSessionHere(context: SpaceContext): number {
  for (let session = context.holder.state.counters.sessions; session > 0; session -= 1) {
    const start = readStart(context, session);
    if (start === undefined || start.lane === context.lane) return session;
  }
  return 0;
}

async function withWork(
  context: SpaceContext,
  task: Task,
  work: UnfinishedWork | undefined,
  tree: string,
): Promise<Combined> {
  if (work === undefined || work.tree === work.base) return { tree, conflicts: [] };
  if (work.base === tree) return { tree: work.tree, conflicts: [] };
  const { space, tell } = context;
  const combined = await space.combine(work.base, tree, work.tree);
  if (combined.conflicts.length > 0) {
    const { elsewhere } = memoryOf(context, task.id);
    const isTold = isDeepStrictEqual(elsewhere, { tree: work.tree, paths: combined.conflicts });
    await space.keep({ task: task.id, attempt: task.attempts }, work.tree, work.base);
    remember(context, task.id, (memory) =>
      workOvertaken(asStarted(memory, task), combined.conflicts),
    );
    const text = `changed by others since: ${fewOf(combined.conflicts)}. ${task.id} continues from their version; its own is kept`;
    if (!isTold) tell({ kind: "notice", text });
  }
  return combined;
}

/** Its work is from now on what it comes to on top of the last commit. */
function rememberLaid(context: SpaceContext, task: Task, { tip, tree }: Laid): void {
  const { work } = memoryOf(context, task.id);
  if (work === undefined || work.base === tip.tree) return;
  const contents = contentsOf(context, Object.keys(work.contents));
  remember(context, task.id, (memory) => workLaid(memory, { tree, base: tip.tree, contents }));
}

/** Exactly these files, and the manifest as it is known. */
export async function layTree(context: SpaceContext, tree: string): Promise<readonly string[]> {
  const { holder, space, copy } = context;
  const { manifest } = holder.state;
  const known = knownText(context);
  const writeKnown = (): void => {
    if (space.kind === "own-copy") copy.writeManifest(copy.readManifest(), known);
  };
  // Mostly the tree has the same text, and then there is nothing to lay.
  writeKnown();
  const touched = await space.lay(tree);
  writeKnown();
  return touched.filter((path) => path !== manifest.path);
}

/** What sessions made of a tree. */
export interface WorkDone {
  readonly tree: string;
  readonly paths: readonly string[];
  /** Outside docs, manifest and Stint's own files. */
  readonly substantial: readonly string[];
  /** Docs, without the manifest. */
  readonly docs: readonly string[];
  readonly counts: { readonly files: number; readonly newFiles: number; readonly moves: number };
}

export async function workBetween(
  { space, holder }: SpaceContext,
  base: string,
  tree: string,
): Promise<WorkDone> {
  const { manifest, folder: projectFolder } = holder.entry;
  const own = { manifest, projectFolder };
  const changes = base === tree ? [] : await space.changes(base, tree);
  const paths = touchedPaths(changes).filter((path) => !isWithin(path, projectFolder));
  return {
    tree,
    paths,
    substantial: substantialPaths(changes, own),
    docs: paths.filter((path) => path !== manifest && isDocs(path)),
    counts: measureLimits(changes, own),
  };
}

/** What a task changed since this tree, without the manifest and Stint's own files. */
export async function changedSince(
  { space, holder }: SpaceContext,
  base: string,
  tree: string,
): Promise<readonly ChangedFile[]> {
  if (base === tree) return [];
  const { manifest, folder } = holder.entry;
  return (await space.changes(base, tree))
    .flatMap(({ path, from, change, switched }): ChangedFile[] => {
      if (change !== "moved") return [{ path, change, ...(switched && { switched }) }];
      const there: ChangedFile = { path, change: "modified" };
      return from === undefined ? [there] : [{ path: from, change: "deleted" }, there];
    })
    .filter(({ path }) => path !== manifest && !isWithin(path, folder));
}

export interface Capturing {
  readonly base: string;
  readonly session: number;
  /** A person had a hand in it: it counts also where no session has begun the task. */
  readonly byPerson?: boolean;
  /** What else is to be remembered of a task, with its captured files. */
  readonly also?: (task: TaskId, memory: TaskMemory, tree: string) => TaskMemory;
}

/**
 * What lies in the workspace becomes the work of these tasks: nobody can tell which of them a session did
 * what for. Kept before it is remembered.
 */
export async function captureWork(
  context: SpaceContext,
  tasks: readonly Task[],
  { base, session, byPerson, also = (_, memory) => memory }: Capturing,
): Promise<WorkDone> {
  const { space } = context;
  const said = await space.sessionMessages();
  const captured = await space.capture();
  if (captured.kind === "uncommittable") {
    const { problems } = captured;
    const before = memoryOf(context, tasks[0]?.id as TaskId).work;
    const tree = before?.tree ?? base;
    for (const { id } of tasks) {
      remember(context, id, (all) => also(id, leftUncommittable(all, session, problems), tree));
    }
    return await workBetween(context, base, tree);
  }
  const { tree, emptied } = captured;
  const work = await workBetween(context, base, tree);
  for (const task of tasks) {
    const contents = contentsOf(context, [...work.paths, ...checkedPaths(task)]);
    const spoken = memoryOf(context, task.id).messages?.[session] ?? [];
    const earlier = byPerson === true && said.length > 0 ? spoken : [];
    // oxlint-disable-next-line no-await-in-loop
    await space.keep({ task: task.id, attempt: task.attempts }, tree, base);
    const found = { tree, base, contents, ...(byPerson === true ? { byPerson } : {}) };
    const messages = [...earlier, ...said];
    remember(context, task.id, (all) =>
      also(task.id, workCaptured(all, found, { session, messages, emptied }), tree),
    );
  }
  return work;
}

/** What was committed once becomes the unfinished work of a task again: laid where it may be laid. */
export async function workAgain(
  context: SpaceContext,
  task: Task,
  { tree, base }: { readonly tree: string; readonly base: string },
): Promise<void> {
  const { space } = context;
  await layTree(context, tree);
  const { paths } = await workBetween(context, base, tree);
  const contents = contentsOf(context, [...paths, ...checkedPaths(task)]);
  await space.keep({ task: task.id, attempt: task.attempts }, tree, base);
  remember(context, task.id, (memory) => workCaptured(memory, { tree, base, contents }));
}

function contentsOf({ copy }: SpaceContext, paths: readonly string[]): Contents {
  return Object.fromEntries([...new Set(paths)].map((path) => [path, copy.contentNow(path)]));
}
