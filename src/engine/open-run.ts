// Builds the context of a real run: processes, git, checks and agents around a held lease.
import { instantFromMs } from "../core/instant.ts";
import type { Config } from "../core/schema/config.ts";
import type { Notifier } from "../notify/notifier.ts";
import { chooseIsolation, type Isolation } from "../process/isolation.ts";
import { makeRedactor } from "../process/redact.ts";
import type { View } from "../process/view.ts";
import type { Host } from "../store/host.ts";
import type { Mailbox } from "../store/mailbox.ts";
import type { Holder, Store } from "../store/store.ts";
import { type BrowserChoice, checkPorts } from "./check-ports.ts";
import { gitWorkTree } from "./git-work-tree.ts";
import { programGuard } from "./guard-programs.ts";
import { openNotices } from "./open-notices.ts";
import { plainWorkTree } from "./plain-work-tree.ts";
import { WORK_TREE_VARIABLE } from "./run-marks.ts";
import type { News } from "../core/news.ts";
import type { Agents, RunContext, RunSettings, StopWanted } from "./run-context.ts";
import { DEFAULT_SESSION_LIMITS, type SessionLimits, sessionStarter } from "./session-process.ts";
import { openAnswers } from "./take-answers.ts";
import { treeFiles } from "./tree-files.ts";

export interface RunOptions {
  readonly holder: Holder;
  readonly store: Store;
  readonly host: Host;
  readonly person: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The variables that sessions, checks and acts see; all but Stint's own secrets without it. */
  readonly allow?: readonly string[] | undefined;
  readonly stateHome: string;
  readonly hasGit: boolean;
  readonly dirty: "refuse" | "stash" | "commit" | "allow";
  readonly isolation: "auto" | "on" | "off";
  readonly limits?: Partial<SessionLimits>;
  readonly checkTimeoutMs?: number | undefined;
  readonly browser: BrowserChoice;
  readonly notify: Config["notify"];
  readonly settings: RunSettings;
  readonly agents: Agents;
  readonly tell: (news: News) => void;
  readonly stopWanted: () => StopWanted | null;
  readonly mailbox: Mailbox;
}

export interface OpenRun extends RunContext {
  readonly isolation: Isolation;
  readonly notices: Notifier | undefined;
}

export function openRun(options: RunOptions): OpenRun {
  const { holder, store, host } = options;
  const { entry } = holder;
  const env = { ...options.env, [WORK_TREE_VARIABLE]: entry.root };
  const runId = holder.lease.run_id;
  const isolation = chooseIsolation(options.isolation);
  const redact = makeRedactor(env);
  const place = { root: entry.root, manifest: entry.manifest, projectFolder: entry.folder };
  const answers = openAnswers(
    { holder, store, host, tell: options.tell, tree: treeFiles(place) },
    options.mailbox,
  );
  const stopWanted = (): StopWanted | null => options.stopWanted() ?? answers.stopNow();
  const unwanted = (): StopWanted | null => {
    const letGo = answers.letGo();
    return stopWanted() ?? (letGo === null ? null : { kind: "requested", reason: letGo });
  };
  const tree = options.hasGit
    ? gitWorkTree({
        ...place,
        project: entry.project_id,
        dirty: options.dirty,
        push: options.settings.push,
        trackState: options.settings.trackState,
        startedAtMs: host.nowMs(),
        runId,
        stopWanted,
      })
    : plainWorkTree(place);
  const view: View = { hide: [options.stateHome], mounts: [] };
  const guardPrograms = programGuard({
    holder,
    store,
    host,
    isolation,
    view,
    env,
    tell: options.tell,
  });
  guardPrograms();
  const start = sessionStarter({
    runId,
    isolation,
    view,
    env,
    allow: options.allow,
    limits: { ...DEFAULT_SESSION_LIMITS, ...options.limits },
    redact,
    now: () => instantFromMs(host.nowMs()),
  });
  return {
    holder,
    store,
    host,
    runId,
    person: options.person,
    tree,
    isolation,
    agents: options.agents,
    async startSession(call) {
      const result = await start(call);
      tree.touched();
      guardPrograms();
      return result;
    },
    checks: checkPorts({
      root: entry.root,
      env,
      allow: options.allow,
      runId,
      isolation,
      view,
      killMs: options.limits?.killMs,
      browser: options.browser,
      tree,
      host,
      stopWanted: unwanted,
      onRan: guardPrograms,
    }),
    root: entry.root,
    settings: options.settings,
    checkTimeoutMs: options.checkTimeoutMs,
    tell: options.tell,
    notices: openNotices({
      settings: options.notify,
      holder,
      store,
      host,
      env,
      runId,
      isolation,
      view,
      tell: options.tell,
    }),
    answers,
    stopWanted,
  };
}
