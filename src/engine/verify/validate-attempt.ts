// The checks of an attempt that ended, and what they decide. The checks frozen at the session's start
// are the ones that count.
import type { SessionEnd } from "../../core/schema/session-records.ts";
import { isDestructive } from "../../agents/destructive-commands.ts";
import type { Outcome } from "../../agents/agent.ts";
import type { Situation } from "../../checks/judge-task.ts";
import type { Task } from "../../core/schema/task.ts";
import { grantOf } from "../../core/step/task-moves.ts";
import { sha256Of } from "../../store/digest.ts";
import type { RunContext } from "../base/run-context.ts";
import { readEnd, readStart } from "../base/session-record.ts";
import { checksFailed, uncommittableIn } from "../../core/task-memory.ts";
import { memoryOf, remember } from "../base/task-memory.ts";
import type { Steps } from "../base/steps.ts";
import { saidUnseen } from "../session/unseen-end.ts";
import { layWork } from "../space/task-work.ts";
import { failingKeys } from "./run-checks.ts";
import { conclude, hindranceOf, verifyTask } from "./verify-task.ts";

type Validating = Extract<Task, { status: "validating" }>;
type AfterSession = Extract<Situation, { at: "after-session" }>;

export async function* validateAttempt(context: RunContext, task: Validating): Steps {
  const { holder, store } = context;
  const id = holder.state.project_id;
  const { session, number } = task.attempt;
  const frozen = readStart(store, id, session)?.tasks.find(({ task_id }) => task_id === task.id);
  const memory = memoryOf(store, id, task.id);
  const left = uncommittableIn(memory);
  // Its work on top of everything that is committed by now: what is verified is what will be committed.
  const laid = await layWork(context, [task]);
  const verified = yield* verifyTask(context, {
    task,
    situation: { ...howItEnded(context, task), failedBefore: new Set(memory.failing) },
    checks: frozen?.checks ?? task.checks ?? [],
    laid: { tree: laid.tree, base: laid.tip.tree },
    files: frozen?.files ?? {},
    hindrance: hindranceOf(left?.session === session ? left.problems : undefined, laid),
  });
  const keys = failingKeys(verified.runs);
  remember(context, task.id, (all) => checksFailed(all, keys));
  const { event, rows } = conclude(context, verified, { attempt: number });
  if (event === null) throw new Error(`${task.id} was judged ${verified.verdict.kind}`);
  yield { event, rows };
}

/** What a session said, in as far as it counts where its checks fail. */
function howItEnded(context: RunContext, task: Validating): Omit<AfterSession, "failedBefore"> {
  const { session } = task.attempt;
  const end = readEnd(context.store, context.holder.state.project_id, session);
  const said = end === undefined ? saidUnseen(context, session) : end.outcome;
  const command = refusedCommand(said);
  const sha256 = command === null ? null : sha256Of(command);
  const allowed = sha256 === null ? undefined : grantOf(task, "destructive", sha256);
  const isRefused = command !== null && sha256 !== null && allowed === undefined;
  return {
    at: "after-session",
    gaveUp: said?.kind === "blocked" ? said.reason : null,
    refused: isRefused ? { text: command, sha256 } : null,
    excuse: excuseOf(end, allowed?.at),
  };
}

function refusedCommand(said: Outcome | null): string | null {
  return said?.kind === "denied" && isDestructive(said.command) ? said.command : null;
}

/** The attempt that was refused a command is given back; one that had the permission is not. */
function excuseOf(end: SessionEnd | undefined, allowedAt?: string): AfterSession["excuse"] {
  if (end === undefined) return "stopped";
  return allowedAt !== undefined && allowedAt > end.ended_at ? "approval" : null;
}
