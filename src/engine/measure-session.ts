// What a session changed, when it has ended and before any check runs: whether that is progress, and
// whether it is within the limits.
import type { TaskId } from "../core/ids.ts";
import { measureWork } from "./measured-limits.ts";
import { fileBaseline } from "./run-checks.ts";
import { fact, type RunContext } from "./run-context.ts";
import type { SessionStart } from "./session-record.ts";
import { type TaskFacts, taskFacts } from "./task-facts.ts";
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
  const { base, tree: laid } = start.start;
  const before = treesBefore(taskFacts(store, holder.state.project_id, task), session);
  const all = await captureWork(context, tasks, {
    base,
    session,
    async measure(id, facts, tree) {
      if (id !== task) return facts;
      // What was handed over to this session is not handed over again.
      const { elsewhere: _, ...known } = facts;
      const changed = { ...(await changedFiles(context, start)), ...facts.changed };
      return { ...known, changed, trees: [...before, tree], measured: session };
    },
  });
  const work = await workBetween(context, laid, all.tree);
  const isNew = !before.includes(work.tree) && work.tree !== laid;
  const facts = taskFacts(store, holder.state.project_id, task);
  if (facts.uncommittable?.session === session) {
    tellUncommittable(context, session, facts.uncommittable.problems);
    return "made";
  }
  showLimits(context, start, work);
  if (!isNew || (work.substantial.length === 0 && work.docs.length === 0)) return "none";
  const isDocs = tasks.some((each) => each.id === task && each.docs_only === true);
  return work.substantial.length === 0 && !isDocs ? "planning-only" : "made";
}

/** Measured again, a session does not count against itself. */
function treesBefore({ measured, trees }: TaskFacts, session: number): readonly string[] {
  return measured === session ? trees.slice(0, -1) : trees;
}

async function changedFiles(
  { space }: RunContext,
  { tasks }: SessionStart,
): Promise<NonNullable<TaskFacts["changed"]>> {
  const checks = tasks.flatMap((frozen) => frozen.checks);
  const now = await fileBaseline(space.folder, checks);
  const before = tasks.flatMap(({ files }) => Object.entries(files));
  return Object.fromEntries(before.filter(([path, digest]) => now.get(path) !== digest));
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
