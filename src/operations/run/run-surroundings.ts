// What a run of a project works by and where: what was typed, what the run before kept, the manifest and
// the settings, in this order. Whoever only looks into the workspace finds it as that run would.
import { basename, dirname, resolve } from "node:path";
import type { Config } from "../../core/schema/config.ts";
import type { SpaceChoice } from "../../engine/space/open-space.ts";
import { settingsToFollow } from "../../engine/people/own-settings.ts";
import { runAgents } from "../../engine/run/run-agents.ts";
import type { RunChoices } from "../../core/schema/run-records.ts";
import { choicesFor, type OpenRun, openRun, type RunOptions } from "../../engine/run/open-run.ts";
import type { Agents, RunSettings } from "../../engine/base/run-context.ts";
import { iterationSettings } from "../../iteration/settings.ts";
import { findRepository } from "../../store/repository.ts";
import type { Holder, RegistryEntry } from "../../store/store.ts";
import { typedWorkspace } from "./choose-workspace.ts";
import { assertKnownAgents } from "./known-agents.ts";
import { parseSettings } from "./read-config.ts";
import {
  agentsFor,
  chooseSettings,
  type ChosenSettings,
  type RunInput,
  type TypedSettings,
} from "./run-settings.ts";
import { checkoutOf, writtenPlan } from "../manifest-file.ts";
import { homeOf, type System } from "../system.ts";
import type { News } from "../../core/news.ts";
import type { ToWorkOn } from "../new-project.ts";

export interface Surroundings {
  readonly choices: RunChoices;
  readonly chosen: ChosenSettings;
  readonly agents: Agents;
  readonly space: SpaceChoice;
}

/** What a session made of the settings counts once a person has said yes to it. */
export async function configToFollow(
  { store }: System,
  { tell }: Pick<RunInput, "tell">,
  holder: Holder,
): Promise<Config> {
  const { files, isHeld } = settingsToFollow({ holder, store }, checkoutOf(holder.entry));
  if (isHeld) {
    const text =
      "the settings of the repository changed during a run; this run uses the earlier ones";
    tell({ kind: "notice", text });
  }
  return await parseSettings(files, holder.entry.root);
}

/** What a person typed that the next run of the project follows too. */
function chosenIn({
  agent,
  fallback,
  session,
  parallel,
  isolation,
  protect,
  deliver,
  push,
  model,
  permission,
}: TypedSettings) {
  const who = { agent, fallback, session, parallel, model, permission };
  return { ...who, isolation, protect, deliver, push };
}

export function runSurroundings(
  system: System,
  input: TypedSettings & Pick<RunInput, "resumes">,
  holder: Pick<Holder, "entry" | "state">,
  config: Config,
): Surroundings {
  const { root } = holder.entry;
  const here = { called_from: system.cwd, fallback_from: system.cwd };
  const workspace = typedWorkspace(input);
  const typed = { ...chosenIn(input), ...here, workspace };
  const choices = choicesFor({ holder, store: system.store }, typed, input.resumes === true);
  const hasGit = findRepository(root).gitFolder !== null;
  const chosen = chooseSettings(
    { ...input, ...choices },
    writtenPlan(system.store, holder.state).settings,
    config,
    { root, hasGit, home: system.env["HOME"] },
  );
  const agents = runAgents({
    specsFor: (task) => agentsFor(task, choices, chosen.agents),
    calledFrom: (spec) =>
      (spec === choices.agent ? choices.called_from : choices.fallback_from) ?? system.cwd,
    scriptedProgram: system.scriptedProgram,
    own: system.agents,
    root,
    env: system.env,
  });
  return {
    choices,
    chosen,
    agents,
    space: {
      hasGit,
      kind: chosen.workspace.kind,
      ownPath: chosen.workspace.shownAt === "own-path",
      dir: chosen.workspace.dir,
      bring: chosen.bring,
      ...(chosen.settings.logs === undefined ? {} : { logs: chosen.settings.logs }),
    },
  };
}

/** Who makes a project by starting to work on it is refused first what that work would be refused for. */
export function toBeWorkedOn(
  system: System,
  typed: TypedSettings & Pick<RunInput, "resumes">,
  verb: "plan" | "run" = "run",
): ToWorkOn {
  return {
    verb,
    workTree: typed.workTree,
    resumes: typed.resumes === true,
    judge({ plan, config, root, hasGit }) {
      chooseSettings(typed, plan.settings, config, { root, hasGit, home: system.env["HOME"] });
      assertKnownAgents(system, typed, { plan, config, root });
    },
  };
}

/** For a run itself, and for a verb that does one act of it, under a lease that is held. */
export interface ContextOptions {
  readonly holder: Holder;
  readonly config: Config;
  readonly surroundings: Surroundings;
  /** What this run has beyond what is chosen. */
  readonly settings?: Partial<RunSettings>;
}

export async function openContext(
  system: System,
  { tell, stopWanted }: Pick<RunInput, "tell" | "stopWanted">,
  { holder, config, surroundings, settings }: ContextOptions,
): Promise<OpenRun> {
  const { chosen, agents, space } = surroundings;
  return await openRun({
    ...system,
    ...chosen,
    holder,
    person: system.user,
    allow: config.env?.allow,
    space,
    browser: { configured: config.browser, program: system.browserProgram },
    notify: config.notify,
    iteration: iterationOf(holder.entry, config, homeOf(system)),
    settings: { ...chosen.settings, ...settings },
    agents,
    tell,
    stopWanted,
  });
}

/** What the iterations of a repository work by. Children of a workflow lie beside it, wherever that was written. */
function iterationOf(
  { root, manifest }: RegistryEntry,
  config: Config,
  home: string,
): RunOptions["iteration"] {
  const path = resolve(root, manifest);
  const options = basename(path) === "workflow.md" ? { workflow_dir: dirname(dirname(path)) } : {};
  const written = { options, config: config.iteration ?? {} };
  return { settings: iterationSettings(root, home, written), home };
}

/** The notices of a run as plain words, for a verb that does one act of it and shows no run. */
export function noticesTo(tell: (text: string) => void): (news: News) => void {
  return (news) => {
    if (news.kind === "notice") tell(news.text);
  };
}
