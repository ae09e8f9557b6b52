// `run` and `resume`: take a project to Done, or to the next thing that only a person can decide.
// Whoever calls `run` approves the manifest as it stands; every command it may execute is told first.
import type { BudgetsSet } from "../core/budget-limits.ts";
import type { Permission } from "../core/permission.ts";
import type { ProjectEvent } from "../core/events.ts";
import { newRunId, type ProjectId, type RunId } from "../core/ids.ts";
import { type Instant, instantFromMs, msOf } from "../core/instant.ts";
import { isTerminal } from "../core/project-state.ts";
import type { Lease } from "../core/schema/lease.ts";
import type { ProjectState } from "../core/schema/project.ts";
import type { Task } from "../core/schema/task.ts";
import type { RunView } from "../core/schema/views.ts";
import { sessionsSpent } from "../core/step/budgets.ts";
import { StintError } from "../core/stint-error.ts";
import { normaliseManifest } from "../manifest/normalise-manifest.ts";
import { parseManifest } from "../manifest/parse-manifest.ts";
import { RUN_ID_VARIABLE, WORK_TREE_VARIABLE } from "../engine/run-marks.ts";
import { openRun } from "../engine/open-run.ts";
import { ownTrees } from "../engine/own-work.ts";
import { commandsOfTask, consentOf } from "../engine/consent.ts";
import { adoptPersonsChanges, isManifestHeld } from "../engine/manifest-changes.ts";
import { persist } from "../engine/persist.ts";
import { choicesFor, keepChoices } from "../engine/run-choices.ts";
import { planRequests } from "../engine/plan-request.ts";
import { placeOf, reportRound } from "../engine/report-round.ts";
import type { News, RunContext, RunSettings, StopWanted } from "../engine/run-context.ts";
import { requirePrograms } from "../engine/agent-program.ts";
import { runAgents } from "../engine/run-agents.ts";
import { runProject } from "../engine/run-project.ts";
import { waitUntil, type Woken } from "../engine/wait-until.ts";
import type { WorkTree } from "../engine/work-tree.ts";
import { findRepository } from "../store/repository.ts";
import type { Holder } from "../store/store.ts";
import { assertPerson } from "./assert-person.ts";
import { type Grant, granted } from "./grant.ts";
import { projectFor } from "./project-for.ts";
import { readConfig } from "./read-config.ts";
import { agentsFor, chooseSettings } from "./run-settings.ts";
import { runView } from "./run-view.ts";
import type { System } from "./system.ts";
import { verifyBeforeWork } from "./verify-before-work.ts";

export interface RunInput {
  /** A manifest, or a project by id, slug or manifest. */
  readonly target?: string | undefined;
  readonly agent?: string | undefined;
  /** Agents that take over, in this order, while those before them are refused. */
  readonly fallback?: readonly string[] | undefined;
  readonly session?: string | undefined;
  /** Agent, session policy and isolation are those of the run before, where none are given. */
  readonly resumes?: boolean;
  readonly approvePlan?: boolean;
  /** Gives every blocked task another attempt. */
  readonly retry?: boolean;
  readonly allowDirty?: boolean;
  readonly isolation?: "auto" | "on" | "off" | undefined;
  readonly model?: string | undefined;
  readonly permission?: Permission | undefined;
  /** Stop after so many sessions of this run. */
  readonly sessions?: number | undefined;
  /** Budgets a person sets, before the run begins. */
  readonly budgets?: BudgetsSet;
  /** Budgets a person adds to, after that. */
  readonly grant?: Grant | undefined;
  /** Start even when what earlier sessions left cannot be verified. */
  readonly unverified?: boolean;
  /** Tell the run in the exact lines of the multi-session method as well. */
  readonly report?: boolean;
  /** Try agents again at once, although their limits are not over. */
  readonly now?: boolean;
  /** False: end where every agent is limited, instead of waiting. */
  readonly wait?: boolean;
  readonly tell: (news: News) => void;
  readonly stopWanted: () => StopWanted | null;
  /** Given as soon as `stopWanted` answers, for a run that sleeps. */
  readonly stopping?: AbortSignal;
}

export async function run(system: System, input: RunInput): Promise<RunView> {
  refuseInsideOwnRun(system);
  const id = await projectFor(system, input.target);
  const first: Stretch = {
    project: id,
    run_id: newRunId((count) => system.host.randomBytes(count)),
    began: null,
  };
  let worked = await work(system, input, first);
  for (;;) {
    const { began, lease, state } = worked;
    const end = (why: string) => runView(system, { lease, project: id, began, why, input });
    if (!worked.waits || state.status !== "Paused") return await end(worked.why);
    const until = state.pause.resume_at;
    if (until === undefined) return await end(worked.why);
    const now = instantFromMs(system.host.nowMs());
    const { reason } = state.pause;
    input.tell({ kind: "waiting", project_id: id, until, now, reason });
    // Each stretch follows the wait before it.
    // oxlint-disable-next-line no-await-in-loop
    const woken = await waitUntil(system, {
      project: id,
      revision: state.revision,
      untilMs: msOf(until),
      signal: input.stopping ?? NEVER,
    });
    if (woken.by !== "time") return await end(whyLeft(woken, input, id, reason));
    // oxlint-disable-next-line no-await-in-loop
    worked = await work(system, input, { ...first, began });
  }
}

/** A run without waits has one stretch; each wait for its agents begins another. */
interface Stretch {
  readonly project: ProjectId;
  readonly run_id: RunId;
  /** Null for the first one. */
  readonly began: Began | null;
}

interface Began {
  readonly revision: number;
  readonly atMs: number;
  /** Sessions that counted before this run. */
  readonly sessions: number;
}

interface Worked {
  readonly began: Began;
  readonly lease: Lease;
  readonly state: ProjectState;
  readonly why: string;
  /** Whether the run goes on by itself after a pause that has an end. */
  readonly waits: boolean;
}

const NEVER = new AbortController().signal;

/** From taking the lease to giving it back. */
async function work(system: System, input: RunInput, stretch: Stretch): Promise<Worked> {
  const { project: id, run_id } = stretch;
  const holder = system.store.acquire(id, { owner: system.user, run_id });
  const { revision, counters } = holder.state;
  const sessions = sessionsSpent(counters);
  const began = stretch.began ?? { revision, atMs: system.host.nowMs(), sessions };
  try {
    for (const line of holder.healed) input.tell({ kind: "notice", text: line });
    const { root } = holder.entry;
    const config = await readConfig(root);
    const text = system.store.manifestText(id, holder.state.manifest.digest);
    const { agent, fallback, session, isolation, model, permission } = input;
    const here = { called_from: system.cwd, fallback_from: system.cwd };
    const typed = { agent, fallback, ...here, session, isolation, model, permission };
    const choices = choicesFor(holder, system.store, typed, input.resumes === true);
    const chosen = chooseSettings(
      { ...input, ...choices },
      normaliseManifest(parseManifest(text)).plan.settings,
      config,
    );
    const agents = runAgents({
      specsFor: (task) => agentsFor(task, choices, chosen.agents),
      calledFrom: (spec) =>
        (spec === choices.agent ? choices.called_from : choices.fallback_from) ?? system.cwd,
      scriptedProgram: system.scriptedProgram,
      root,
      env: system.env,
    });
    // A wrong name, or a program that is not there, is told before anything is started.
    requirePrograms(holder.state.tasks, agents, root, system.env);
    keepChoices(holder, system.store, choices, system.env);
    const context = openRun({
      holder,
      store: system.store,
      host: system.host,
      person: system.user,
      env: system.env,
      stateHome: system.stateHome,
      hasGit: findRepository(root).gitFolder !== null,
      ...chosen,
      browser: { configured: config.browser, program: system.browserProgram },
      notify: config.notify,
      settings: { ...chosen.settings, ...stopAfter(began, input.sessions) },
      agents,
      tell: input.tell,
      stopWanted: input.stopWanted,
      mailbox: system.mailbox,
    });
    if (holder.state.current_task_id === null) {
      await clearTheWay(context.tree, ownTrees(system.store, holder.state), input.tell);
    }
    if (input.unverified !== true) verifyBeforeWork(system, holder);
    if (stretch.began === null) {
      const { project_id, slug } = holder.entry;
      input.tell({ kind: "started", project_id, slug, place: placeOf(holder.state) });
      enter(system, context, input);
    } else {
      input.tell({ kind: "woken" });
      goOn(system, holder);
    }
    applyBudgets(system, holder, config.attempts_per_task);
    const { why } = await runProject(context)
      .catch(async (error: unknown) => {
        // Whatever broke the run is what is to be told; a notice that cannot be kept changes nothing.
        await context.notices?.settle(() => true).catch(() => {});
        throw error;
      })
      .finally(() => context.answers.close());
    await context.notices?.settle(() => input.stopWanted() !== null);
    const { lease, state } = holder;
    holder.release();
    return { began, lease, state, why, waits: input.wait !== false && config.wait !== false };
  } catch (error) {
    releaseQuietly(holder);
    throw error;
  }
}

/** The wait ended by itself: nobody decided anything, so no limit is lifted and nothing unblocked. */
function goOn(system: System, holder: Holder): void {
  const at = instantFromMs(system.host.nowMs());
  const by = holder.state.owner_agent;
  persist({ holder }, { kind: "resumed", at, by, fence: holder.lease.fence });
}

/** Why the run ends although its agents are still limited. */
function whyLeft(
  woken: Exclude<Woken, { by: "time" }>,
  input: RunInput,
  id: ProjectId,
  reason: string,
): string {
  switch (woken.by) {
    case "signal":
      return `${input.stopWanted()?.reason ?? "it was stopped"} while it waited (${reason})`;
    case "change": {
      const { status, last_event } = woken.state;
      const what = last_event === null ? "" : ` (${last_event.by}: ${last_event.summary})`;
      return `somebody else changed the project while this run waited${what}; it is ${status} now`;
    }
    case "other-run":
      throw new StintError(
        "lease-held",
        `another run went on with ${id} while this one waited: ${woken.lease.why}`,
        `See what it does: stint status ${id}`,
      );
    default:
      return woken satisfies never;
  }
}

/** A session or a check of a run cannot start another run in the same work tree. */
function refuseInsideOwnRun({ cwd, env, descent }: System): void {
  const outer = env[RUN_ID_VARIABLE];
  // Who cleared the variables that say where it belongs belongs here.
  const isElsewhere = outer !== undefined && env[WORK_TREE_VARIABLE] !== findRepository(cwd).root;
  if (isElsewhere || descent() === null) return;
  throw new StintError(
    "lease-held",
    `${outer === undefined ? "a run" : `run ${outer}`} is at work here and started this very process; it starts every session itself`,
    "Do your own task and end; the run goes on with the next one.",
  );
}

async function clearTheWay(
  tree: WorkTree,
  ours: readonly string[] | "all",
  tell: (news: News) => void,
): Promise<void> {
  const way = await tree.clearTheWay(ours);
  if (way.kind === "set-aside") tell({ kind: "notice", text: way.what });
  if (way.kind !== "obstacle") return;
  throw new StintError(
    "bad-input",
    `the work tree is not ready: ${way.why}`,
    "Commit or stash your changes (git stash), or run with --allow-dirty to take them as part of the work.",
  );
}

/** A person's file says how often a task may be tried; no attempt already made is forgotten. */
function applyBudgets(system: System, holder: Holder, attempts: number | undefined): void {
  const { budgets, status: now } = holder.state;
  if (attempts === undefined || attempts === budgets.attempts_per_task) return;
  if (now === "Done" || now === "Abandoned") return;
  const at = instantFromMs(system.host.nowMs());
  const changed = { ...budgets, attempts_per_task: attempts };
  persist({ holder }, { kind: "budgets-changed", at, by: system.user, budgets: changed });
}

/** Brings the project to where rounds can begin: read, approved, resumed, unblocked. */
function enter(system: System, context: RunContext, input: RunInput): void {
  const { holder } = context;
  if (holder.state.status === "Draft" || input.retry === true || input.grant !== undefined) {
    assertPerson(system, "what a run may do");
  }
  const at = instantFromMs(system.host.nowMs());
  const byPerson = { at, by: system.user };
  const save = (event: ProjectEvent): void => void persist({ holder }, event);
  adoptBeforeWork(system, context);
  const { state } = holder;
  for (const command of commandsOf(state))
    input.tell({ kind: "notice", text: `may run: ${command}` });
  if (state.status === "Draft") approvePlan(context, input, byPerson, save);
  else if (input.resumes !== true && isConsentDue(system, state)) {
    assertPerson(system, "what a run may execute");
    const { digest } = state.manifest;
    save({ kind: "commands-consented", ...byPerson, digest, channel: "stint run" });
  }
  const budgets = granted({ ...state.budgets, ...input.budgets }, input.grant ?? {});
  if (!isTerminal(state) && JSON.stringify(budgets) !== JSON.stringify(state.budgets)) {
    save({ kind: "budgets-changed", ...byPerson, budgets });
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

/** What a person wrote since the last run is part of what they start now. */
function adoptBeforeWork(system: System, context: RunContext): void {
  const { state } = context.holder;
  if (state.status === "Done") reopenIfChanged(system, context);
  const { status: now, manifest, current_task_id } = context.holder.state;
  if (now === "Done" || now === "Abandoned") return;
  if (manifest.window !== undefined || isManifestHeld(state) || current_task_id !== null) return;
  const adoption = adoptPersonsChanges(context);
  if (adoption !== null) reportRound(context, persist(context, adoption));
}

/** Done was said of another manifest: who starts a run of the changed one wants that one done. */
function reopenIfChanged(system: System, context: RunContext): void {
  const { holder, tree, person: by } = context;
  if (tree.readManifest() === undefined) return;
  const adoption = adoptPersonsChanges(context);
  if (adoption === null || (adoption.changes ?? []).length === 0) return;
  assertPerson(system, "what a run may do");
  const { at } = adoption;
  const reason = `${holder.state.manifest.path} was changed since it was done`;
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
  const text = store.manifestText(holder.state.project_id, digest);
  const { settings } = normaliseManifest(parseManifest(text)).plan;
  if (settings["plan"] !== "review" || input.approvePlan === true) {
    const channel = input.approvePlan === true ? "stint run --approve-plan" : "stint run";
    save({ kind: "plan-approved", ...byPerson, digest, lint_errors: 0, channel });
    return;
  }
  for (const event of planRequests(holder.state, byPerson.at)) save(event);
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
    !isAnswerDue && state.tasks.some((task) => isToDo(task) && consent.missing(task).length > 0)
  );
}

function isToDo({ status: at }: Task): boolean {
  return at !== "done" && at !== "skipped" && at !== "superseded";
}

function stopAfter(began: Began, sessions: number | undefined): Pick<RunSettings, "stopAfter"> {
  if (sessions === undefined) return {};
  const asked = sessions === 1 ? "1 session was" : `${sessions} sessions were`;
  const reason = `${asked} asked for (--sessions ${sessions})`;
  return { stopAfter: { session: began.sessions + sessions, reason } };
}

/** Every command the manifest may still make Stint execute. */
function commandsOf(state: ProjectState): string[] {
  return [...new Set(state.tasks.filter(isToDo).flatMap(commandsOfTask))];
}

function releaseQuietly(holder: Holder): void {
  try {
    holder.release();
  } catch (error) {
    if (!(error instanceof StintError)) throw error;
  }
}
