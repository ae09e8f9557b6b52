// Every setting of a repository: what it means, and what holds where nobody sets it. The table in docs/configuration.md
// and what `stint config` shows are made from this list; a test holds it to the schema.
import { DEFAULT_AGENT } from "../../agents/agents.ts";
import { CHECK_TIMEOUT_MS } from "../../checks/run-check.ts";
import { DEFAULT_EXTRACT, DEFAULT_LIMITS, defaultBudgets } from "../../core/written/bounds.ts";
import { durationText } from "../../core/written/times.ts";
import { DEFAULT_SESSION_LIMITS } from "../../engine/attempt/session-process.ts";
import { SETUP_TIMEOUT_MS } from "../../engine/space/set-up.ts";
import { logPaths } from "../../iteration/settings.ts";
import { chooseSettings } from "../run/run-settings.ts";

export type SettingValue = string | number | boolean | null | readonly string[];

export interface KnownSetting {
  /** As in stint.config.yaml, its parts joined by dots. */
  readonly key: string;
  /** In Markdown. */
  readonly means: string;
  /** Null: `unset` says what holds. */
  readonly fallback: SettingValue;
  readonly unset?: string;
  /** The key of a manifest's front matter that says the same, and wins. */
  readonly front?: string;
}

/** What a run works by where nothing is set, in a repository that is nobody's home folder. */
const CHOSEN = chooseSettings({}, {}, {}, { root: "/", hasGit: true, home: undefined });
const { settings: RUN } = CHOSEN;
const BUDGETS = defaultBudgets(0);

const IDENTITY: readonly KnownSetting[] = [
  {
    key: "root",
    means: "the folder that contains `<agent-id>/projects/`",
    fallback: "agents",
  },
  {
    key: "owner_agent",
    means: "the name under which Stint owns projects; `--as` wins",
    fallback: "stint",
  },
];

const SESSIONS: readonly KnownSetting[] = [
  {
    key: "agent",
    means: "the agent for tasks that name none; `--agent` wins",
    fallback: DEFAULT_AGENT,
    front: "agent",
  },
  {
    key: "agents",
    means:
      "instead of `agent`: a chain, for example `agents: [claude, codex]`; the next one takes over while a provider refuses the one before it",
    fallback: null,
    front: "agents",
    unset: "`agent` alone",
  },
  {
    key: "models",
    means:
      "the model for each agent, in the agent's own words: `models: { claude: opus, codex: gpt-5.5 }`; `--model` wins",
    fallback: null,
    unset: "the agent's own",
  },
  {
    key: "parallel",
    means: "how many [sessions run in parallel](parallel.md), up to 16; `--parallel` wins",
    fallback: RUN.parallel ?? 1,
    front: "parallel",
  },
  {
    key: "parallel_per_agent",
    means: "the most parallel sessions of one agent: `parallel_per_agent: { claude: 2 }`",
    fallback: null,
    unset: "as many as `parallel` allows",
  },
  {
    key: "wait",
    means: "`false`: if its agent is limited, a run pauses and ends instead of waiting",
    fallback: true,
  },
  {
    key: "watchdog",
    means:
      "`on`: a run that is killed is resumed in the background, as with `--watchdog`; `off`: nothing resumes the projects of this repository automatically, not even a tick ([watchdog](watchdog.md))",
    fallback: null,
    unset: "only ticks resume a run",
  },
  {
    key: "browser",
    means:
      "the Chromium for [browser and render checks](checks.md): a path (relative to the work tree) or a name on PATH; `$CHROME_PATH` comes next",
    fallback: null,
    unset: "the first that is found",
  },
];

const NOTIFY: readonly KnownSetting[] = [
  {
    key: "notify.on",
    means:
      "which [notifications](notifications.md) are sent, for example `on: [person-needed, done]`; `update` tells every step too",
    fallback: null,
    unset: "`person-needed`, `blocked`, `done`, `paused`",
  },
  {
    key: "notify.quiet",
    means: "hours without notifications, for example `22:00-07:00`",
    fallback: null,
    unset: "none",
  },
  { key: "notify.desktop", means: "`true`: show notifications on the desktop", fallback: false },
  {
    key: "notify.command",
    means: "a program and its arguments, for example `[./tell.sh, --loud]`",
    fallback: null,
    unset: "none",
  },
  { key: "notify.webhook.url", means: "the address of a webhook", fallback: null, unset: "none" },
  {
    key: "notify.webhook.secret_env",
    means: "the environment variable with the secret that signs it",
    fallback: null,
    unset: "none",
  },
];

const BUDGET_KEYS: readonly KnownSetting[] = [
  {
    key: "attempts_per_task",
    means: "how many attempts one task may have",
    fallback: BUDGETS.attempts_per_task,
  },
  {
    key: "budgets.sessions",
    means: "the most [sessions](#budgets) of a new project; `--max-sessions` wins",
    fallback: null,
    front: "budgets.sessions",
    unset: `3 × tasks + ${BUDGETS.sessions}`,
  },
  {
    key: "budgets.wall",
    means: "the longest time its sessions may take together; `--max-wall` wins",
    fallback: `${BUDGETS.wall_ms / 3_600_000}h`,
    front: "budgets.wall",
  },
  {
    key: "budgets.tokens",
    means: "the most tokens it may use; `--max-tokens` wins",
    fallback: null,
    front: "budgets.tokens",
    unset: "no limit",
  },
  {
    key: "budgets.cost",
    means: "the most US dollars it may cost; `--max-cost` wins",
    fallback: null,
    front: "budgets.cost",
    unset: "no limit",
  },
];

const PLACE: readonly KnownSetting[] = [
  {
    key: "env.allow",
    means:
      'the only environment variables that sessions, checks and acts see, for example `env: { allow: [ANTHROPIC_API_KEY, "AWS_*"] }`; `PATH`, `HOME`, `USER`, `LOGNAME`, `SHELL`, `TERM`, `TMPDIR`, `TZ`, `LANG` and `LC_*` are always visible',
    fallback: null,
    unset: "all except Stint's own secrets",
  },
  {
    key: "isolation",
    means: "`auto`, `on` (requires a pid namespace), `off`; `--isolation` wins",
    fallback: CHOSEN.isolation,
    front: "isolation",
  },
  {
    key: "protect",
    means:
      "what sessions, checks, setup, acts and hooks may [write and read](security.md) outside the workspace: `home` (everything is read-only, keys and credentials are hidden), `strict` (caches are private as well; demands a namespace), `off`; `--protect` wins",
    fallback: CHOSEN.protect.protect,
    front: "protect",
  },
  {
    key: "writable",
    means:
      "further places that they may write to, absolute or below `~/`: `writable: [~/.config/tool]`",
    fallback: null,
    front: "writable",
    unset: "temporary folders, caches of common tools, the agent's own state",
  },
  {
    key: "show",
    means: "what stays visible to them: `show: [~/.npmrc, ~/.ssh/known_hosts]`",
    fallback: null,
    front: "show",
    unset: "keys, credentials and sockets are hidden",
  },
  {
    key: "network",
    means:
      "what commands of checks, setup and sessions of the `command:` kind can reach: `all`, `loopback`, `none`",
    fallback: CHOSEN.protect.network,
    front: "network",
  },
  {
    key: "workspace",
    means:
      "where sessions [work](#workspaces): `copy`, `in-place`, `own-path`; or several keys: `workspace: { kind: copy, dir: /big/disk/stint }`; `--workspace` wins",
    fallback: null,
    front: "workspace",
    unset: "`copy`; `in-place` without git",
  },
  {
    key: "workspace.dir",
    means: "where copies are kept: absolute or `~/…`, outside the checkout",
    fallback: null,
    unset: "the state folder",
  },
  {
    key: "bring",
    means:
      "which files that are not in git a new copy gets: `default`, `all`, `none`, or folders and patterns, for example `bring: [default, data/, fixtures/**]`",
    fallback: CHOSEN.bring,
    front: "bring",
  },
  {
    key: "setup",
    means:
      "a command or a list of commands; they run in a new workspace, and again when a lock file changes",
    fallback: CHOSEN.setup,
    front: "setup",
  },
  {
    key: "serve",
    means:
      'a server of the workspace, for sessions and checks: `serve: { run: npm run dev, ready: "http://localhost:$STINT_PORT/" }`',
    fallback: null,
    front: "serve",
    unset: "none",
  },
  {
    key: "dir",
    means: "the folder below the root where sessions and checks start; a task's own `dir:` wins",
    fallback: null,
    front: "dir",
    unset: "the root",
  },
  {
    key: "deliver",
    means:
      "whether verified work [goes into your branch](workspaces.md#where-the-work-is) automatically: `auto`, `checkout`, `branch`, `ask`; `--deliver` wins",
    fallback: RUN.deliver,
    front: "deliver",
  },
  {
    key: "push",
    means:
      "`auto`: push verified work to the upstream of its branch, or as a new branch; `ask`: ask once, at the end; `never`; `--push` wins",
    fallback: null,
    front: "push",
    unset: "`auto`, but you are asked about a new branch",
  },
  {
    key: "trackState",
    means: "`true`: the project folder, except its logs and its lease, is committed with each task",
    fallback: RUN.trackState,
    front: "trackState",
  },
];

const JUDGING: readonly KnownSetting[] = [
  {
    key: "release",
    means: "`ask`: you are asked before a [release step](approvals.md) starts; `auto`: you are not",
    fallback: RUN.release,
    front: "release",
  },
  {
    key: "strict",
    means:
      "`true`: an attempt fails if it is self-judged, or if its judges changed and could not be tested, see [checks](checks.md#labels)",
    fallback: RUN.strict,
    front: "strict",
  },
  {
    key: "proof",
    means:
      "whether the work is [proven in a fresh clone](checks.md) before Done: `auto`, `always`, `never`; or several keys: `proof: { when: always, budget: 10m }`",
    fallback: RUN.proof.when,
    front: "proof",
  },
  {
    key: "proof.budget",
    means: "how long testing the judges of one task may take",
    fallback: null,
    front: "proof.budget",
    unset: "5m, or twice the checks' own time",
  },
  {
    key: "approvals.expire",
    means: "how long a gate accepts a yes before it is checked and asked again",
    fallback: null,
    front: "approvals.expire",
    unset: "no limit",
  },
];

const TIMEOUTS: readonly KnownSetting[] = [
  {
    key: "timeouts.session",
    means: "how long a session may take; a task's `timeout:` wins",
    fallback: durationText(DEFAULT_SESSION_LIMITS.totalMs),
    front: "timeout",
  },
  {
    key: "timeouts.idle",
    means: "how long a session may be silent",
    fallback: durationText(DEFAULT_SESSION_LIMITS.idleMs),
  },
  {
    key: "timeouts.retrying",
    means:
      "how long a session may do nothing but retry its provider; then it counts as `overloaded`",
    fallback: durationText(DEFAULT_SESSION_LIMITS.retryingMs),
  },
  {
    key: "timeouts.grace",
    means: "how long an agent may take to exit after its result",
    fallback: durationText(DEFAULT_SESSION_LIMITS.graceMs),
  },
  {
    key: "timeouts.kill",
    means: "the time from SIGTERM to SIGKILL",
    fallback: durationText(DEFAULT_SESSION_LIMITS.killMs),
  },
  {
    key: "timeouts.check",
    means: "how long one check may take",
    fallback: durationText(CHECK_TIMEOUT_MS),
  },
  {
    key: "timeouts.setup",
    means: "how long one command of `setup` may take",
    fallback: durationText(SETUP_TIMEOUT_MS),
  },
];

const LIMITS: readonly KnownSetting[] = [
  {
    key: "limits.tasks_per_session",
    means: "the most tasks in one session, up to 6",
    fallback: DEFAULT_LIMITS.tasks_per_session,
  },
  {
    key: "limits.files_per_task",
    means: "the most files that one task may change",
    fallback: DEFAULT_LIMITS.files_per_task,
  },
  {
    key: "limits.new_files_per_session",
    means: "the most files that one session may add",
    fallback: DEFAULT_LIMITS.new_files_per_session,
  },
  {
    key: "limits.moves_per_task",
    means: "the most files that one task may move",
    fallback: DEFAULT_LIMITS.moves_per_task,
  },
  {
    key: "limits.extract",
    means:
      "a task that broke a limit and failed is split into smaller ones; `false`: it is tried again as it is",
    fallback: DEFAULT_EXTRACT,
  },
];

const ITERATION: readonly KnownSetting[] = [
  {
    key: "iteration.repo_id",
    means: "the name of the repository in the paths of workflows; `--repo-id` wins",
    fallback: null,
    unset: "the name of its folder",
  },
  {
    key: "iteration.workflow_dir",
    means:
      "where `stint iterate` writes: absolute, `~/…`, or below the root; `--workflow-dir` wins",
    fallback: null,
    unset: "`~/.udx/dev.kit/state/codex/workflows/<repo-id>`",
  },
  {
    key: "iteration.task_id",
    means: "the name of the workflow that is made from a request; `--task-id` wins",
    fallback: null,
    unset: "none: a workflow is refused",
  },
  {
    key: "iteration.review_log",
    means: "the [review log](manifest.md#review-logs), below the root; `--review-log` wins",
    fallback: logPaths({}).review,
  },
  {
    key: "iteration.subtask_log",
    means: "the log for the tasks of a workflow, below the root; `<task-id>` stands for its id",
    fallback: logPaths({}).subtask,
  },
  {
    key: "iteration.check",
    means:
      "a command, or a list of commands, that checks each step that `stint iterate` writes; `--check` wins",
    fallback: null,
    unset: "`npm test` if `package.json` has a test script, else none",
  },
];

export const KNOWN_SETTINGS: readonly KnownSetting[] = [
  ...IDENTITY,
  ...SESSIONS,
  ...NOTIFY,
  ...BUDGET_KEYS,
  ...PLACE,
  ...JUDGING,
  ...TIMEOUTS,
  ...LIMITS,
  ...ITERATION,
];

/** What only the front matter of a manifest says; docs/manifest.md tells of each. */
export const MANIFEST_SETTINGS: readonly Omit<KnownSetting, "means">[] = [
  { key: "plan", front: "plan", fallback: "auto" },
  { key: "session", front: "session", fallback: "one-task" },
  { key: "limits", front: "limits", fallback: "report" },
  { key: "statePage", front: "statePage", fallback: null, unset: "none" },
];
