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
    means: "folder that holds `<agent-id>/projects/`",
    fallback: "agents",
  },
  { key: "owner_agent", means: "identity of the orchestrator; `--as` wins", fallback: "stint" },
];

const SESSIONS: readonly KnownSetting[] = [
  {
    key: "agent",
    means: "the agent of tasks that name none; `--agent` wins",
    fallback: DEFAULT_AGENT,
    front: "agent",
  },
  {
    key: "agents",
    means:
      "instead of `agent`: a chain, as `agents: [claude, codex]`; the next one takes over while the one before it is refused by its provider",
    fallback: null,
    front: "agents",
    unset: "`agent` alone",
  },
  {
    key: "models",
    means:
      "the model of each agent, as it calls it: `models: { claude: opus, codex: gpt-5.5 }`; `--model` wins",
    fallback: null,
    unset: "the agent's own",
  },
  {
    key: "parallel",
    means: "[sessions beside each other](parallel.md), up to 16; `--parallel` wins",
    fallback: RUN.parallel ?? 1,
    front: "parallel",
  },
  {
    key: "parallel_per_agent",
    means: "the most of them that one agent has: `parallel_per_agent: { claude: 2 }`",
    fallback: null,
    unset: "as many as there may be",
  },
  {
    key: "wait",
    means: "`false`: a run ends, paused, where its agent is limited, instead of waiting",
    fallback: true,
  },
  {
    key: "watchdog",
    means:
      "`on`: a run that is killed is resumed in the background, as with `--watchdog`; `off`: nothing goes on by itself with the projects of this repository, no tick either ([watchdog](watchdog.md))",
    fallback: null,
    unset: "ticks alone",
  },
  {
    key: "browser",
    means:
      "the Chromium of [browser and render checks](checks.md): a path (relative to the work tree) or a name on PATH; `$CHROME_PATH` comes next",
    fallback: null,
    unset: "the first that is found",
  },
];

const NOTIFY: readonly KnownSetting[] = [
  {
    key: "notify.on",
    means:
      "which [notifications](notifications.md) are sent, as `on: [person-needed, done]`; `update` tells every step too",
    fallback: null,
    unset: "`person-needed`, `blocked`, `done`, `paused`",
  },
  {
    key: "notify.quiet",
    means: "hours in which nobody is disturbed, as `22:00-07:00`",
    fallback: null,
    unset: "none",
  },
  { key: "notify.desktop", means: "`true`: on the desktop", fallback: false },
  {
    key: "notify.command",
    means: "a program and its words, as `[./tell.sh, --loud]`",
    fallback: null,
    unset: "none",
  },
  { key: "notify.webhook.url", means: "the address of a webhook", fallback: null, unset: "none" },
  {
    key: "notify.webhook.secret_env",
    means: "the variable that holds the secret which signs it",
    fallback: null,
    unset: "none",
  },
];

const BUDGET_KEYS: readonly KnownSetting[] = [
  {
    key: "attempts_per_task",
    means: "attempts that one task may cost",
    fallback: BUDGETS.attempts_per_task,
  },
  {
    key: "budgets.sessions",
    means: "the most [sessions](#budgets) that a new project may have; `--max-sessions` wins",
    fallback: null,
    front: "budgets.sessions",
    unset: `3 × tasks + ${BUDGETS.sessions}`,
  },
  {
    key: "budgets.wall",
    means: "the longest that its sessions may take; `--max-wall` wins",
    fallback: `${BUDGETS.wall_ms / 3_600_000}h`,
    front: "budgets.wall",
  },
  {
    key: "budgets.tokens",
    means: "the most tokens that it may use; `--max-tokens` wins",
    fallback: null,
    front: "budgets.tokens",
    unset: "no limit",
  },
  {
    key: "budgets.cost",
    means: "the most US dollars that it may cost; `--max-cost` wins",
    fallback: null,
    front: "budgets.cost",
    unset: "no limit",
  },
];

const PLACE: readonly KnownSetting[] = [
  {
    key: "env.allow",
    means:
      'the only variables that sessions, checks and acts see, as `env: { allow: [ANTHROPIC_API_KEY, "AWS_*"] }`; `PATH`, `HOME`, `USER`, `LOGNAME`, `SHELL`, `TERM`, `TMPDIR`, `TZ`, `LANG` and `LC_*` always',
    fallback: null,
    unset: "all but Stint's own secrets",
  },
  {
    key: "isolation",
    means: "`auto`, `on` (demands a pid namespace), `off`; `--isolation` wins",
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
    means: "what they may write besides, absolute or below `~/`, as `writable: [~/.config/tool]`",
    fallback: null,
    front: "writable",
    unset: "temporary folders, caches of common tools, the agent's own state",
  },
  {
    key: "show",
    means: "what is not hidden from them, as `show: [~/.npmrc, ~/.ssh/known_hosts]`",
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
      "where sessions [work](#workspaces): `copy`, `in-place`, `own-path`; or keys, as `workspace: { kind: copy, dir: /big/disk/stint }`; `--workspace` wins",
    fallback: null,
    front: "workspace",
    unset: "`copy`; `in-place` without git",
  },
  {
    key: "workspace.dir",
    means: "where copies lie: absolute or `~/…`, outside the checkout",
    fallback: null,
    unset: "the state folder",
  },
  {
    key: "bring",
    means:
      "what a new copy gets of the files that no commit holds: `default`, `all`, `none`, or folders and patterns, as `bring: [default, data/, fixtures/**]`",
    fallback: CHOSEN.bring,
    front: "bring",
  },
  {
    key: "setup",
    means: "a command or a list of them, run in a new workspace and again when a lock file changes",
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
    means: "the folder below the root in which sessions and checks start; a task's own `dir:` wins",
    fallback: null,
    front: "dir",
    unset: "the root",
  },
  {
    key: "deliver",
    means:
      "whether verified work [goes into your branch](workspaces.md#where-the-work-is) by itself: `auto`, `checkout`, `branch`, `ask`; `--deliver` wins",
    fallback: RUN.deliver,
    front: "deliver",
  },
  {
    key: "push",
    means:
      "`auto`: verified work, to the upstream of the branch that holds it, also as a new branch; `ask`: once, at the end; `never`; `--push` wins",
    fallback: null,
    front: "push",
    unset: "`auto`, but a new branch is asked about",
  },
  {
    key: "trackState",
    means:
      "`true`: the project folder, all but its logs and its lease, is committed with each task",
    fallback: RUN.trackState,
    front: "trackState",
  },
];

const JUDGING: readonly KnownSetting[] = [
  {
    key: "release",
    means: "`ask` before a [release step](approvals.md) starts, or `auto`",
    fallback: RUN.release,
    front: "release",
  },
  {
    key: "strict",
    means: "`true`: work that only its own judges agree with fails, see [checks](checks.md)",
    fallback: RUN.strict,
    front: "strict",
  },
  {
    key: "proof",
    means:
      "whether the work is [proven in a fresh clone](checks.md) before Done: `auto`, `always`, `never`; or keys, as `proof: { when: always, budget: 10m }`",
    fallback: RUN.proof.when,
    front: "proof",
  },
  {
    key: "proof.budget",
    means: "how long the questions about one task may take",
    fallback: null,
    front: "proof.budget",
    unset: "5m, or twice the checks' own time",
  },
  {
    key: "approvals.expire",
    means: "how long a gate takes a yes before it is checked and asked anew",
    fallback: null,
    front: "approvals.expire",
    unset: "for ever",
  },
];

const TIMEOUTS: readonly KnownSetting[] = [
  {
    key: "timeouts.session",
    means: "the whole of a session; a task's `timeout:` wins",
    fallback: durationText(DEFAULT_SESSION_LIMITS.totalMs),
    front: "timeout",
  },
  {
    key: "timeouts.idle",
    means: "a session without any output",
    fallback: durationText(DEFAULT_SESSION_LIMITS.idleMs),
  },
  {
    key: "timeouts.retrying",
    means: "a session that does nothing but ask its provider again; then it is `overloaded`",
    fallback: durationText(DEFAULT_SESSION_LIMITS.retryingMs),
  },
  {
    key: "timeouts.grace",
    means: "to leave after the agent's result",
    fallback: durationText(DEFAULT_SESSION_LIMITS.graceMs),
  },
  {
    key: "timeouts.kill",
    means: "from SIGTERM to SIGKILL",
    fallback: durationText(DEFAULT_SESSION_LIMITS.killMs),
  },
  { key: "timeouts.check", means: "one check", fallback: durationText(CHECK_TIMEOUT_MS) },
  {
    key: "timeouts.setup",
    means: "one command of `setup`",
    fallback: durationText(SETUP_TIMEOUT_MS),
  },
];

const LIMITS: readonly KnownSetting[] = [
  {
    key: "limits.tasks_per_session",
    means: "tasks that one session may have, up to 6",
    fallback: DEFAULT_LIMITS.tasks_per_session,
  },
  {
    key: "limits.files_per_task",
    means: "files that one task may change",
    fallback: DEFAULT_LIMITS.files_per_task,
  },
  {
    key: "limits.new_files_per_session",
    means: "files that one session may add",
    fallback: DEFAULT_LIMITS.new_files_per_session,
  },
  {
    key: "limits.moves_per_task",
    means: "files that one task may move",
    fallback: DEFAULT_LIMITS.moves_per_task,
  },
  {
    key: "limits.extract",
    means:
      "a task that went beyond them and failed is split into smaller ones; `false`: it is tried again as it is",
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
    means: "the name of the workflow that a request becomes; `--task-id` wins",
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
    means: "where the items of a task are resolved, below the root; `<task-id>` stands for its id",
    fallback: logPaths({}).subtask,
  },
  {
    key: "iteration.check",
    means:
      "a command, or a list of them, that judges each step of what `stint iterate` writes; `--check` wins",
    fallback: null,
    unset: "`npm test` where `package.json` has a test script, else none",
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
