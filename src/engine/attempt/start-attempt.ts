// From "this task is next" to "its session may start": does its output already exist, what do its
// checks say before any work, where does the session start from. All of it is kept before the
// attempt is persisted, and the attempt is persisted before anything starts.
import { fileBaseline } from "../../checks/file-check.ts";
import { outsideOf, timesFrom } from "../../core/delegation.ts";
import type { EventOf, ProjectEvent } from "../../core/events.ts";
import type { SessionStart, TaskMemory } from "../../core/schema/session-records.ts";
import type { TaskId } from "../../core/ids.ts";
import type { Task } from "../../core/schema/task.ts";
import { doneByChunks } from "../../core/step/chunks.ts";
import { ownAttempts } from "../../core/step/task-moves.ts";
import {
  asStarted,
  type Baseline,
  baselineTaken,
  uncommittableIn,
  workHandedOver,
} from "../../core/task-memory.ts";
import { fact, nowOf } from "../base/fact.ts";
import { keepStart, memoryOf, memoryOfStarted, readStart, remember } from "../base/kept-record.ts";
import type { Steps } from "../base/persist.ts";
import type { RunContext } from "../base/run-context.ts";
import { adoptWhileRunning } from "../people/adopt-while-running.ts";
import { knownText, writtenTasks } from "../people/manifest-texts.ts";
import { isAboutFilesOf } from "../people/output-subject.ts";
import { setUp } from "../space/set-up.ts";
import { isStillThere, type Laid, layWork } from "../space/task-work.ts";
import { followers } from "./batch.ts";
import { plannedCounts } from "./planned-work.ts";
import { whatWasRed } from "./run-checks.ts";
import { splitDue, splitTask } from "./split-task.ts";
import { conclude, hindranceOf, type Verification, verifyTask } from "./verify-task.ts";

type Begun = EventOf<"attempt-started" | "dispatch-sent">;

/**
 * `begin` says by what the attempt begins: in hand, or in a lane beside others.
 * @returns the session that is to be started, now that its attempt is durable; null where none is needed
 */
export async function* prepareAttempt(
  context: RunContext,
  task: Task,
  agent: string,
  begin: (start: SessionStart) => Begun = (start) => inHand(context, task, start),
): Steps<SessionStart | null> {
  const found = yield* lookBefore(context, task);
  if (found === null) return null;
  const { laid, baseline } = found;
  const { failing } = baseline;
  const split = splitDue(context, task, failing);
  const isAlone =
    split !== null || failing.length === 0 || isStillThere(context, memoryOfStarted(context, task));
  const chosen = isAlone ? [] : yield* followers(context, task, failing);
  // Also for a task that came into the plan after the run had begun.
  if (split === null) context.agents.require(agent);
  if (yield* isReadAnew(context, task, baseline)) return null;
  if (split !== null) {
    yield* splitTask(context, task, split);
    return null;
  }
  const all = chosen.length === 0 ? laid : await layWork(context, [task, ...chosen]);
  if (chosen.length > 0) await setUp(context, task);
  const session = context.holder.state.counters.sessions + 1;
  tellOfChange(context, session, agent);
  const more = context.byHand === undefined ? {} : ({ by_hand: true } as const);
  const start = await freezeStart(context, [task, ...chosen], agent, all, more);
  yield { event: begin(start) };
  return start;
}

/** Sends work to somebody outside, unless it is there already. What its checks say before it is kept, as for a session. */
export async function* sendOutside(context: RunContext, task: Task): Steps {
  const terms = outsideOf(task);
  if (terms === null) throw new Error(`${task.id} is not done outside`);
  const found = yield* lookBefore(context, task);
  if (found === null) return;
  const { laid, baseline } = found;
  if (yield* isReadAnew(context, task, baseline)) return;
  await freezeStart(context, [task], terms.owner, laid, { outside: true });
  const { at, by } = fact(context);
  yield {
    event: {
      kind: "dispatch-sent",
      at,
      by,
      run_id: context.runId,
      dispatch: {
        task_id: task.id,
        owner: terms.owner,
        objective: task.title,
        worker: { kind: "outside" },
        returns: terms.returns,
        ...timesFrom(at, task),
      },
    },
  };
}

/** Where work on a task starts from, and what its checks say before it. */
interface FoundBefore {
  readonly laid: Laid;
  readonly baseline: Baseline;
}

/** Null where no work is needed, or a person is asked first. */
async function* lookBefore(context: RunContext, task: Task): Steps<FoundBefore | null> {
  const laid = await layWork(context, [task]);
  await setUp(context, task);
  // What was handed over to its chunks is not what it is judged by.
  if (task.split_after === task.attempts) remember(context, task.id, workHandedOver);
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
  const tellsNothing = verdict.notDiscriminating.length > 0;
  return { laid, baseline: { ...whatWasRed(runs), tellsNothing, tree: laid.tree } };
}

/** Last of all: what a person wrote while this was prepared is part of the plan before anything starts. */
async function* isReadAnew(context: RunContext, task: Task, baseline: Baseline): Steps<boolean> {
  remember(context, task.id, (all) => baselineTaken(asStarted(all, task), baseline));
  const adoption = await adoptWhileRunning(context);
  if (adoption !== null) yield { event: adoption };
  return adoption !== null;
}

function inHand(context: RunContext, { id }: Task, { session, planned }: SessionStart): Begun {
  const counted = planned === undefined ? {} : { planned };
  const started = { task_id: id, session, run_id: context.runId, ...counted };
  return { kind: "attempt-started", ...fact(context), ...started };
}

/** What no commit can hold, or others replaced, is nothing to find done, whatever checks say about it. */
function whatIsThere(context: RunContext, task: Task, laid: Laid): Verification {
  const memory = memoryOfStarted(context, task);
  const left = isStillThere(context, memory) ? uncommittableIn(memory) : undefined;
  const byChunks = chunksThatDidIt(context, task);
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
      chunks: byChunks,
    },
    checks: task.checks ?? [],
    laid: { tree: laid.tree, base: laid.tip.tree },
    files: (byChunks.length > 0 ? memoryOf(context, task.id) : memory).changed ?? {},
    hindrance: hindranceOf(left?.problems, laid),
    ...(byChunks.length > 0 && { said: committedAs(context, byChunks) }),
  };
}

/** What a person is asked about where the work is in commits of its own: a yes is one to these. */
function committedAs({ holder }: RunContext, chunks: readonly TaskId[]): string {
  return holder.state.tasks
    .flatMap((task) =>
      task.status === "done" && chunks.includes(task.id)
        ? [`${task.id} "${task.title}" is committed as ${task.commit ?? "nothing of its own"}`]
        : [],
    )
    .join("\n");
}

/**
 * Where a person wants it done again, or said no to what its chunks made, or a session of its own followed them,
 * they are not what did it.
 */
function chunksThatDidIt({ holder }: RunContext, task: Task): readonly TaskId[] {
  const { tasks, approval_items } = holder.state;
  const isFirst = task.split_after === task.attempts && task.reopened === undefined;
  const last = approval_items.findLast(
    ({ kind, task_id }) => kind === "task-after" && task_id === task.id,
  );
  return isFirst && last?.status !== "denied" ? doneByChunks(tasks, task) : [];
}

/** What the session is given, kept before its attempt is persisted. */
async function freezeStart(
  context: RunContext,
  tasks: readonly Task[],
  agent: string,
  laid: Laid,
  more: Pick<SessionStart, "outside" | "by_hand">,
): Promise<SessionStart> {
  const session = context.holder.state.counters.sessions + 1;
  const text = knownText(context);
  const { byId } = writtenTasks(text, context.holder.state.tasks);
  const start: SessionStart = {
    session,
    agent,
    tasks: await frozenTasks(context, tasks, text),
    planned: plannedCounts(tasks, ({ id }) => byId.get(id)?.planned),
    start: { tree: laid.tree, base: laid.tip.tree },
    manifest: text,
    ...(context.lane === undefined ? {} : { lane: context.lane }),
    started_at: nowOf(context),
    ...more,
  };
  keepStart(context, start);
  return start;
}

/**
 * What the last session on a task asked for has been answered: whatever it left, it had not ended what
 * it was at, so another session is told the answer.
 */
function isAnswerOwed(context: RunContext, task: Task, { measured }: TaskMemory): boolean {
  const { approval_items, questions } = context.holder.state;
  const last = measured === undefined ? undefined : readStart(context, measured);
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
function isMarked(context: RunContext, { id }: Task): boolean {
  const { byId } = writtenTasks(knownText(context), context.holder.state.tasks);
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
function tellOfChange(context: RunContext, session: number, agent: string): void {
  const { agent_limits = [] } = context.holder.state;
  const last = readStart(context, session - 1);
  const before = last?.outside === true ? undefined : last?.agent;
  if (before === undefined || before === agent) return;
  const limit = agent_limits.find((each) => each.agent === before);
  const why = limit === undefined ? "" : ` (${before}: ${limit.reason})`;
  context.tell({ kind: "notice", text: `session ${session} is by ${agent}${why}` });
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
    const { changed = {} } = memoryOfStarted(context, task);
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
