// What a session changed, when it has ended and before any check runs: whose paths they are from now on,
// whether that is progress, and whether it is within the limits.
import { join } from "node:path";
import type { TaskId } from "../core/ids.ts";
import { projectLayout } from "../store/layout.ts";
import { measureWork } from "./measured-limits.ts";
import { fileBaseline } from "./run-checks.ts";
import { fact, type RunContext } from "./run-context.ts";
import { keepChanged, sessionPath, type SessionStart } from "./session-record.ts";
import {
  contentsOf,
  keepTaskFacts,
  type SessionWork,
  type TaskFacts,
  taskFacts,
  withWork,
} from "./task-facts.ts";
import type { StartPoint, WorkDone } from "./work-tree.ts";

/** Progress is a tree that was not seen before in this task; docs alone are planning, unless they are the task. */
export async function measureProgress(
  context: RunContext,
  start: SessionStart,
  task: TaskId,
): Promise<"made" | "none" | "planning-only"> {
  const { holder, store } = context;
  const id = holder.state.project_id;
  const { work, vanished } = await workOf(context, start);
  const facts = taskFacts(store, id, task);
  const { session } = start;
  const before = facts.measured === session ? facts.trees.slice(0, -1) : facts.trees;
  const isNew = !before.includes(work.tree) && work.tree !== start.start.tree;
  const trees = [...before, work.tree];
  const changed = await changedFiles(context.root, start);
  const changes = {
    paths: work.paths,
    left: contentsOf(context.tree, work.paths),
    vanished,
    changed,
  };
  const { elsewhere: _, ...known } = withWork(facts, changes);
  const own = await netPaths(context, known);
  const later = await laterPaths(context, facts, start.start, work.paths);
  keepTaskFacts(holder, task, { ...known, ...own, ...later, trees, measured: session });
  if (start.tasks.length > 1) keepChanged(holder, session, changes);
  showLimits(context, start, work);
  if (!isNew || (work.substantial.length === 0 && work.docs.length === 0)) return "none";
  const isDocs = holder.state.tasks.some((each) => each.id === task && each.docs_only === true);
  return work.substantial.length === 0 && !isDocs ? "planning-only" : "made";
}

async function changedFiles(
  root: string,
  { tasks }: SessionStart,
): Promise<SessionWork["changed"]> {
  const checks = tasks.flatMap((frozen) => frozen.checks);
  const now = await fileBaseline(root, checks);
  const before = tasks.flatMap(({ files }) => Object.entries(files));
  return Object.fromEntries(before.filter(([path, digest]) => now.get(path) !== digest));
}

/** What the session changed, without what only came into git's sight. */
async function workOf(
  { tree, holder }: RunContext,
  { start, session }: SessionStart,
): Promise<{ work: WorkDone; vanished: readonly string[] }> {
  const since = join(projectLayout(holder.entry).folder, sessionPath(session, "brief.md"));
  const [all, { appeared, vanished }] = await Promise.all([
    tree.workSince(start),
    tree.shifts(start, since),
  ]);
  if (appeared.length === 0) return { work: all, vanished };
  const others = new Set(appeared);
  const paths = all.paths.filter((path) => !others.has(path));
  return { work: await tree.workSince(start, paths), vanished };
}

/** What a later session undid is nobody's work; what others make of these files is not the task's. */
async function netPaths(
  { tree }: RunContext,
  { first, own }: TaskFacts,
): Promise<Pick<TaskFacts, "own">> {
  if (own === undefined || own.length === 0 || first === null) return {};
  const undone = new Set(await tree.unchanged(first, own));
  return undone.size === 0 ? {} : { own: own.filter((path) => !undone.has(path)) };
}

/** Put aside, these become what others had made of them, not what they were when the task began. */
async function laterPaths(
  { tree }: RunContext,
  { first, own = [], later = [] }: TaskFacts,
  start: StartPoint,
  paths: readonly string[],
): Promise<Pick<TaskFacts, "later">> {
  const fresh = paths.filter((path) => !own.includes(path));
  if (first === null || first.tree === start.tree || fresh.length === 0) return {};
  const changed = await tree.changedBetween(first, start, fresh);
  const before = later
    .map((each) => ({ ...each, paths: each.paths.filter((path) => !changed.includes(path)) }))
    .filter((each) => each.paths.length > 0);
  return changed.length === 0 ? {} : { later: [...before, { start, paths: changed }] };
}

/** S2-10 … S2-12: what the session really changed, said and written down. */
function showLimits(context: RunContext, start: SessionStart, work: WorkDone): void {
  const { holder, tell } = context;
  const ids = start.tasks.map(({ task_id }) => task_id);
  const tasks = holder.state.tasks.filter(({ id }) => ids.includes(id));
  const { summary, excess } = measureWork(work.counts, tasks, holder.state.scope_guardrails.limits);
  const { session } = start;
  holder.note({
    ...fact(context),
    kind: "limits-measured",
    summary: `session ${session}: ${summary}`,
  });
  if (excess.length === 0) tell({ kind: "measured", session, text: summary });
  else
    tell({
      kind: "notice",
      text: `session ${session} went beyond its limits: ${excess.join("; ")}`,
    });
}
