// What is resolved stands in a log, in the very commit of its task: one line more on the text that the last commit
// holds, whatever a session made of that file. What a person has not committed of it stays theirs, with the same line.
import { isWithin } from "../../core/files.ts";
import type { TaskId } from "../../core/ids.ts";
import { MARKER_NAME } from "../../core/marker.ts";
import type { DoneTask } from "../../core/project-state.ts";
import { chunksOf } from "../../core/step/chunks.ts";
import { touchedPaths } from "../../git/changed-paths.ts";
import { objectId } from "../../git/object-id.ts";
import {
  isResolvedIn,
  logLines,
  type Resolution,
  withLine,
  withResolution,
} from "../../iteration/resolve-item.ts";
import { mergeLines } from "../../manifest/edit/line-diff.ts";
import type { OwnFile, OwnSides, Tip } from "../../workspace/workspace.ts";
import { keepKnownCommits } from "../base/kept-record.ts";
import type { RunContext } from "../base/run-context.ts";
import { type ProjectLog, projectLogs, reviewLog } from "../people/project-logs.ts";

type Logs = Pick<RunContext, "holder" | "store" | "settings" | "space">;

/** The logs as the commit of these tasks is to hold them; those alone that get a line. `tree` is their work. */
export async function resolvedBy(
  context: RunContext,
  tasks: readonly DoneTask[],
  tip: Tip,
  tree: string,
): Promise<readonly OwnFile[]> {
  const logs = logsOf(context);
  const wanted = logs.filter(({ idOf }) => tasks.some((task) => idOf(task) !== undefined));
  if (wanted.length === 0) return [];
  const paths = await pathsOf(context, tasks, tip.tree, tree);
  return await withLines(context, tip, wanted, (log) => resolutions(log, tasks, paths));
}

/** What tasks that are done resolve, and the log of the last verified commit does not say. */
export async function notResolvedYet(context: Logs, tip: Tip): Promise<readonly DoneTask[]> {
  const { logs } = context.settings;
  const tasks = context.holder.state.tasks.filter(
    (task): task is DoneTask => task.status === "done" && task.resolves !== undefined,
  );
  if (logs === undefined || tasks.length === 0) return [];
  const found = await readLog(context, tip, logs.review);
  const text = found.kind === "text" ? found.text : "";
  return tasks.filter(({ resolves }) => !isResolvedIn(text, resolves ?? ""));
}

/** The review log with the lines of these tasks, for a commit of their own. @returns null where it cannot be written */
export async function resolvedLate(
  context: RunContext,
  tasks: readonly DoneTask[],
  tip: Tip,
): Promise<OwnFile | null> {
  const { logs } = context.settings;
  if (logs === undefined) return null;
  const paths = await pathsOf(context, tasks, tip.tree, tip.tree);
  const lines = (log: ProjectLog): Resolution[] => resolutions(log, tasks, paths);
  return (await withLines(context, tip, [reviewLog(logs)], lines))[0] ?? null;
}

function logsOf(context: Pick<RunContext, "holder" | "store" | "settings">): readonly ProjectLog[] {
  return projectLogs(context, context.settings.logs);
}

function resolutions(
  { idOf }: ProjectLog,
  tasks: readonly DoneTask[],
  paths: ReadonlyMap<TaskId, readonly string[]>,
): Resolution[] {
  return tasks.flatMap((task) => {
    const id = idOf(task);
    return id === undefined ? [] : [{ id, summary: task.title, paths: paths.get(task.id) ?? [] }];
  });
}

/** What each task changed, beside Stint's own files: in the commit that is made, and in those of its chunks. */
async function pathsOf(
  context: RunContext,
  tasks: readonly DoneTask[],
  before: string,
  after: string,
): Promise<ReadonlyMap<TaskId, readonly string[]>> {
  const { space } = context;
  const now = before === after ? [] : await space.changes(before, after);
  const found = new Map<TaskId, readonly string[]>();
  for (const task of tasks) {
    // oxlint-disable-next-line no-await-in-loop
    const earlier = await Promise.all(
      commitsOfChunks(context, task).map((commit) => space.changedBy(commit)),
    );
    const touched = touchedPaths([...earlier.flat(), ...now]);
    found.set(task.id, withoutOwn(context, [...new Set(touched)]));
  }
  return found;
}

/** Those that Stint made for the chunks of a task. What changed nothing is recorded with the commit it stands on. */
function commitsOfChunks(context: RunContext, task: DoneTask): string[] {
  const { tasks } = context.holder.state;
  const chunks = new Set<TaskId>(chunksOf(tasks, [task]).map(({ id }) => id));
  if (chunks.size === 0) return [];
  const made = new Set(keepKnownCommits(context, []));
  const recorded = tasks
    .flatMap((each) => (each.status === "done" ? [each] : []))
    .toSorted((one, other) => one.done_at.localeCompare(other.done_at));
  const firstFor = new Map<string, TaskId>();
  for (const { id, commit } of recorded) {
    if (commit !== undefined && !firstFor.has(commit)) firstFor.set(commit, id);
  }
  return [...firstFor].flatMap(([commit, id]) =>
    chunks.has(id) && made.has(commit) ? [commit] : [],
  );
}

function withoutOwn(context: RunContext, paths: readonly string[]): string[] {
  const { manifest, folder } = context.holder.entry;
  const own = new Set([manifest, MARKER_NAME, ...logsOf(context).map(({ path }) => path)]);
  return paths.filter((path) => !own.has(path) && !isWithin(path, folder));
}

async function withLines(
  context: RunContext,
  tip: Tip,
  logs: readonly ProjectLog[],
  linesOf: (log: ProjectLog) => readonly Resolution[],
): Promise<readonly OwnFile[]> {
  const texts = new Map<string, { readonly before: string; readonly after: string }>();
  for (const log of logs) {
    const { path } = log;
    // oxlint-disable-next-line no-await-in-loop
    const found = await readLog(context, tip, path);
    if (found.kind === "unwritable") {
      const text = `${path} is not written: ${found.why}`;
      context.tell({ kind: "notice", text });
      continue;
    }
    const { before, after } = texts.get(path) ?? { before: found.text, after: found.text };
    texts.set(path, { before, after: linesOf(log).reduce(withResolution, after) });
  }
  const changed = [...texts].filter(([, { before, after }]) => before !== after);
  if (context.space.kind === "in-place") {
    for (const [path, { before, after }] of changed) addTo(context, path, added(before, after));
  }
  return changed.map(([path, { after }]) => ({ path, content: Buffer.from(after) }));
}

type FoundLog =
  /** "" where there is none yet. */
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "unwritable"; readonly why: string };

/** As the tip holds it. No link is followed, and nothing that is in the way is replaced. */
async function readLog({ space, holder }: Logs, { tree }: Tip, path: string): Promise<FoundLog> {
  const { manifest, folder } = holder.entry;
  const unwritable = (why: string): FoundLog => ({ kind: "unwritable", why });
  if (path === manifest || isWithin(path, folder)) return unwritable("it is a file of the project");
  const isNear = (other: string): boolean => isWithin(other, path) || isWithin(path, other);
  const [first, second] = await space.find(tree, isNear);
  if (first === undefined) return { kind: "text", text: "" };
  const [name, { mode, oid }] = first;
  if (second !== undefined || name !== path || !mode.startsWith("100"))
    return unwritable(`${name} is not a regular file`);
  const text = (await space.texts(tree, [path])).get(path);
  if (text === undefined) return unwritable("it is too large");
  if (objectId("blob", Buffer.from(text), oid.length) !== oid) return unwritable("it is not UTF-8");
  return { kind: "text", text };
}

/** The lines that one text of a log has and another lacks. */
function added(before: string, after: string): readonly string[] {
  const there = new Set(logLines(before));
  return logLines(after).filter((line) => line.startsWith("- ") && !there.has(line));
}

/** A log on a branch that moved: the person's text with the lines of the commit. */
export function settleLog({ base, ours, theirs }: OwnSides): string | null {
  if (theirs === null) return ours;
  const lines = added(base ?? "", theirs);
  // What Stint commits is these lines alone; what a person had included may be anything.
  const isOurs = lines.reduce(withLine, base ?? "") === theirs;
  const canMerge = !isOurs && base !== null && ours !== null;
  const text = (canMerge ? mergeLines(base, ours, theirs) : undefined) ?? ours ?? "";
  const there = new Set(logLines(text));
  const missing = lines.filter((line) => !there.has(line));
  return missing.reduce(withLine, text);
}

/**
 * A log that the person has edited keeps their words on delivery; so that it does not take back what is delivered,
 * it gets the same lines.
 */
export async function keepPersonsLogs(context: RunContext): Promise<void> {
  const { checkout, personsGit, space } = context;
  const logs = logsOf(context);
  if (logs.length === 0 || personsGit.away() !== null) return;
  for (const log of logs) {
    const { path } = log;
    const disk = checkout.textNow(path);
    // oxlint-disable-next-line no-await-in-loop
    if (disk === undefined || (await personsGit.isCommitted(path))) continue;
    // oxlint-disable-next-line no-await-in-loop
    const found = await readLog(context, await space.tip(), path);
    if (found.kind === "text") addTo(context, path, ownLines(context, log, found.text));
  }
}

/** Those of this project's tasks. */
function ownLines({ holder }: RunContext, { idOf }: ProjectLog, text: string): readonly string[] {
  const heads = holder.state.tasks.flatMap((task) => {
    const id = idOf(task);
    return id === undefined ? [] : [`- ${id}: `];
  });
  return logLines(text).filter((line) => heads.some((head) => line.startsWith(head)));
}

/** A person who saves at the very moment makes us look again; nobody saves that often. */
const TRIES = 10;

function addTo({ checkout }: RunContext, path: string, lines: readonly string[]): void {
  for (let tries = 0; tries < TRIES; tries++) {
    const disk = checkout.textNow(path);
    const there = new Set(logLines(disk ?? ""));
    const text = lines.filter((line) => !there.has(line)).reduce(withLine, disk ?? "");
    if (text === (disk ?? "") || checkout.writeText(path, disk, text)) return;
  }
}
