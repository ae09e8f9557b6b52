// How a person enters a run. Whoever calls `run` approves the manifest as it stands, unless it asks for
// an explicit word; every command it may execute is told first.
import { counted } from "../../core/words/amounts.ts";
import { isFinished } from "../../core/eligibility.ts";
import type { ProjectEvent } from "../../core/events.ts";
import type { Instant } from "../../core/instant.ts";
import { isTerminal } from "../../core/project-state.ts";
import type { ProjectState } from "../../core/schema/project.ts";
import { toldCommands } from "../../core/schema/run-records.ts";
import {
  commandsOfTask,
  commandsOfWorkspace,
  consentOf,
  planRequests,
} from "../../engine/people/consent.ts";
import { adoptPersonsChanges } from "../../engine/people/adopt-manifest.ts";
import { type Keeping, keepRecordWithNext, readKept } from "../../engine/base/kept-record.ts";
import { persist, reportRound } from "../../engine/base/persist.ts";
import type { RunContext } from "../../engine/base/run-context.ts";
import { assertPerson, nowOf, type System } from "../system.ts";
import { granted, type RunInput } from "./run-settings.ts";
import { newAdvice } from "./new-advice.ts";
import { writtenPlan } from "../manifest-file.ts";
import type { Sha256 } from "../../core/schema/scalar.ts";
import { judgePersistence, PERSISTENCE_VERIFIED } from "../../core/history.ts";
import { StintError } from "../../core/stint-error.ts";
import { type Holder, keptPath } from "../../store/store.ts";
import { examineEvidence } from "../verify.ts";

/**
 * Brings the project to where rounds can begin: read, approved, resumed, unblocked. `workspace` are the
 * commands that the settings name for the workspace; those of the manifest are found here.
 */
export async function enterRun(
  system: System,
  context: RunContext,
  input: RunInput,
  workspace: readonly string[],
): Promise<void> {
  const { holder } = context;
  const say = (text: string): void => input.tell({ kind: "notice", text });
  const kept = { store: system.store, holder };
  if (holder.state.plan !== null && !isTerminal(holder.state)) {
    for (const command of newToPerson(kept, workspace)) say(`may run: ${command}`);
    keepRecordWithNext(kept, TOLD, workspace);
  }
  if (input.unattended !== undefined) {
    await enterUnattended(system, context, input.unattended);
    return;
  }
  if (holder.state.status === "Draft" || input.retry === true || input.grant !== undefined) {
    assertPerson(system, "what a run may do");
  }
  const at = nowOf(system);
  const byPerson = { at, by: system.user };
  const save = (event: ProjectEvent): void => void persist({ holder }, event);
  const before = holder.state.status === "Draft" ? null : holder.state.manifest.digest;
  await adoptBeforeWork(system, context);
  const { state } = holder;
  if (isTerminal(state)) return;
  for (const text of await adviceOn(system, context, { before, input })) say(text);
  const consents = input.resumes !== true && isConsentDue(system, state);
  if (state.plan === null || consents) {
    for (const command of toBeTold(system, state, workspace)) say(`may run: ${command}`);
    if (state.plan === null) keepRecordWithNext(kept, TOLD, workspace);
  }
  setBudgets(system, holder, granted({ ...state.budgets, ...input.budgets }, input.grant ?? {}));
  if (state.status === "Draft") approvePlan(context, input, byPerson, save);
  else if (consents) {
    assertPerson(system, "what a run may execute");
    const { digest } = state.manifest;
    save({ kind: "commands-consented", ...byPerson, digest, channel: "stint run" });
  }
  const limits = state.agent_limits ?? [];
  if (input.now === true && limits.length > 0) {
    save({ kind: "limits-lifted", ...byPerson, which: "all" });
  } else if (limits.some(({ until }) => until === undefined)) {
    save({ kind: "limits-lifted", ...byPerson, which: "endless" });
  }
  if (state.status === "Paused") save({ kind: "resumed", ...byPerson, fence: holder.lease.fence });
  if (holder.state.blockers.some((blocker) => blocker.task_id === undefined)) {
    save({ kind: "unblocked", ...byPerson, reason: "a person started the run again" });
  }
  if (input.retry === true) {
    for (const task of state.tasks) {
      if (task.status === "blocked") save({ kind: "task-retried", ...byPerson, task_id: task.id });
    }
  }
}

const TOLD = keptPath("logs", "told-commands.json");

/** Of the commands of the settings file. Nobody is asked about these, so what changed since is told before it runs. */
function newToPerson(kept: Keeping, workspace: readonly string[]): readonly string[] {
  const written = commandsOfWorkspace(kept.store, kept.holder.state);
  const known = new Set([...written, ...(readKept(kept, TOLD, toldCommands) ?? [])]);
  return workspace.filter((command) => !known.has(command));
}

/** A person's limits. */
export function setBudgets(system: System, holder: Holder, budgets: ProjectState["budgets"]): void {
  if (JSON.stringify(budgets) === JSON.stringify(holder.state.budgets)) return;
  persist({ holder }, { kind: "budgets-changed", at: nowOf(system), by: system.user, budgets });
}

/** Goes on where a run was, and decides nothing that is a person's. @throws refused */
async function enterUnattended(system: System, context: RunContext, why: string): Promise<void> {
  const { holder } = context;
  const { status, pause, project_id, owner_agent: by } = holder.state;
  if (isTerminal(holder.state)) return;
  const at = nowOf(system);
  const isOver = pause?.resume_at !== undefined && pause.resume_at <= at;
  if (status === "Draft" || (status === "Paused" && !isOver)) {
    const reason =
      pause === null ? "nobody has approved its plan" : `it is paused: ${pause.reason}`;
    throw new StintError(
      "refused",
      `${project_id} waits for a person: ${reason}`,
      `Continue it yourself: stint resume ${project_id}`,
    );
  }
  holder.note({
    at,
    by: "watchdog",
    kind: "watchdog-resumed",
    summary: `continues unattended: ${why}`,
  });
  await adoptBeforeWork(system, context);
  if (status === "Paused") {
    persist({ holder }, { kind: "resumed", at, by, fence: holder.lease.fence });
  }
}

/** What a person wrote since the last run is part of what they start now. */
async function adoptBeforeWork(system: System, context: RunContext): Promise<void> {
  if (context.holder.state.status === "Done") await reopenIfChanged(system, context);
  const { state } = context.holder;
  if (isTerminal(state) || state.current_task_id !== null) return;
  const adoption = await adoptPersonsChanges(context);
  if (adoption !== null) reportRound(context, persist(context, adoption));
}

/** Done was said of another manifest: who starts a run of the changed one wants that one done. */
async function reopenIfChanged(system: System, context: RunContext): Promise<void> {
  const { holder, checkout, person: by } = context;
  if (checkout.readManifest() === undefined) return;
  const adoption = await adoptPersonsChanges(context);
  if (adoption?.kind !== "manifest-adopted" || (adoption.changes ?? []).length === 0) return;
  assertPerson(system, "what a run may do");
  const { at } = adoption;
  const reason = `${holder.state.manifest.path} was changed after the project was Done`;
  const reopened = { kind: "reopened", at, by, reason, task_ids: [] } as const;
  reportRound(context, persist(context, reopened));
}

/** Who starts a run approves the manifest as it stands, unless it asks for an explicit word. */
function approvePlan(
  context: RunContext,
  input: RunInput,
  byPerson: { readonly at: Instant; readonly by: string },
  save: (event: ProjectEvent) => void,
): void {
  const { holder, store } = context;
  const { digest } = holder.state.manifest;
  const { settings } = writtenPlan(store, holder.state);
  if (settings["plan"] !== "review" || input.approvePlan === true) {
    const channel = input.approvePlan === true ? "stint run --approve-plan" : "stint run";
    save({ kind: "plan-approved", ...byPerson, digest, lint_errors: 0, channel });
    return;
  }
  for (const event of planRequests(store, holder.state, byPerson.at)) save(event);
}

/**
 * Commands that came into the manifest since the plan was approved: they were told just now, and who
 * starts the run allows them. A command that waits for its own answer, or was denied, is not among them.
 */
function isConsentDue(system: System, state: ProjectState): boolean {
  if (state.plan === null || isTerminal(state)) return false;
  const isAnswerDue = state.approval_items.some(
    ({ kind, status: at }) => kind === "command" && (at === "open" || at === "denied"),
  );
  const consent = consentOf(system.store, state);
  return (
    !isAnswerDue &&
    state.tasks.some((task) => !isFinished(task) && consent.missing(task).length > 0)
  );
}

/**
 * Every command that this call allows, once. What a person allowed before is known to them; what is not allowed is asked
 * about.
 */
function toBeTold(
  { store }: System,
  state: ProjectState,
  workspace: readonly string[],
): ReadonlySet<string> {
  const toDo = state.tasks.filter((task) => !isFinished(task));
  if (state.plan === null) {
    const written = [...commandsOfWorkspace(store, state), ...toDo.flatMap(commandsOfTask)];
    return new Set([...workspace, ...written]);
  }
  const consent = consentOf(store, state);
  return new Set([
    ...consent.missingOfWorkspace(),
    ...toDo.flatMap((task) => consent.missing(task)),
  ]);
}

/**
 * What lint would warn of, told once: all of it before the plan is approved, and later what came with the changes that
 * this run has just read.
 * `before` is the text as it was known; null: nobody was told anything yet.
 */
async function adviceOn(
  system: System,
  { holder, space }: Pick<RunContext, "holder" | "space">,
  { before, input }: { readonly before: Sha256 | null; readonly input: RunInput },
): Promise<readonly string[]> {
  const { entry, state } = holder;
  const { digest } = state.manifest;
  if (before === digest) return [];
  const textOf = (each: Sha256): string => system.store.manifestText(entry.project_id, each);
  return await newAdvice(system, entry, {
    before: before === null ? null : textOf(before),
    after: textOf(digest),
    isInPlace: space.kind === "in-place",
    includesChanges: input.includeChanges === true,
  });
}

/** @throws state-corrupt when something that was done is not preserved */
export function verifyBeforeWork(system: System, holder: Holder): void {
  const { entry, state, lease } = holder;
  if (state.counters.sessions === 0 || isTerminal(state)) return;
  const id = entry.project_id;
  const judged = judgePersistence(state, system.store.journal(id));
  const lost = examineEvidence(system, entry, state)
    .filter((each) => each.shadow !== "same" && each.folder !== "same")
    .map((each) => `the evidence ${each.path} of ${each.task_id} is ${each.shadow}`);
  const problems = [...Object.values(judged).flat(), ...lost];
  if (problems.length > 0) {
    throw new StintError(
      "state-corrupt",
      `${id}: work of earlier sessions is damaged or missing: ${problems.join("; ")}. Nothing was started.`,
      `See what is missing: stint verify ${id}; to continue anyway: stint resume ${id} --unverified`,
    );
  }
  const done = state.tasks.filter(({ status }) => status === "done").map((task) => task.id);
  holder.note({
    at: nowOf(system),
    by: lease.owner,
    kind: PERSISTENCE_VERIFIED,
    summary: `${id} was loaded with ${done.length} of ${counted(state.tasks.length, "task")} done; all of it is preserved`,
    data: { run_id: lease.run_id, pid: lease.pid, done: done.slice(-20), total: done.length },
  });
}
