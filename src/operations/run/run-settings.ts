// What a run works by, from three places: what the person typed wins over what the manifest's front
// matter says, that over stint.config.yaml, that over the defaults.
import type { RunSettings, WorkspaceWishes } from "../../engine/base/run-context.ts";
import { DEFAULT_AGENT } from "../../agents/agents.ts";
import {
  type Bring,
  type Serve,
  type WorkspaceSettings,
  workspaceSettings,
} from "../../core/written/workspace-settings.ts";
import { parseDuration } from "../../core/written/times.ts";
import type { RunChoices } from "../../core/schema/run-records.ts";
import type { Config } from "../../core/schema/config.ts";
import type { Task } from "../../core/schema/task.ts";
import { StintError } from "../../core/stint-error.ts";
import type { SessionLimits } from "../../engine/attempt/session-process.ts";
import {
  type ChosenWorkspace,
  chooseWorkspace,
  type Place,
  type TypedWorkspace,
} from "./choose-workspace.ts";

/** Permission comes never from a file of the work tree: a session could write it there for the next one. */
export interface TypedSettings
  extends TypedWorkspace, Omit<RunChoices, "called_from" | "fallback_from" | "workspace"> {}

export interface ChosenSettings {
  /** For tasks that name none themselves, the preferred one first. */
  readonly agents: readonly string[];
  readonly isolation: "auto" | "on" | "off";
  readonly workspace: ChosenWorkspace;
  /** What a new workspace gets of the files that git does not hold. */
  readonly bring: Bring;
  /** Run in a new workspace, in this order, and again when a lock file changes. */
  readonly setup: readonly string[];
  readonly serve: Serve | undefined;
  /** Where below the root sessions and checks start; "" is the root. A task's own wins. */
  readonly dir: string;
  readonly limits: Partial<SessionLimits>;
  readonly checkTimeoutMs: number | undefined;
  readonly setupTimeoutMs: number | undefined;
  readonly settings: RunSettings;
}

/** Keys of the front matter that a run works by. */
interface FrontMatter extends Pick<
  Config,
  "agent" | "agents" | "isolation" | "deliver" | "push" | "trackState" | "release" | "approvals"
> {
  readonly timeout?: string;
  readonly session?: string;
}

/** `written` is the front matter, already judged key by key when the manifest was read. */
export function chooseSettings(
  typed: TypedSettings,
  written: Readonly<Record<string, unknown>>,
  config: Config,
  place: Place,
): ChosenSettings {
  const front = written as FrontMatter;
  const set = workspaceSettings(config);
  const wanted = { ...set, ...workspaceSettings(written) };
  const { timeouts } = config;
  return {
    agents: agentsIn(front) ?? agentsIn(config) ?? [DEFAULT_AGENT],
    isolation: typed.isolation ?? front.isolation ?? config.isolation ?? "auto",
    workspace: chooseWorkspace(typed, { ...set.workspace, ...wanted.workspace }, place),
    bring: wanted.bring ?? "default",
    setup: wanted.setup ?? [],
    serve: wanted.serve,
    dir: wanted.dir ?? "",
    limits: {
      ...inMs("totalMs", front.timeout ?? timeouts?.session),
      ...inMs("idleMs", timeouts?.idle),
      ...inMs("graceMs", timeouts?.grace),
      ...inMs("killMs", timeouts?.kill),
    },
    checkTimeoutMs: inMs("check", timeouts?.check).check,
    setupTimeoutMs: inMs("setup", timeouts?.setup).setup,
    settings: {
      batch: batchOf(typed.session ?? front.session),
      deliver: typed.deliver ?? front.deliver ?? config.deliver ?? "auto",
      push: typed.push ?? front.push ?? config.push ?? "default",
      trackState: front.trackState ?? config.trackState ?? false,
      release: front.release ?? config.release ?? "ask",
      ...inMs("approvalsExpireMs", front.approvals?.expire ?? config.approvals?.expire),
      permission: typed.permission ?? "default",
      wishes: wishesIn(set),
      models: { ...config.models, ...(typed.model === undefined ? {} : { "*": typed.model }) },
    },
  };
}

/** The manifest's own are read as often as they are needed: it may change while a run is at work. */
function wishesIn({ setup, serve, dir }: WorkspaceSettings): WorkspaceWishes {
  return {
    ...(setup === undefined ? {} : { setup }),
    ...(serve === undefined ? {} : { serve }),
    ...(dir === undefined ? {} : { dir }),
  };
}

/** The agents that a file names, the preferred one first. */
export function agentsIn({
  agents,
  agent,
}: Pick<Config, "agent" | "agents">): readonly string[] | undefined {
  return agents ?? (agent === undefined ? undefined : [agent]);
}

/**
 * Who may work on a task. What is typed wins. A task that names its agent has no other: whoever
 * wrote that had a reason.
 */
export function agentsFor(
  task: Pick<Task, "agent">,
  typed: { readonly agent?: string | undefined; readonly fallback?: readonly string[] | undefined },
  chosen: readonly string[],
): readonly string[] {
  const fallback = typed.fallback ?? [];
  if (typed.agent !== undefined) return [typed.agent, ...fallback];
  return task.agent === undefined ? [...chosen, ...fallback] : [task.agent];
}

function inMs<K extends string>(key: K, text: string | undefined): { [name in K]?: number } {
  const ms = text === undefined ? undefined : parseDuration(text);
  return (ms === undefined ? {} : { [key]: ms }) as { [name in K]?: number };
}

/** Tasks in one session, by the policy; no batch goes past a task that needs a person's yes. */
function batchOf(session: string | undefined): RunSettings["batch"] {
  const batch = /^batch:([1-6])$/.exec(session ?? "")?.[1];
  if (session === undefined || session === "one-task") return 1;
  if (session === "until-gate") return 6;
  if (batch !== undefined) return Number(batch);
  throw new StintError(
    "bad-input",
    `"${session}" is no session policy`,
    "Right is one-task, batch:1 to batch:6, or until-gate.",
  );
}
