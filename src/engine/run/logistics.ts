// Tasks that Stint executes itself: a command or a webhook of the manifest, without a session. Once
// only: the intent is kept before the act and the result after it; an act whose result is unknown is
// verified by the task's checks or asked about, never blindly repeated.
import { actFailed } from "../../checks/verdict-event.ts";
import { actStanding, actText, runText } from "../../core/acts.ts";
import type { BlockerFound, ProjectEvent } from "../../core/events.ts";
import type { ActIntent, ActResult } from "../../core/schema/run-records.ts";
import type { Task } from "../../core/schema/task.ts";
import { Interrupted } from "../../core/stint-error.ts";
import { begunAnew, begunIn, uncommittableIn, workBegun } from "../../core/task-memory.ts";
import { filledAddress } from "../../core/written/address.ts";
import { boundedBody, calledAddress, whyNoAnswer, withinTime } from "../../process/call-server.ts";
import { sha256Of } from "../../store/digest.ts";
import { conclude, hindranceOf, type Verified, verifyTask } from "../attempt/verify-task.ts";
import { fact } from "../base/fact.ts";
import {
  actPath,
  actProofPath,
  keepRecord,
  memoryOf,
  readAct,
  remember,
} from "../base/kept-record.ts";
import type { Step, Steps } from "../base/persist.ts";
import type { RunContext } from "../base/run-context.ts";
import { whileWanted } from "../base/while-wanted.ts";
import { deliverAndRecord } from "../finish/deliver.ts";
import { setUp } from "../space/set-up.ts";
import { captureWork, layWork, type SpaceContext } from "../space/task-work.ts";
import { startFolder } from "../space/workspace-commands.ts";

type ActOutcome = Omit<ActResult, "revision">;

/** An act that was not begun, and what a person does about that. */
type Performed = ActResult & { readonly unblock?: string };

const TIMEOUT_MS = 10 * 60_000;
const OUTPUT_BYTES = 64 * 1024;
const ANSWER_MS = 30_000;

export async function* runLogistics(context: RunContext, task: Task): Steps {
  const text = actText(task);
  if (text === null) throw new Error(`${task.id} has no act`);
  const { intended, known } = readAct(context, task.id);
  const standing = actStanding(task, intended, known);
  const isWanted = standing === "wanted-again" || standing === "wanted-anew";
  if (isWanted || standing === "unknown") {
    // A person who wants it again may have seen it done: then its checks say so.
    const found = yield* foundDone(context, task, isWanted);
    if (found !== null) yield found;
    else if (!isWanted) yield { event: unknown(context, task, intended?.act ?? text) };
    if (found !== null || !isWanted) return;
  }
  const isKnown = standing === "known" && known !== undefined && intended?.act === text;
  const before = standing === "wanted-anew" ? undefined : intended;
  const result: Performed = isKnown ? known : yield* perform(context, task, before, text);
  if (!result.ok) {
    const act = { text: runText(task) ?? task.webhook ?? "", output: result.output };
    const found = actFailed({ task, act }, result.summary);
    const { unblock } = result;
    yield {
      event: blockedFor(context, task, unblock === undefined ? found : { ...found, unblock }),
    };
    return;
  }
  const verified = yield* verifyAct(context, task, result);
  yield concludeAct(context, verified, result);
}

/**
 * What an act changed is captured once it has ended, and the tags that it made are taken over; so is what a
 * person changed in a shell; of those that were killed, by the next run.
 * @returns what became of tags, which is told
 */
export async function captureActs(context: SpaceContext): Promise<readonly string[]> {
  const { tasks, counters } = context.holder.state;
  const said: string[] = [];
  for (const task of tasks) {
    const begun = begunIn(memoryOf(context, task.id));
    if (begun === undefined) continue;
    // First: once its work is captured, nobody asks for its tags again.
    // oxlint-disable-next-line no-await-in-loop
    said.push(...(await takeTags(context, task)));
    // oxlint-disable-next-line no-await-in-loop
    await captureWork(context, [task], {
      base: begun.base,
      session: counters.sessions,
      byPerson: begun.by === "person",
    });
  }
  return said;
}

async function takeTags({ space, tell }: SpaceContext, { id }: Task): Promise<readonly string[]> {
  const { taken, left } = await space.takeTags();
  const said = [
    ...taken.map((tag) => `${id} made the tag ${tag}; it is now in your repository`),
    ...left.map(({ tag, why }) => `the tag ${tag} of ${id} was not copied: ${why}`),
  ];
  for (const text of said) tell({ kind: "notice", text });
  return said;
}

async function* perform(
  context: RunContext,
  task: Task,
  before: ActIntent | undefined,
  act: string,
): Steps<Performed> {
  const { holder } = context;
  const stop = context.stopWanted();
  // Once the intent is kept, an act that never began would look like one whose result is unknown.
  if (stop !== null) throw new Interrupted(`${task.id} was not started: ${stop.reason}`);
  if (before === undefined) remember(context, task.id, begunAnew);
  // What it changes is its work, from the first time it is tried.
  const { tip } = await layWork(context, [task]);
  const { revision } = holder.state;
  // Everything before it is delivered first, so that what it pushes or tags is where it belongs.
  const delivery = yield* deliverAndRecord(context);
  if (isInCheckout(context, task)) {
    // Nothing is begun where the files it is meant for are not there.
    const why = "it must run in the checkout, and";
    if (delivery.kind === "waiting") {
      const summary = `${why} the work before it waits on ${delivery.branch}: ${delivery.why}`;
      const unblock = `${delivery.hint}; then: stint resume --retry`;
      return { ok: false, summary, output: "", revision, unblock };
    }
    const away = context.personsGit.away();
    if (away !== null) return { ok: false, summary: `${why} ${away}`, output: "", revision };
  } else {
    await setUp(context, task);
    const branch = delivery.kind === "in-place" ? "" : delivery.branch;
    await context.space.freshGit({ branch, canPush: true });
    remember(context, task.id, (memory) => workBegun(memory, tip.tree, "act"));
  }
  const { undone = 0, tried_again = 0 } = task;
  const intent = { act, revision, first: before?.first ?? revision, undone, tried_again };
  keepRecord(context, actPath(task.id, "intent"), intent);
  holder.note({ ...fact(context), kind: "act-intended", summary: `${task.id}: ${act}` });
  const told =
    task.run === undefined
      ? await callWebhook(context, task, intent)
      : await runOwn(context, task, task.run);
  const tags = await captureActs(context);
  const result: ActResult = { ...told, revision, ...(tags.length === 0 ? {} : { tags }) };
  keepRecord(context, actPath(task.id, "result"), result);
  holder.note({
    ...fact(context),
    kind: "act-performed",
    summary: [`${task.id}: ${result.summary}`, ...tags].join("; "),
  });
  return result;
}

async function runOwn(context: RunContext, task: Task, command: string): Promise<ActOutcome> {
  const isThere = isInCheckout(context, task);
  const root = isThere ? context.holder.entry.root : context.space.folder;
  const { dir, problem } = startFolder(context, task, root);
  if (problem !== null) return { ok: false, summary: problem, output: "" };
  const place = {
    ...(isThere && { in: "checkout" as const }),
    ...(task.protect !== undefined && { protect: task.protect }),
  };
  const limits = {
    timeoutMs: TIMEOUT_MS,
    maxOutputBytes: OUTPUT_BYTES,
    credentials: "all",
    dir,
    ...place,
  } as const;
  const run = await context.checks.runShell(command, limits);
  const summary = run.timedOut ? "timed out" : `exit code ${run.exitCode ?? "none"}`;
  return { ok: run.exitCode === 0, summary, output: context.checks.redact(run.output) };
}

async function callWebhook(
  context: RunContext,
  task: Task,
  intent: ActIntent,
): Promise<ActOutcome> {
  const { state } = context.holder;
  const body = { project: state.project_id, task: task.id, title: task.title };
  const filled = filledAddress(task.webhook ?? "", (name) => context.checks.variable(name));
  if (!filled.ok) return { ok: false, summary: `${filled.missing} is not set`, output: "" };
  const { address, authorization } = calledAddress(filled.url);
  return await whileWanted(context.stopWanted, `POST ${task.webhook}`, async (unwanted) => {
    try {
      return await withinTime(ANSWER_MS, unwanted, async (signal) => {
        const answer = await fetch(address, {
          method: "POST",
          headers: {
            "content-type": "application/json",
            ...(authorization === null ? {} : { authorization }),
            // The same for every try of one act, so that a receiver can tell a repeated one.
            "idempotency-key": `${state.project_id}-${task.id}-${intent.first}`,
          },
          body: JSON.stringify(body),
          redirect: "error",
          signal,
        });
        const { bytes } = await boundedBody(answer, OUTPUT_BYTES, signal);
        const output = context.checks.redact(bytes.toString("utf8"));
        return { ok: answer.ok, summary: `HTTP ${answer.status}`, output };
      });
    } catch (error) {
      if (unwanted.aborted) throw unwanted.reason;
      return { ok: false, summary: `no answer: ${whyNoAnswer(error, ANSWER_MS)}`, output: "" };
    }
  });
}

/** In place there is nothing else. */
function isInCheckout({ space }: RunContext, { run, in: place }: Task): boolean {
  return run !== undefined && place === "checkout" && space.kind !== "in-place";
}

/** The run ended between the act and its result. */
function unknown(context: RunContext, task: Task, act: string): ProjectEvent {
  const reason = `${task.id}: the run ended during "${act}"; whether it took effect is unknown, so it is not repeated`;
  return blockedFor(context, task, {
    kind: "unfulfillable",
    reason,
    unblock: `find out whether it happened; if it did, check its box; if not: stint resume --retry`,
  });
}

const FOUND: ActOutcome = { ok: true, summary: "its checks show that it is done", output: "" };

/**
 * Nobody knows whether an act took effect, unless the task has checks and they pass. Where only a
 * person's yes is missing they are asked; but one who said no and wants it again wants it done again.
 */
async function* foundDone(
  context: RunContext,
  task: Task,
  isWantedAgain: boolean,
): Steps<Step | null> {
  if ((task.checks ?? []).length === 0) return null;
  const verified = yield* verifyAct(context, task, FOUND);
  const { verdict, runs } = verified;
  const isAsked = verdict.kind === "yes-needed" && !(isWantedAgain && wasDenied(context, task));
  const isSeen = runs.some(({ passed }) => passed);
  return isSeen && (verdict.kind === "done" || isAsked)
    ? concludeAct(context, verified, FOUND)
    : null;
}

function wasDenied({ holder }: RunContext, { id }: Task): boolean {
  const last = holder.state.approval_items.findLast(
    ({ kind, task_id }) => kind === "task-after" && task_id === id,
  );
  return last?.status === "denied";
}

async function* verifyAct(context: RunContext, task: Task, result: ActOutcome): Steps<Verified> {
  const memory = memoryOf(context, task.id);
  const laid = await layWork(context, [task]);
  return yield* verifyTask(context, {
    task,
    situation: { at: "act" },
    checks: task.checks ?? [],
    laid: { tree: laid.tree, base: laid.tip.tree },
    files: memory.changed ?? {},
    hindrance: hindranceOf(uncommittableIn(memory)?.problems, laid),
    said: `${actText(task)}\n${result.summary}\n${result.output}`,
  });
}

function concludeAct(context: RunContext, verified: Verified, result: ActOutcome): Step {
  const { task } = verified.verification;
  const attempt = Math.max(1, task.attempts);
  const text = runText(task) ?? task.webhook ?? "";
  const record = JSON.stringify({ task: task.id, act: text, ...result }, null, 2);
  const path = actProofPath(task.id, attempt);
  if (verified.verdict.kind === "done") context.holder.keep(path, record);
  const { event, rows } = conclude(context, verified, {
    attempt,
    act: { text, ...result, record: { kind: "check", path, sha256: sha256Of(record) } },
  });
  if (event === null) throw new Error(`${task.id} was judged ${verified.verdict.kind}`);
  return { event, rows };
}

function blockedFor(context: RunContext, { id }: Task, blocker: BlockerFound): ProjectEvent {
  return { kind: "task-blocked", ...fact(context), task_id: id, blocker };
}
