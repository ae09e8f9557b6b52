// A session may be given several tasks, as long as a check tells each from the others. When it has ended, they
// are judged one after another as if each had been its own attempt, until the first that fails; nothing is
// finished before that.
import { eligibleTasks, firstEligible } from "../../core/eligibility.ts";
import type { ProjectEvent } from "../../core/events.ts";
import type { Task } from "../../core/schema/task.ts";
import { needsReview } from "../../core/step/task-moves.ts";
import { asStarted, type Baseline, baselineTaken } from "../../core/task-memory.ts";
import { fact } from "../base/fact.ts";
import { readStart, remember } from "../base/kept-record.ts";
import type { Steps } from "../base/persist.ts";
import type { RunContext } from "../base/run-context.ts";
import { consentOf, isRelease, startGate } from "../people/consent.ts";
import { layTree, layWork } from "../space/task-work.ts";
import { dirOf, scriptsOf } from "../space/workspace-commands.ts";
import { againBefore, runChecks, whatWasRed } from "./run-checks.ts";

/** The attempt of a task that the last session had in its brief and that was not judged yet. */
export function continueBatch(context: RunContext, task: Task): ProjectEvent | null {
  const start = batchOf(context, task);
  if (start === null) return null;
  return {
    kind: "attempt-started",
    ...fact(context),
    task_id: task.id,
    session: start.session,
    run_id: context.runId,
  };
}

/** Whether tasks of the last session are still to be judged. */
export function isInBatch(context: RunContext): boolean {
  const { state } = context.holder;
  if (state.status !== "Running" || state.current_task_id !== null) return false;
  const next = firstEligible(state);
  return next !== undefined && batchOf(context, next) !== null;
}

function batchOf(context: RunContext, task: Task) {
  const { state } = context.holder;
  const start = readStart(context, state.counters.sessions);
  const position = start?.tasks.findIndex(({ task_id }) => task_id === task.id) ?? -1;
  if (start === undefined || position < 1) return null;
  const isFresh = start.tasks[position]?.attempt === task.attempts + 1;
  const before = start.tasks.slice(0, position).map(({ task_id }) => task_id);
  const areDone = before.every((id) =>
    state.tasks.some((each) => each.id === id && each.status === "done"),
  );
  return isFresh && areDone ? start : null;
}

/** A chunk is as much as one session is given; a task that is split, to be split or delegated is looked at by itself. */
function isAlone({ chunk_of, child, too_large, split_after, delegate }: Task): boolean {
  return [chunk_of, child, too_large, split_after, delegate].some((each) => each !== undefined);
}

/** A person's word before it or after it: it has a session, and a commit, of its own. */
function isGated(task: Task): boolean {
  return task.approve !== undefined || needsReview(task);
}

/** Tasks that become eligible one after another, as long as each may go into a batch. */
export async function* followers(
  context: RunContext,
  first: Task,
  failing: readonly string[],
): Steps<Task[]> {
  const { state } = context.holder;
  const { namesFor } = context.agents;
  // One session has one agent.
  const names = namesFor(first).join();
  const chosen: Task[] = [];
  const claimed = new Set(failing);
  // What follows must not be worked on before a person has said yes to this.
  if (needsReview(first) || isAlone(first)) return chosen;
  const consent = consentOf(context.store, state);
  const done = (ids: ReadonlySet<string>) =>
    state.tasks.map((task) =>
      ids.has(task.id)
        ? ({ ...task, status: "skipped", by: "", reason: "", skipped_at: "" } as unknown as Task)
        : task,
    );
  // The policy of the run may ask for fewer than the bound of the project, never for more.
  const most = Math.min(context.settings.batch, state.scope_guardrails.limits.tasks_per_session);
  while (chosen.length + 1 < most) {
    const assumed = new Set([first, ...chosen].map((task) => task.id as string));
    const next = eligibleTasks({ ...state, tasks: done(assumed) })[0];
    const isPlain = next !== undefined && next.run === undefined && next.webhook === undefined;
    if (!isPlain || isGated(next) || consent.missing(next).length > 0) break;
    if (isAlone(next)) break;
    const scripts = scriptsOf(context);
    if (startGate(next, context.settings.release, scripts) !== null) break;
    // What is committed is proven before anything is put in front of others.
    if (context.settings.proof.when !== "never" && isRelease(next, scripts)) break;
    const own = state.tasks.find((task) => task.id === next.id);
    if (own === undefined || namesFor(own).join() !== names) break;
    // One session starts in one folder.
    if (dirOf(context, own) !== dirOf(context, first)) break;
    const baseline = yield* baselineOf(context, own);
    const telling = baseline.failing;
    if (!telling.some((key) => !claimed.has(key))) break;
    for (const key of telling) claimed.add(key);
    remember(context, own.id, (all) => baselineTaken(asStarted(all, own), baseline));
    chosen.push(own);
  }
  return chosen;
}

/**
 * The checks of a task that fail now and so will tell that it is done. What only a change can tell, or a
 * check that tells the same of another task, has a session of its own: nobody knows which task of a
 * batch a change was made for.
 */
async function* baselineOf(context: RunContext, task: Task): Steps<Baseline> {
  // With what its own sessions left, and nobody else's.
  const { tree } = await layWork(context, [task]);
  const runs = yield* runChecks(context, task, {
    checks: task.checks ?? [],
    when: "before",
    again: againBefore(context, task),
  });
  await layTree(context, tree);
  const isRunnable = runs.every(({ result }) => result !== "unavailable");
  return { ...whatWasRed(runs), ...(isRunnable ? {} : { failing: [] }), tellsNothing: false, tree };
}
