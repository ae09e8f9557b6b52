// What a person asks of a run, and what it works by, from three places: what the person typed wins over what the
// manifest's front matter says, that over stint.config.yaml, that over the defaults.
import type { RunSettings, StopWanted } from "../../engine/base/run-context.ts";
import { DEFAULT_AGENT } from "../../agents/agents.ts";
import {
  type Bring,
  type Serve,
  workspaceSettings,
} from "../../core/written/workspace-settings.ts";
import { protectSettings, type ProtectSettings } from "../../core/written/protect.ts";
import { proofSettings } from "../../core/written/proof-settings.ts";
import { parseDuration } from "../../core/written/times.ts";
import type { RunChoices } from "../../core/schema/run-records.ts";
import type { Config } from "../../core/schema/config.ts";
import type { Task } from "../../core/schema/task.ts";
import { StintError } from "../../core/stint-error.ts";
import type { SessionLimits } from "../../engine/attempt/session-process.ts";
import {
  chooseWorkspace,
  type ChosenWorkspace,
  type Place,
  type TypedWorkspace,
} from "./choose-workspace.ts";
import {
  type Budgets,
  type BudgetsSet,
  DEFAULT_EXTRACT,
  isParallel,
  MOST_PARALLEL,
} from "../../core/written/bounds.ts";
import type { News } from "../../core/news.ts";
import { logPaths } from "../../iteration/settings.ts";
import { shellWord } from "../../core/written/commands.ts";
import { delegatedTo } from "../../core/delegation.ts";

/** Permission comes never from a file of the work tree: a session could write it there for the next one. */
export interface TypedSettings
  extends TypedWorkspace, Omit<RunChoices, "called_from" | "fallback_from" | "workspace"> {
  /** A folder of the work tree, for a manifest that lies elsewhere and does not name it. */
  readonly workTree?: string | undefined;
}

export interface ChosenSettings {
  /** For tasks that name none themselves, the preferred one first. */
  readonly agents: readonly string[];
  readonly isolation: "auto" | "on" | "off";
  /** What sessions, checks and acts may change, read and reach. */
  readonly protect: ProtectSettings;
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
  | "agent"
  | "agents"
  | "isolation"
  | "deliver"
  | "push"
  | "trackState"
  | "release"
  | "approvals"
  | "strict"
  | "proof"
> {
  readonly timeout?: string;
  readonly session?: string;
  readonly parallel?: number;
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
  const { workspace: _, bring: __, ...wishes } = set;
  const wanted = { ...set, ...workspaceSettings(written) };
  const { timeouts } = config;
  const workspace = chooseWorkspace(typed, { ...set.workspace, ...wanted.workspace }, place);
  const batch = batchOf(typed.session ?? front.session);
  const parallel = typed.parallel ?? front.parallel ?? config.parallel ?? 1;
  refuseBeside(parallel, batch, workspace);
  const protect = protectSettings({ protect: typed.protect }, written, config);
  refuseServing(protect, wanted.serve);
  return {
    agents: agentsIn(front) ?? agentsIn(config) ?? [DEFAULT_AGENT],
    isolation: typed.isolation ?? front.isolation ?? config.isolation ?? "auto",
    protect,
    workspace,
    bring: wanted.bring ?? "default",
    setup: wanted.setup ?? [],
    serve: wanted.serve,
    dir: wanted.dir ?? "",
    limits: {
      ...inMs("totalMs", front.timeout ?? timeouts?.session),
      ...inMs("idleMs", timeouts?.idle),
      ...inMs("retryingMs", timeouts?.retrying),
      ...inMs("graceMs", timeouts?.grace),
      ...inMs("killMs", timeouts?.kill),
    },
    checkTimeoutMs: inMs("check", timeouts?.check).check,
    setupTimeoutMs: inMs("setup", timeouts?.setup).setup,
    settings: {
      batch,
      parallel,
      parallelOf: config.parallel_per_agent ?? {},
      extract: config.limits?.extract ?? DEFAULT_EXTRACT,
      deliver: typed.deliver ?? front.deliver ?? config.deliver ?? "auto",
      push: typed.push ?? front.push ?? config.push ?? "default",
      trackState: front.trackState ?? config.trackState ?? false,
      logs: logPaths(config),
      release: front.release ?? config.release ?? "ask",
      strict: front.strict ?? config.strict ?? false,
      proof: proofSettings(front.proof, config.proof),
      ...inMs("approvalsExpireMs", front.approvals?.expire ?? config.approvals?.expire),
      permission: typed.permission ?? "default",
      // The manifest's own are read as often as they are needed: it may change while a run is at work.
      wishes,
      models: { ...config.models, ...(typed.model === undefined ? {} : { "*": typed.model }) },
    },
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
  task: Pick<Task, "agent" | "delegate" | "returns">,
  typed: { readonly agent?: string | undefined; readonly fallback?: readonly string[] | undefined },
  chosen: readonly string[],
): readonly string[] {
  const delegated = delegatedTo(task);
  if (delegated?.by === "agent") return [delegated.agent];
  if (delegated?.by === "command") return [`command:sh -c ${shellWord(delegated.command)}`];
  const fallback = typed.fallback ?? [];
  if (typed.agent !== undefined) return [typed.agent, ...fallback];
  return task.agent === undefined ? [...chosen, ...fallback] : [task.agent];
}

function inMs<K extends string>(key: K, text: string | undefined): { [name in K]?: number } {
  const ms = text === undefined ? undefined : parseDuration(text);
  return (ms === undefined ? {} : { [key]: ms }) as { [name in K]?: number };
}

/** A server has the network of its own command, which neither checks nor Stint itself would reach. */
function refuseServing({ network }: ProtectSettings, serve: Serve | undefined): void {
  if (network === "all" || serve === undefined) return;
  throw new StintError(
    "bad-input",
    `serve: and network: ${network} do not work together: each command then has its own network and cannot reach the server`,
    "Choose one of them: network: all, or checks that start their server themselves",
  );
}

/** Sessions beside each other have a task each, and none of them the person's own folder. */
function refuseBeside(parallel: number, batch: number, { kind }: ChosenWorkspace): void {
  if (parallel === 1) return;
  if (!isParallel(parallel)) {
    throw new StintError(
      "bad-input",
      `${parallel} sessions cannot run in parallel`,
      `Use a number from 1 to ${MOST_PARALLEL}: --parallel 3`,
    );
  }
  if (batch > 1) {
    throw new StintError(
      "bad-input",
      "parallel sessions have one task each, and a batch puts several into one session",
      "Choose one: --parallel 1, or --session one-task",
    );
  }
  if (kind === "own-copy") return;
  throw new StintError(
    "bad-input",
    "parallel sessions each need their own workspace, and this project works in place",
    "Choose one: --parallel 1, or --workspace copy",
  );
}

/** Tasks in one session, by the policy; no batch goes past a task that needs a person's yes. */
function batchOf(session: string | undefined): RunSettings["batch"] {
  const batch = /^batch:([1-6])$/.exec(session ?? "")?.[1];
  if (session === undefined || session === "one-task") return 1;
  if (session === "until-gate") return 6;
  if (batch !== undefined) return Number(batch);
  throw new StintError(
    "bad-input",
    `"${session}" is not a session policy`,
    "Use one-task, batch:1 to batch:6, or until-gate.",
  );
}

export interface RunInput extends TypedSettings {
  /** A manifest, or a project by id, slug or manifest. */
  readonly target?: string | undefined;
  /** Agent, session policy, isolation and kind of workspace are those of the run before, where none are given. */
  readonly resumes?: boolean;
  readonly approvePlan?: boolean;
  /** Gives every blocked task another attempt. */
  readonly retry?: boolean;
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
  /** Nobody is there, and why it goes on: no gate is passed, no limit lifted, nothing unblocked. */
  readonly unattended?: string | undefined;
  /** Whether something beside the run goes on with it when it is killed; absent: as the settings say. */
  readonly watchdog?: boolean;
  readonly tell: (news: News) => void;
  readonly stopWanted: () => StopWanted | null;
  /** Given as soon as `stopWanted` answers, for a run that sleeps. */
  readonly stopping?: AbortSignal;
  /** Given when the end was asked for once more: what runs is killed instead of asked to end. */
  readonly hurrying?: AbortSignal;
}

export function typedWords(typed: TypedSettings): string {
  const {
    agent,
    fallback = [],
    session,
    parallel,
    includeChanges,
    inPlace,
    workspace,
    deliver,
    push,
  } = typed;
  const words: readonly (readonly [flag: string, value: string | boolean | undefined])[] = [
    ["agent", agent],
    ...fallback.map((each) => ["fallback", each] as const),
    ["session", session],
    ["parallel", parallel === undefined ? undefined : String(parallel)],
    ["include-changes", includeChanges],
    ["in-place", inPlace],
    ["workspace", workspace],
    ["deliver", deliver],
    ["push", push],
  ];
  return words
    .filter(([, value]) => value !== undefined && value !== false)
    .map(([flag, value]) =>
      typeof value === "string" ? ` --${flag} ${shellWord(value)}` : ` --${flag}`,
    )
    .join("");
}

const KINDS = ["sessions", "hours", "tokens", "usd"] as const;

export type Grant = Readonly<Partial<Record<(typeof KINDS)[number], number>>>;

export function parseGrant(text: string): Grant {
  const parts = text.split(",").map((part) => {
    const [, name, amount] = /^\s*([a-z]+)=(\d{1,12}(?:\.\d{1,6})?)\s*$/.exec(part) ?? [];
    const kind = KINDS.find((each) => each === name);
    const isWhole = kind === "usd" || kind === "hours" || /^\d+$/.test(amount ?? "");
    if (kind === undefined || amount === undefined || !isWhole) {
      throw new StintError(
        "bad-input",
        `"${text}" is not a list of ${KINDS.join(", ")} with amounts`,
        "For example: --grant sessions=10 or --grant hours=5,usd=20",
      );
    }
    return [kind, Number(amount)] as const;
  });
  return Object.fromEntries(parts);
}

/** What was not limited stays so. */
export function granted(budgets: Budgets, grant: Grant): Budgets {
  const { sessions = 0, hours = 0, tokens = 0, usd = 0 } = grant;
  return {
    ...budgets,
    sessions: budgets.sessions + sessions,
    wall_ms: budgets.wall_ms + Math.round(hours * 60 * 60 * 1000),
    tokens: budgets.tokens === null ? null : budgets.tokens + tokens,
    cost_usd: budgets.cost_usd === null ? null : budgets.cost_usd + usd,
  };
}
