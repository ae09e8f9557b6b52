// From "this task is next" to "its session may start": does its output already exist, what do its
// checks say before any work, where does the session start from. All of it is kept before the
// attempt is persisted, and the attempt is persisted before anything starts.
import type { SessionStart, TaskMemory } from "../../core/schema/session-records.ts";
import { eligibleTasks } from "../../core/eligibility.ts";
import type { ProjectEvent } from "../../core/events.ts";
import type { Task } from "../../core/schema/task.ts";
import { needsReview, ownAttempts } from "../../core/step/task-moves.ts";
import { consentOf } from "../people/consent.ts";
import { isAboutFilesOf } from "../people/files-approval.ts";
import { failingKeys, runChecks } from "../verify/run-checks.ts";
import { fileBaseline } from "../../checks/file-baseline.ts";
import { fact, nowOf } from "../base/fact.ts";
import type { RunContext } from "../base/run-context.ts";
import type { Steps } from "../base/steps.ts";
import { setUp } from "../space/set-up.ts";
import { dirOf } from "../space/start-folder.ts";
import { startGate } from "../people/start-gate.ts";
import { adoptPersonsChanges } from "../manifest/manifest-changes.ts";
import { keepStart, readStart } from "../base/session-record.ts";
import { writtenTasks } from "../manifest/task-boxes.ts";
import { asStarted, baselineTaken, uncommittableIn } from "../../core/task-memory.ts";
import { memoryOfStarted, remember } from "../base/task-memory.ts";
import { isStillThere, type Laid, layTree, layWork } from "../space/task-work.ts";
import { conclude, hindranceOf, type Verification, verifyTask } from "../verify/verify-task.ts";

/** @returns the session that is to be started, now that its attempt is durable; null where none is needed */
export async function* prepareAttempt(
  context: RunContext,
  task: Task,
  agent: string,
): Steps<SessionStart | null> {
  const laid = await layWork(context, [task]);
  await setUp(context, task);
  const verified = yield* verifyTask(context, whatIsThere(context, task, laid));
  const { verdict, runs } = verified;
  const { event, rows } = conclude(context, verified, { attempt: task.attempts });
  if (event !== null) {
    yield { event, rows };
    return null;
  }
  if (verdict.kind !== "session-needed") throw new Error(`${task.id} was judged ${verdict.kind}`);
  const question = verdict.contradictsBox ? aboutMarked(context, task) : null;
  if (question !== null) {
    yield { event: question };
    return null;
  }
  const failing = failingKeys(runs);
  const isAlone = failing.length === 0 || isLeftThere(context, task);
  const chosen = isAlone ? [] : yield* followers(context, task, failing);
  // Also for a task that came into the plan after the run had begun.
  context.agents.require(agent);
  const tellsNothing = verdict.notDiscriminating.length > 0;
  remember(context, task.id, (all) => baselineTaken(asStarted(all, task), failing, tellsNothing));
  // Last of all: what a person wrote while this was prepared is part of the plan before anything starts.
  const adoption = await adoptPersonsChanges(context);
  if (adoption !== null) {
    yield { event: adoption };
    return null;
  }
  const all = chosen.length === 0 ? laid : await layWork(context, [task, ...chosen]);
  if (chosen.length > 0) await setUp(context, task);
  const start = await freezeStart(context, [task, ...chosen], agent, all);
  const { session } = start;
  const started = { task_id: task.id, session, run_id: context.runId };
  yield { event: { kind: "attempt-started", ...fact(context), ...started } };
  return start;
}

/** What no commit can hold, or others replaced, is nothing to find done, whatever checks say about it. */
function whatIsThere(context: RunContext, task: Task, laid: Laid): Verification {
  const { store, holder } = context;
  const memory = memoryOfStarted(store, holder.state.project_id, task);
  const left = isStillThere(context, memory) ? uncommittableIn(memory) : undefined;
  return {
    task,
    situation: {
      at: "before-session",
      earlierAttempt: ownAttempts(task) > 0,
      // Remembered per task: a check that turned green for another task proves nothing for this one.
      seenFailing: new Set(memory.seenFailing),
      isReopened: task.reopened !== undefined,
      isMarked: isMarked(context, task),
      isAnswerOwed: isAnswerOwed(context, task, memory),
    },
    checks: task.checks ?? [],
    laid: { tree: laid.tree, base: laid.tip.tree },
    files: memory.changed ?? {},
    hindrance: hindranceOf(left?.problems, laid),
  };
}

function isLeftThere(context: RunContext, task: Task): boolean {
  const { store, holder } = context;
  return isStillThere(context, memoryOfStarted(store, holder.state.project_id, task));
}

/** What the session is given, kept before its attempt is persisted. */
async function freezeStart(
  context: RunContext,
  tasks: readonly Task[],
  agent: string,
  laid: Laid,
): Promise<SessionStart> {
  const { holder, store } = context;
  const { project_id, counters, manifest } = holder.state;
  const session = counters.sessions + 1;
  tellOfChange(context, session, agent);
  const text = store.manifestText(project_id, manifest.digest);
  const start: SessionStart = {
    session,
    agent,
    tasks: await frozenTasks(context, tasks, text),
    start: { tree: laid.tree, base: laid.tip.tree },
    manifest: text,
    started_at: nowOf(context),
  };
  keepStart(holder, start);
  return start;
}

/**
 * What the last session on a task asked for has been answered: whatever it left, it had not ended what
 * it was at, so another session is told the answer.
 */
function isAnswerOwed(
  { holder, store }: RunContext,
  task: Task,
  { measured }: TaskMemory,
): boolean {
  const { project_id, approval_items, questions } = holder.state;
  const last = measured === undefined ? undefined : readStart(store, project_id, measured);
  if (last === undefined) return false;
  return (
    questions.some(
      (item) =>
        item.task_id === task.id && item.session === last.session && item.status === "answered",
    ) ||
    approval_items.some(
      (item) =>
        item.asked_at >= last.started_at &&
        ((item.kind === "destructive" &&
          item.task_id === task.id &&
          (item.status === "granted" || item.status === "denied")) ||
          (item.status === "denied" && isAboutFilesOf(item, task.id))),
    )
  );
}

/** Boxes that a session checked in vain are unchecked again: one that still is checked is a person's. */
function isMarked({ holder, store }: RunContext, { id }: Task): boolean {
  const { project_id, manifest, tasks } = holder.state;
  const { byId } = writtenTasks(store.manifestText(project_id, manifest.digest), tasks);
  return byId.get(id)?.item.box.checked === true;
}

/** A person says that it is done and its checks say that it is not: asked once, and the box stays. */
function aboutMarked(context: RunContext, task: Task): ProjectEvent | null {
  const { questions, manifest } = context.holder.state;
  const text = `the box of ${task.id} "${task.title}" is checked in ${manifest.path}, but its checks fail; what is still to be done?`;
  const isAsked = questions.some((item) => item.task_id === task.id && item.text === text);
  if (isAsked) return null;
  return { kind: "question-asked", ...fact(context), question: { task_id: task.id, text } };
}

/** Another agent than in the session before, and why. */
function tellOfChange({ holder, store, tell }: RunContext, session: number, agent: string): void {
  const { project_id, agent_limits = [] } = holder.state;
  const before = readStart(store, project_id, session - 1)?.agent;
  if (before === undefined || before === agent) return;
  const limit = agent_limits.find((each) => each.agent === before);
  const why = limit === undefined ? "" : ` (${before}: ${limit.reason})`;
  tell({ kind: "notice", text: `session ${session} is by ${agent}${why}` });
}

/** The tasks of a session, with their checks frozen. */
async function frozenTasks(
  context: RunContext,
  tasks: readonly Task[],
  text: string,
): Promise<SessionStart["tasks"]> {
  const { byId } = writtenTasks(text, context.holder.state.tasks);
  const frozen: SessionStart["tasks"][number][] = [];
  for (const task of tasks) {
    const checks = task.checks ?? [];
    // oxlint-disable-next-line no-await-in-loop
    const digests = await fileBaseline(context.space.folder, checks);
    const { changed = {} } = memoryOfStarted(context.store, context.holder.state.project_id, task);
    frozen.push({
      task_id: task.id,
      attempt: task.attempts + 1,
      checked: byId.get(task.id)?.item.box.checked ?? false,
      checks,
      // What an earlier attempt changed counts as changed.
      files: Object.fromEntries([
        ...digests,
        ...Object.entries(changed).filter(([path]) => digests.has(path)),
      ]),
    });
  }
  return frozen;
}

/** A person's word before it or after it: it has a session, and a commit, of its own. */
function isGated(task: Task): boolean {
  return task.approve !== undefined || needsReview(task);
}

/** Tasks that become eligible one after another, as long as each may go into a batch. */
async function* followers(
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
  if (needsReview(first)) return chosen;
  const consent = consentOf(context.store, state);
  const done = (ids: ReadonlySet<string>) =>
    state.tasks.map((task) =>
      ids.has(task.id)
        ? ({ ...task, status: "skipped", by: "", reason: "", skipped_at: "" } as unknown as Task)
        : task,
    );
  while (chosen.length + 1 < context.settings.batch) {
    const assumed = new Set([first, ...chosen].map((task) => task.id as string));
    const next = eligibleTasks({ ...state, tasks: done(assumed) })[0];
    const isPlain = next !== undefined && next.run === undefined && next.webhook === undefined;
    if (!isPlain || isGated(next) || consent.missing(next).length > 0) break;
    if (startGate(next, context.settings.release) !== null) break;
    const own = state.tasks.find((task) => task.id === next.id);
    if (own === undefined || namesFor(own).join() !== names) break;
    // One session starts in one folder.
    if (dirOf(context, own) !== dirOf(context, first)) break;
    const telling = yield* tellingChecks(context, own);
    if (!telling.some((key) => !claimed.has(key))) break;
    for (const key of telling) claimed.add(key);
    remember(context, own.id, (all) => baselineTaken(asStarted(all, own), telling, false));
    chosen.push(own);
  }
  return chosen;
}

/**
 * The checks of a task that fail now and so will tell that it is done. What only a change can tell, or a
 * check that tells the same of another task, has a session of its own: nobody knows which task of a
 * batch a change was made for.
 */
async function* tellingChecks(context: RunContext, task: Task): Steps<readonly string[]> {
  // With what its own sessions left, and nobody else's.
  const { tree } = await layWork(context, [task]);
  const runs = yield* runChecks(context, task, task.checks ?? [], "before", new Map(), {
    task,
    paths: [],
  });
  await layTree(context, tree);
  return runs.some(({ result }) => result === "unavailable") ? [] : failingKeys(runs);
}
