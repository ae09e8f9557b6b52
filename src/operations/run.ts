// `run` and `resume`: take a project to Done, or to the next thing that only a person can decide.
// Whoever calls `run` approves the manifest as it stands; every command it may execute is told first.
import { existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import type { Permission } from "../agents/agent.ts";
import { chooseAgent } from "../agents/agents.ts";
import type { ProjectEvent } from "../core/events.ts";
import { newRunId, type ProjectId } from "../core/ids.ts";
import { instantFromMs } from "../core/instant.ts";
import type { ProjectState } from "../core/schema/project.ts";
import type { Task } from "../core/schema/task.ts";
import type { RunView } from "../core/schema/views.ts";
import { StintError } from "../core/stint-error.ts";
import { normaliseManifest } from "../manifest/normalise-manifest.ts";
import { parseManifest } from "../manifest/parse-manifest.ts";
import { RUN_ID_VARIABLE, WORK_TREE_VARIABLE } from "../engine/run-marks.ts";
import { openRun } from "../engine/open-run.ts";
import { ownTrees } from "../engine/own-work.ts";
import { persist } from "../engine/persist.ts";
import { choicesFor, keepChoices } from "../engine/run-choices.ts";
import { placeOf } from "../engine/report-round.ts";
import type { News, RunSettings, StopWanted } from "../engine/run-context.ts";
import { runProject } from "../engine/run-project.ts";
import type { WorkTree } from "../engine/work-tree.ts";
import { findRepository } from "../store/repository.ts";
import type { Holder } from "../store/store.ts";
import { requireProgram } from "./agent-program.ts";
import { type Grant, granted } from "./grant.ts";
import { newProject } from "./new-project.ts";
import { readConfig } from "./read-config.ts";
import { resolveProject } from "./resolve-project.ts";
import { chooseSettings } from "./run-settings.ts";
import { runView } from "./run-view.ts";
import type { System } from "./system.ts";
import { verifyBeforeWork } from "./verify-before-work.ts";

export interface RunInput {
  /** A manifest, or a project by id, slug or manifest. */
  readonly target?: string | undefined;
  readonly agent?: string | undefined;
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
  /** Budgets a person adds to, before the run begins. */
  readonly grant?: Grant | undefined;
  /** Start even when what earlier sessions left cannot be verified. */
  readonly unverified?: boolean;
  /** Tell the run in the exact lines of the multi-session method as well. */
  readonly report?: boolean;
  readonly tell: (news: News) => void;
  readonly stopWanted: () => StopWanted | null;
}

export async function run(system: System, input: RunInput): Promise<RunView> {
  refuseInsideOwnRun(system);
  const id = await projectFor(system, input.target);
  const holder = system.store.acquire(id, {
    owner: system.user,
    run_id: newRunId((count) => system.host.randomBytes(count)),
  });
  const began = { revision: holder.state.revision, atMs: system.host.nowMs() };
  try {
    for (const line of holder.healed) input.tell({ kind: "notice", text: line });
    const { root } = holder.entry;
    const config = await readConfig(root);
    const text = system.store.manifestText(id, holder.state.manifest.digest);
    const { agent, session, isolation, model, permission } = input;
    const typed = { agent, called_from: system.cwd, session, isolation, model, permission };
    const choices = choicesFor(holder, system.store, typed, input.resumes === true);
    const chosen = chooseSettings(
      { ...input, ...choices },
      normaliseManifest(parseManifest(text)).plan.settings,
      config,
    );
    const nameFor = (task: Task): string => choices.agent ?? task.agent ?? chosen.agent;
    const agentOf = (name: string) =>
      chooseAgent(name, {
        calledFrom: choices.called_from ?? system.cwd,
        scriptedProgram: system.scriptedProgram,
      });
    // A wrong name, or a program that is not there, is told before anything is started.
    for (const name of new Set(holder.state.tasks.filter(needsAgent).map(nameFor))) {
      requireProgram(agentOf(name), root, system.env);
    }
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
      settings: { ...chosen.settings, ...stopAfter(holder.state, input.sessions) },
      agentFor: (task) => agentOf(nameFor(task)),
      tell: input.tell,
      stopWanted: input.stopWanted,
    });
    if (holder.state.current_task_id === null) {
      await clearTheWay(context.tree, ownTrees(system.store, holder.state), input.tell);
    }
    if (input.unverified !== true) verifyBeforeWork(system, holder);
    const { lease, entry } = holder;
    const { project_id, slug } = entry;
    input.tell({ kind: "started", project_id, slug, place: placeOf(holder.state) });
    enter(system, holder, input);
    applyBudgets(system, holder, config.attempts_per_task);
    const end = await runProject(context);
    holder.release();
    return await runView(system, { lease, project: id, began, why: end.why, input });
  } catch (error) {
    releaseQuietly(holder);
    throw error;
  }
}

function needsAgent({ status, run: command, webhook }: Task): boolean {
  return status === "pending" && command === undefined && webhook === undefined;
}

/** A session or a check of a run cannot start another run in the same work tree. */
function refuseInsideOwnRun({ cwd, env }: System): void {
  const outer = env[RUN_ID_VARIABLE];
  if (outer === undefined || env[WORK_TREE_VARIABLE] !== findRepository(cwd).root) return;
  throw new StintError(
    "lease-held",
    `run ${outer} is at work here and started this very process; it starts every session itself`,
    "Do your own task and end; the run goes on with the next one.",
  );
}

async function projectFor(system: System, target: string | undefined): Promise<ProjectId> {
  const path = target === undefined ? undefined : resolve(system.cwd, target);
  const isFile = path !== undefined && existsSync(path) && statSync(path).isFile();
  if (!isFile || target === undefined) return resolveProject(system, target);
  try {
    return await resolveProject(system, target);
  } catch (error) {
    if (!(error instanceof StintError) || error.code !== "not-found") throw error;
    return (await newProject(system, { manifest: target })).project.id;
  }
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

/** Brings the project to where rounds can begin: approved, resumed, unblocked. */
function enter(system: System, holder: Holder, input: RunInput): void {
  const at = instantFromMs(system.host.nowMs());
  const byPerson = { at, by: system.user };
  const { state } = holder;
  for (const command of commandsOf(state))
    input.tell({ kind: "notice", text: `may run: ${command}` });
  const save = (event: ProjectEvent): void => void persist({ holder }, event);
  if (state.status === "Draft") {
    save({
      kind: "plan-approved",
      ...byPerson,
      digest: state.manifest.digest,
      lint_errors: 0,
      channel: "stint run",
    });
  }
  if (input.grant !== undefined) {
    save({ kind: "budgets-changed", ...byPerson, budgets: granted(state.budgets, input.grant) });
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

function stopAfter(
  { counters }: ProjectState,
  sessions: number | undefined,
): Pick<RunSettings, "stopAfter"> {
  if (sessions === undefined) return {};
  const asked = sessions === 1 ? "1 session was" : `${sessions} sessions were`;
  const reason = `${asked} asked for (--sessions ${sessions})`;
  return { stopAfter: { session: counters.sessions + sessions, reason } };
}

/** Every command the manifest may make Stint execute. */
function commandsOf(state: ProjectState): string[] {
  const commands = state.tasks
    .filter((task) => task.status !== "done")
    .flatMap((task) => [
      ...(task.checks ?? []).flatMap((check) => (check.kind === "command" ? [check.command] : [])),
      ...(task.run === undefined ? [] : [task.run]),
      ...(task.webhook === undefined ? [] : [`POST ${task.webhook}`]),
    ]);
  return [...new Set(commands)];
}

function releaseQuietly(holder: Holder): void {
  try {
    holder.release();
  } catch (error) {
    if (!(error instanceof StintError)) throw error;
  }
}
