// `run` and `resume`: take a project to Done, or to the next thing that only a person can decide.
// Whoever calls `run` approves the manifest as it stands; every command it may execute is told first.
import { existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { chooseAgent } from "../agents/agents.ts";
import type { ProjectEvent } from "../core/events.ts";
import { newRunId, type ProjectId } from "../core/ids.ts";
import { instantFromMs } from "../core/instant.ts";
import type { ProjectState } from "../core/schema/project.ts";
import type { StatusView } from "../core/schema/views.ts";
import { StintError } from "../core/stint-error.ts";
import { openRun } from "../engine/open-run.ts";
import { ownTrees } from "../engine/own-work.ts";
import { persist } from "../engine/persist.ts";
import type { News, RunSettings, StopWanted } from "../engine/run-context.ts";
import { runProject } from "../engine/run-project.ts";
import type { WorkTree } from "../engine/work-tree.ts";
import type { SessionLimits } from "../engine/session-process.ts";
import { findRepository } from "../store/repository.ts";
import type { Holder } from "../store/store.ts";
import { newProject } from "./new-project.ts";
import { resolveProject } from "./resolve-project.ts";
import { status } from "./status.ts";
import type { System } from "./system.ts";

export interface RunInput {
  /** A manifest, or a project by id, slug or manifest. */
  readonly target?: string | undefined;
  readonly agent?: string | undefined;
  readonly session?: string | undefined;
  readonly approvePlan?: boolean;
  /** Gives every blocked task another attempt. */
  readonly retry?: boolean;
  readonly allowDirty?: boolean;
  readonly isolation?: "auto" | "on" | "off";
  readonly limits?: Partial<SessionLimits>;
  readonly tell: (news: News) => void;
  readonly stopWanted: () => StopWanted | null;
}

export interface RunView {
  readonly why: string;
  readonly status: StatusView;
}

export async function run(system: System, input: RunInput): Promise<RunView> {
  const id = await projectFor(system, input.target);
  const holder = system.store.acquire(id, {
    owner: system.user,
    run_id: newRunId((count) => system.host.randomBytes(count)),
  });
  try {
    for (const line of holder.healed) input.tell({ kind: "notice", text: line });
    const agentFor = (task: { agent?: string | undefined }) =>
      chooseAgent(input.agent ?? task.agent ?? "claude", {
        calledFrom: system.cwd,
        scriptedProgram: system.scriptedProgram,
      });
    // A wrong name is told before anything is started.
    for (const task of holder.state.tasks) if (task.status === "pending") agentFor(task);
    const context = openRun({
      holder,
      store: system.store,
      host: system.host,
      person: system.user,
      env: system.env,
      stateHome: system.stateHome,
      hasGit: findRepository(holder.entry.root).gitFolder !== null,
      dirty: input.allowDirty === true ? "allow" : "refuse",
      isolation: input.isolation ?? "auto",
      ...(input.limits === undefined ? {} : { limits: input.limits }),
      settings: settingsOf(input.session),
      agentFor,
      tell: input.tell,
      stopWanted: input.stopWanted,
    });
    if (holder.state.current_task_id === null) {
      await refuseObstacle(context.tree, ownTrees(system.store, holder.state));
    }
    enter(system, holder, input);
    const end = await runProject(context);
    holder.release();
    return { why: end.why, status: await status(system, { project: id }) };
  } catch (error) {
    releaseQuietly(holder);
    throw error;
  }
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

async function refuseObstacle(
  tree: Pick<WorkTree, "obstacle">,
  ours: readonly string[] | "all",
): Promise<void> {
  const obstacle = await tree.obstacle(ours);
  if (obstacle === null) return;
  throw new StintError(
    "bad-input",
    `the work tree is not ready: ${obstacle}`,
    "Commit or stash your changes (git stash), or run with --allow-dirty to take them as part of the work.",
  );
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

function settingsOf(session: string | undefined): RunSettings {
  const batch = /^batch:([1-6])$/.exec(session ?? "")?.[1];
  if (session === undefined || session === "one-task") {
    return { batch: 1, stopsBeforeApproval: false, push: "auto" };
  }
  if (session === "until-gate") return { batch: 6, stopsBeforeApproval: true, push: "auto" };
  if (batch !== undefined)
    return { batch: Number(batch), stopsBeforeApproval: false, push: "auto" };
  throw new StintError(
    "bad-input",
    `"${session}" is no session policy`,
    "Right is one-task, batch:1 to batch:6, or until-gate.",
  );
}

function releaseQuietly(holder: Holder): void {
  try {
    holder.release();
  } catch (error) {
    if (!(error instanceof StintError)) throw error;
  }
}
