// `plan`: what would be done, before anything is: where sessions work, tasks, checks, limits, sessions, what will be asked,
// and every command that Stint may execute. Reads the manifest anew; executes nothing.
import { delegatedTo, returnText } from "../core/delegation.ts";
import { join } from "node:path";
import { isFinished } from "../core/eligibility.ts";
import type { ProjectId } from "../core/ids.ts";
import { isTerminal } from "../core/project-state.ts";
import type { ProjectState } from "../core/schema/project.ts";
import type { Task } from "../core/schema/task.ts";
import type { PlanView } from "../core/schema/views.ts";
import { sessionsSpent } from "../core/step/budgets.ts";
import { needsReview } from "../core/step/task-moves.ts";
import { isMarked } from "../core/words/task-standing.ts";
import { wavesOf } from "../core/waves.ts";
import { namesForManifest } from "../agents/agents.ts";
import { describeCheck } from "../checks/check-text.ts";
import { needsAgent } from "../engine/run/run-agents.ts";
import { commandsOfTask, consentOf, planRequests } from "../engine/people/consent.ts";
import { actText } from "../core/acts.ts";
import type { Config } from "../core/schema/config.ts";
import { isError } from "../manifest/problem.ts";
import { askedLater, asksToPushFrom, type GateOf, gatesIn, startsToApprove } from "./gates.ts";
import { whereWorkGoesFrom } from "../engine/run/announce-work.ts";
import { repositoryLoss } from "../engine/space/kept-space.ts";
import { workspacesIn } from "../engine/space/look-at-workspaces.ts";
import { adoptPersonsChanges } from "../engine/people/adopt-manifest.ts";
import { persist } from "../engine/base/persist.ts";
import { ownPaths } from "../engine/base/tree-files.ts";
import { personsGit } from "../engine/people/persons-git.ts";
import type { Plan } from "../manifest/plan.ts";
import { workspaceCommands } from "../core/written/workspace-settings.ts";
import { sha256Of } from "../store/digest.ts";
import type { RegistryEntry, Snapshot } from "../store/store.ts";
import { treeFields } from "./bounds-view.ts";
import { projectFor } from "./new-project.ts";
import { checkoutOf, writtenPlan } from "./manifest-file.ts";
import { projectView } from "./status.ts";
import { readConfig } from "./run/read-config.ts";
import { type ChosenSettings, type TypedSettings, typedWords } from "./run/run-settings.ts";
import { assertKnownAgents } from "./run/known-agents.ts";
import { runSurroundings, toBeWorkedOn } from "./run/run-surroundings.ts";
import { acquireIfFree, whileHeld } from "./run/lease.ts";
import { nowOf, type System } from "./system.ts";
import { problemsIn, unseenMentions } from "./lint.ts";
import { plannedPush, startFacts, untilDelivered } from "./foretold.ts";

export interface PlanInput extends TypedSettings {
  /** A manifest, or a project by id, slug or manifest. */
  readonly target?: string | undefined;
}

export async function plan(system: System, input: PlanInput): Promise<PlanView> {
  const id = await projectFor(system, input.target, toBeWorkedOn(system, input, "plan"));
  assertRepository(system, id);
  await readAnew(system, id);
  const { entry, state, lease } = system.store.read(id);
  const config = await readConfig(entry.root);
  const written = writtenPlan(system.store, state);
  const begins = state.status === "Draft" ? "run" : "resume";
  const typed = { ...input, resumes: begins === "resume" };
  const { choices, chosen, agents } = runSurroundings(system, typed, { entry, state }, config);
  assertKnownAgents(system, choices, { plan: written, config, root: entry.root });
  const gateOf = gatesIn(entry, chosen);
  const ahead = startsToApprove(state.tasks, gateOf).map((task) => task.id);
  const { limits, strict } = state.scope_guardrails;
  const batch = Math.min(chosen.settings.batch, limits.tasks_per_session);
  const consent = consentOf(system.store, state);
  const toDo = state.tasks.filter((task) => !isFinished(task));
  const missing = new Set(toDo.flatMap((task) => consent.missing(task)));
  const commands = [...new Set([...workspaceCommands(chosen), ...toDo.flatMap(commandsOfTask)])];
  const inSessions = toDo.filter(({ run, webhook }) => run === undefined && webhook === undefined);
  const alone = inSessions.filter(
    (task) => task.checks === undefined || task.approve !== undefined || needsReview(task),
  );
  const left = Math.max(0, state.budgets.sessions - sessionsSpent(state.counters));
  const most = inSessions.length * state.budgets.attempts_per_task;
  const inTree = treeFields(system.store, state);
  const is_behind = differsFromFile(entry, state);
  const needsWord = state.status === "Draft" && written.settings["plan"] === "review";
  const delivery = await plannedDelivery(system, entry, chosen, toDo);
  const { deliver } = chosen.settings;
  return {
    project: projectView(entry, state),
    status: state.status,
    held: lease.held,
    agents: [...new Set(toDo.filter(needsAgent).flatMap((task) => agents.namesFor(task)))],
    workspace: await plannedWorkspace(system, { entry, state }, written, {
      ...chosen,
      includesChanges: input.includeChanges === true,
    }),
    delivery,
    plan: {
      digest: state.manifest.digest,
      approved_by: state.plan?.approved_by ?? null,
      approved_at: state.plan?.approved_at ?? null,
      needs_word: needsWord,
      is_behind,
    },
    tasks: state.tasks
      .filter(({ status }) => status !== "superseded")
      .map((task) => ({
        ...plannedTask(task, chosen.dir),
        ...inTree(task),
        // Whoever approves the plan allows its commands with it.
        ...(isFinished(task)
          ? { approvals: [], asked: [] }
          : askedAbout(task, state.plan === null ? [] : consent.missing(task), gateOf)),
      })),
    gates: {
      ahead: [...ahead],
      command: ahead.length === 0 ? null : `stint approve gates ${id}`,
      later: askedLater(state.tasks, {
        deliver,
        asksToPush: await asksToPushFrom(system, entry, chosen),
      }),
    },
    warnings: await warningsOf(system, entry, state, {
      config,
      isInPlace: chosen.workspace.kind === "in-place",
      includesChanges: input.includeChanges === true,
    }),
    limits: { ...limits, strict },
    sessions: {
      least: alone.length + Math.ceil((inSessions.length - alone.length) / batch),
      most: Math.min(most, left),
      left,
    },
    ...plannedWaves(state.tasks, chosen.settings.parallel ?? 1),
    commands: commands.map((command) => ({ command, allowed: !missing.has(command) })),
    next: nextOf(state, needsWord, is_behind, `${begins} ${id}${typedWords(input)}`),
  };
}

/** Only where sessions are to work beside each other. */
function plannedWaves(tasks: readonly Task[], sessions: number): Pick<PlanView, "parallel"> {
  if (sessions === 1) return {};
  const { waves, longest } = wavesOf(tasks, sessions);
  return { parallel: { sessions, waves: waves.map((wave) => [...wave]), longest: [...longest] } };
}

async function warningsOf(
  system: System,
  { root, manifest, project_id }: RegistryEntry,
  state: ProjectState,
  {
    config,
    ...known
  }: { readonly config: Config; readonly isInPlace: boolean; readonly includesChanges: boolean },
): Promise<number> {
  const text = system.store.manifestText(project_id, state.manifest.digest);
  const place = { root, hasGit: true, manifest, ...known };
  const { problems } = await problemsIn(system, { text, config, place });
  return problems.filter((problem) => !isError(problem)).length;
}

function plannedTask(
  task: Task,
  dir: string,
): Omit<PlanView["tasks"][number], "approvals" | "asked"> {
  const { id, name, title, status, after, checks = [], run } = task;
  return {
    id,
    name,
    title,
    status,
    after: after === undefined ? null : [...after],
    checks: checks.map(describeCheck),
    ...(isMarked(task) && { marked: true as const }),
    act: actOf(task),
    dir: folderOrNull(task.dir ?? dir),
    in: (run === undefined ? undefined : task.in) ?? null,
    ...delegatedAs(task),
  };
}

/** Where it runs is said beside it. */
function actOf({ run, webhook }: Task): string | null {
  return actText({ run, webhook });
}

function delegatedAs(task: Task): Pick<PlanView["tasks"][number], "delegated"> {
  const delegated = delegatedTo(task);
  switch (delegated?.by) {
    case undefined:
      return {};
    case "outside":
      return { delegated: `${delegated.owner}; back by ${returnText(delegated.returns)}` };
    case "command":
      return { delegated: `\`${delegated.command}\`, in its own lane` };
    case "agent":
      return { delegated: `${delegated.agent}, in its own lane` };
    default:
      return delegated satisfies never;
  }
}

async function plannedWorkspace(
  { stateHome }: System,
  { entry, state }: Pick<Snapshot, "entry" | "state">,
  written: Plan,
  chosen: ChosenSettings & { readonly includesChanges: boolean },
): Promise<PlanView["workspace"]> {
  const { root, manifest, project_id, folder: projectFolder } = entry;
  const { workspace, bring, setup, serve, dir, includesChanges } = chosen;
  const isCopy = workspace.kind === "own-copy";
  const wanted = { bring, setup, dir, ...(serve !== undefined && { serve }) };
  const unseen = isCopy
    ? await unseenMentions(written, wanted, { root, hasGit: true, manifest, includesChanges })
    : [];
  const own = ownPaths({ root, manifest, projectFolder, page: state.page });
  return {
    kind: workspace.kind,
    shown_at: workspace.shownAt ?? "checkout",
    folder: isCopy ? join(workspace.dir ?? workspacesIn(stateHome), project_id) : root,
    includes_changes: includesChanges,
    bring: typeof bring === "string" ? bring : [...bring],
    setup: [...setup],
    serve: serve ?? null,
    dir: folderOrNull(dir),
    unseen: unseen.map(({ path }) => path),
    ...(await startFacts(isCopy ? { root, own } : null, chosen)),
  };
}

/** A run would not start either. */
function assertRepository({ store }: System, id: ProjectId): void {
  const entry = store.find(id);
  const lost = entry === undefined ? null : repositoryLoss(store, entry);
  if (lost !== null) throw lost;
}

/** As a run would say it first. */
async function plannedDelivery(
  system: System,
  entry: RegistryEntry,
  { workspace, settings }: ChosenSettings,
  toDo: readonly Task[],
): Promise<PlanView["delivery"]> {
  const { deliver, push: policy } = settings;
  const work = await whereWorkGoesFrom(system.store, entry, { kind: workspace.kind, deliver });
  return {
    deliver,
    kind: work.kind,
    branch: work.branch,
    text: `${work.text}${untilDelivered(work.kind, toDo)}`,
    ...(await plannedPush(system, entry.root, policy, work.pushed)),
  };
}

function folderOrNull(dir: string): string | null {
  return dir === "" ? null : dir;
}

/** Where no run is at work, what a person wrote since is read first, and a plan to review asked about. */
async function readAnew(system: System, id: ProjectId): Promise<void> {
  const holder = acquireIfFree(system, id);
  // A run reads the manifest itself.
  if (holder === null) return;
  await whileHeld(system, holder, async () => {
    const { store, host, user: person } = system;
    const { state } = holder;
    if (isTerminal(state) || state.current_task_id !== null) return;
    const checkout = checkoutOf(holder.entry);
    const adoption = await adoptPersonsChanges({
      holder,
      store,
      host,
      person,
      checkout,
      agents: { names: namesForManifest(system.agents) },
      personsGit: personsGit(holder, store),
    });
    if (adoption !== null) persist({ holder }, adoption);
    if (holder.state.status !== "Draft") return;
    if (writtenPlan(store, holder.state).settings["plan"] !== "review") return;
    for (const event of planRequests(store, holder.state, nowOf(system))) {
      persist({ holder }, event);
    }
  });
}

/** A run at work, a session that was cut short, or an end keep the file from being read here. */
function differsFromFile(entry: RegistryEntry, state: ProjectState): boolean {
  const text = checkoutOf(entry).readManifest();
  const { seen, digest } = state.manifest;
  return text === undefined || sha256Of(text) !== (seen ?? digest);
}

const GATES = {
  "task-before": "before it starts",
  release: "before it starts, because it is a release step",
} as const;

/** What a person will be asked about a task, as far as the manifest tells. */
function askedAbout(
  task: Task,
  unknown: readonly string[],
  gateOf: GateOf,
): Pick<PlanView["tasks"][number], "approvals" | "asked"> {
  const gate = gateOf(task);
  const isReviewed = needsReview(task);
  return {
    approvals: [
      ...(gate === null ? [] : [GATES[gate.kind]]),
      ...(unknown.length > 0 ? [`before it may run: ${unknown.join("; ")}`] : []),
      ...(isReviewed ? ["its output, before it is done"] : []),
    ],
    asked: [
      ...(gate === null
        ? []
        : [gate.kind === "release" ? ("release" as const) : ("before" as const)]),
      ...(isReviewed ? ["after" as const] : []),
    ],
  };
}

function nextOf(
  { project_id, status }: ProjectState,
  needsWord: boolean,
  isBehind: boolean,
  begin: string,
): string[] {
  if (needsWord) return [`stint approve plan ${project_id}`, `stint ${begin}`];
  if (status === "Done" && isBehind) return [`stint diff ${project_id}`, `stint run ${project_id}`];
  if (status === "Done" || status === "Abandoned") return [`stint status ${project_id}`];
  return [`stint ${begin}`];
}
