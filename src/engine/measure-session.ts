// What a session changed, when it has ended and before any check runs: whether that is progress, and
// whether it is within the limits.
import type { TaskId } from "../core/ids.ts";
import { measureWork } from "./measured-limits.ts";
import { fileBaseline } from "./run-checks.ts";
import { fact, type RunContext } from "./run-context.ts";
import type { SessionStart } from "./session-record.ts";
import { keepTaskFacts, taskFacts } from "./task-facts.ts";
import { captureWork, workBetween } from "./task-work.ts";
import type { Uncommittable } from "../workspace/workspace.ts";
import type { WorkDone } from "./work-done.ts";

/** Progress is a tree that was not seen before in this task; docs alone are planning, unless they are the task. */
export async function measureProgress(
  context: RunContext,
  start: SessionStart,
  task: TaskId,
): Promise<"made" | "none" | "planning-only"> {
  const { holder, store } = context;
  const { session } = start;
  const ids = start.tasks.map(({ task_id }) => task_id);
  const tasks = holder.state.tasks.filter(({ id }) => ids.includes(id));
  const { base } = start.start;
  const all = await captureWork(context, tasks, { base, session });
  const work = await workBetween(context, start.start.tree, all.tree);
  const facts = taskFacts(store, holder.state.project_id, task);
  const before = facts.measured === session ? facts.trees.slice(0, -1) : facts.trees;
  const isNew = !before.includes(work.tree) && work.tree !== start.start.tree;
  await rememberSeen(context, start);
  keepTaskFacts(holder, task, {
    ...taskFacts(store, holder.state.project_id, task),
    trees: [...before, work.tree],
    measured: session,
  });
  if (facts.uncommittable?.session === session) {
    tellUncommittable(context, session, facts.uncommittable.problems);
    return "made";
  }
  showLimits(context, start, work);
  if (!isNew || (work.substantial.length === 0 && work.docs.length === 0)) return "none";
  const isDocs = tasks.some((each) => each.id === task && each.docs_only === true);
  return work.substantial.length === 0 && !isDocs ? "planning-only" : "made";
}

/**
 * For each task of the session: what was handed over to it is not handed over again, and what it changed of
 * the files that checks ask about counts as changed for the next one, too.
 */
async function rememberSeen(
  { space, holder, store }: RunContext,
  { tasks }: SessionStart,
): Promise<void> {
  const now = await fileBaseline(
    space.folder,
    tasks.flatMap(({ checks }) => checks),
  );
  for (const { task_id, files } of tasks) {
    const { elsewhere: _, ...known } = taskFacts(store, holder.state.project_id, task_id);
    const others = Object.entries(files).filter(([path, digest]) => now.get(path) !== digest);
    const changed = { ...Object.fromEntries(others), ...known.changed };
    keepTaskFacts(holder, task_id, { ...known, changed });
  }
}

function tellUncommittable(
  { tell }: RunContext,
  session: number,
  problems: readonly Uncommittable[],
): void {
  for (const { path, why, hint } of problems) {
    const text = `session ${session} left ${path}, which ${why} and cannot be committed; ${hint}`;
    tell({ kind: "notice", text });
  }
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
