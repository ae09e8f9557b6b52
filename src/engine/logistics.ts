// Tasks that Stint executes itself: a command or a webhook of the manifest, without a session. Once
// only: the intent is kept before the act and the result after it; an act whose result is unknown is
// verified by the task's checks or asked about, never blindly repeated.
import type { ProjectEvent } from "../core/events.ts";
import type { Task } from "../core/schema/task.ts";
import { sha256Of } from "../store/digest.ts";
import { type KeptPath, keptPath } from "../store/store.ts";
import { persist } from "./persist.ts";
import { reportRound } from "./report-round.ts";
import { keepRuns, runChecks } from "./run-checks.ts";
import { nowOf, type RunContext, runAuthor } from "./run-context.ts";

interface Intent {
  readonly act: string;
  readonly attempt: number;
}

interface Result {
  readonly ok: boolean;
  readonly summary: string;
  readonly output: string;
}

const TIMEOUT_MS = 10 * 60_000;
const OUTPUT_BYTES = 64 * 1024;

export async function runLogistics(context: RunContext, task: Task): Promise<void> {
  const { holder, store } = context;
  const id = holder.state.project_id;
  const act = task.run ?? `POST ${task.webhook}`;
  const attempt = task.attempts + 1;
  const intended = read(store.kept(id, pathOf(task, "intent"))) as Intent | undefined;
  const known = read(store.kept(id, pathOf(task, "result"))) as Result | undefined;
  if (intended !== undefined && known === undefined) {
    await settleUnknown(context, task, intended);
    return;
  }
  const isDone = intended?.act === act && known?.ok === true;
  const result = isDone ? known : await perform(context, task, { act, attempt });
  if (result.ok) await verify(context, task, result);
  else save(context, failed(context, task, result));
}

async function perform(context: RunContext, task: Task, intent: Intent): Promise<Result> {
  const { holder } = context;
  holder.keep(pathOf(task, "intent"), `${JSON.stringify(intent)}\n`);
  holder.note({ ...fact(context), kind: "act-intended", summary: `${task.id}: ${intent.act}` });
  const result =
    task.run === undefined ? await callWebhook(context, task) : await runOwn(context, task.run);
  holder.keep(pathOf(task, "result"), `${JSON.stringify(result)}\n`);
  holder.note({
    ...fact(context),
    kind: "act-performed",
    summary: `${task.id}: ${result.summary}`,
  });
  return result;
}

async function runOwn(context: RunContext, command: string): Promise<Result> {
  const limits = { timeoutMs: TIMEOUT_MS, maxOutputBytes: OUTPUT_BYTES };
  const run = await context.checks.runShell(command, limits);
  const summary = run.timedOut ? "timed out" : `exit code ${run.exitCode ?? "none"}`;
  return { ok: run.exitCode === 0, summary, output: context.checks.redact(run.output) };
}

async function callWebhook(context: RunContext, task: Task): Promise<Result> {
  const { state } = context.holder;
  const body = { project: state.project_id, task: task.id, title: task.title };
  try {
    const answer = await fetch(task.webhook ?? "", {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "idempotency-key": `${state.project_id}-${task.id}`,
      },
      body: JSON.stringify(body),
      redirect: "error",
      signal: AbortSignal.timeout(30_000),
    });
    const text = (await answer.text()).slice(0, OUTPUT_BYTES);
    return { ok: answer.ok, summary: `HTTP ${answer.status}`, output: context.checks.redact(text) };
  } catch (error) {
    return { ok: false, summary: `no answer: ${String(error)}`, output: "" };
  }
}

/** The run was killed between the act and its result. */
async function settleUnknown(context: RunContext, task: Task, intent: Intent): Promise<void> {
  const checks = task.checks ?? [];
  if (checks.length > 0) {
    const runs = await runChecks(context, checks, "after");
    if (runs.every((run) => run.passed)) {
      const result = { ok: true, summary: "found done by its checks", output: "" };
      context.holder.keep(pathOf(task, "result"), `${JSON.stringify(result)}\n`);
      await verify(context, task, result);
      return;
    }
  }
  const reason = `${task.id}: the run was killed while "${intent.act}" was under way; whether it took effect is unknown, so it is not repeated`;
  save(context, {
    kind: "task-blocked",
    ...fact(context),
    task_id: task.id,
    blocker: {
      kind: "unfulfillable",
      reason,
      unblock: `look whether it happened; check its box if it did, or: stint retry ${task.id}`,
    },
  });
}

async function verify(context: RunContext, task: Task, result: Result): Promise<void> {
  const attempt = Math.max(1, task.attempts);
  const runs = await runChecks(context, task.checks ?? [], "after");
  const kept = keepRuns(context, runs, task.id, attempt, "done");
  const failure = runs.find((run) => !run.passed);
  if (failure !== undefined) {
    save(context, failed(context, task, { ...result, summary: failure.summary }), kept.rows);
    return;
  }
  const record = JSON.stringify(
    { task: task.id, act: task.run ?? task.webhook, ...result },
    null,
    2,
  );
  const path = keptPath("artifacts", "evidence", task.id, attempt, "act.json");
  context.holder.keep(path, record);
  const act = { kind: "check", path, sha256: sha256Of(record) } as const;
  const proofs = kept.records.map((each) => each.evidence);
  save(
    context,
    { kind: "output-verified", ...fact(context), task_id: task.id, evidence: [act, ...proofs] },
    kept.rows,
  );
}

function failed(context: RunContext, task: Task, result: Result): ProjectEvent {
  return {
    kind: "task-blocked",
    ...fact(context),
    task_id: task.id,
    blocker: {
      kind: "unfulfillable",
      reason: `${task.id}: "${task.run ?? task.webhook}" failed (${result.summary})${result.output === "" ? "" : `: ${result.output.slice(0, 500)}`}`,
      unblock: `mend the cause, then: stint retry ${task.id}`,
    },
  };
}

function pathOf(task: Task, name: "intent" | "result"): KeptPath {
  return keptPath("artifacts", "logistics", task.id, `${name}.json`);
}

function read(bytes: Buffer | undefined): unknown {
  return bytes === undefined ? undefined : JSON.parse(bytes.toString("utf8"));
}

function save(context: RunContext, event: ProjectEvent, rows?: readonly string[]): void {
  reportRound(context, persist(context, event, rows));
}

function fact(context: RunContext) {
  return { at: nowOf(context), by: runAuthor(context) };
}
