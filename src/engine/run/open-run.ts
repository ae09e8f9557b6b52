// Builds the context of a real run: processes, git, checks and agents around a held lease.
import { instantFromMs } from "../../core/instant.ts";
import type { News } from "../../core/news.ts";
import type { Config } from "../../core/schema/config.ts";
import type { Notifier } from "../../notify/notifier.ts";
import { chooseIsolation, type Isolation } from "../../process/namespace/isolation.ts";
import { makeRedactor } from "../../process/text/redact.ts";
import type { Host } from "../../store/host.ts";
import { projectLayout } from "../../store/layout.ts";
import type { Mailbox } from "../../store/mailbox.ts";
import type { Holder, Store } from "../../store/store.ts";
import { type BrowserChoice, checkPorts } from "../attempt/check-ports.ts";
import {
  DEFAULT_SESSION_LIMITS,
  type SessionLimits,
  sessionStarter,
} from "../attempt/session-process.ts";
import type { Agents, RunContext, RunSettings, StopWanted } from "../base/run-context.ts";
import { treeFiles } from "../base/tree-files.ts";
import { deliveryRule } from "../finish/deliver.ts";
import { NO_PUSH, workPush } from "../finish/push.ts";
import { openNotices } from "../people/open-notices.ts";
import { personsGit } from "../people/persons-git.ts";
import { openAnswers } from "../people/take-answers.ts";
import { openSpace, type SpaceChoice, WORK_TREE_VARIABLE } from "../space/open-space.ts";
import { insideStarter } from "../space/serve.ts";
import { agentFiles, layAgentFiles } from "./run-agents.ts";

export interface RunOptions {
  readonly holder: Holder;
  readonly store: Store;
  readonly host: Host;
  readonly person: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The variables that sessions, checks and acts see; all but Stint's own secrets without it. */
  readonly allow?: readonly string[] | undefined;
  readonly stateHome: string;
  readonly space: SpaceChoice;
  readonly isolation: "auto" | "on" | "off";
  readonly limits?: Partial<SessionLimits>;
  readonly checkTimeoutMs?: number | undefined;
  readonly setupTimeoutMs?: number | undefined;
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

export async function openRun(options: RunOptions): Promise<OpenRun> {
  const { holder, store, host } = options;
  const { entry } = holder;
  const runId = holder.lease.run_id;
  const isolation = chooseIsolation(options.isolation);
  const place = { root: entry.root, manifest: entry.manifest, projectFolder: entry.folder };
  const checkout = treeFiles(place);
  const answers = openAnswers(
    {
      holder,
      store,
      host,
      tell: options.tell,
      checkout,
      isInPlace: options.space.kind === "in-place",
    },
    options.mailbox,
  );
  const stopWanted = (): StopWanted | null => options.stopWanted() ?? answers.stopNow();
  const unwanted = (): StopWanted | null => {
    const letGo = answers.letGo();
    return stopWanted() ?? (letGo === null ? null : { kind: "requested", reason: letGo });
  };
  const files =
    options.space.kind === "in-place"
      ? []
      : await agentFiles(entry.root, holder.state.tasks, options.agents);
  const { space, laidTree, touched } = openSpace({
    holder,
    store,
    agentFiles: files,
    runId,
    isolation,
    env: options.env,
    stateHome: options.stateHome,
    choice: options.space,
    tell: options.tell,
    stopWanted,
  });
  const { view } = space;
  const env = { ...options.env, [WORK_TREE_VARIABLE]: space.at };
  const redact = makeRedactor(env);
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
    checkout,
    space,
    copy: treeFiles({ ...place, root: space.folder, isCopy: space.kind === "own-copy" }),
    layAgentFiles: () => layAgentFiles(entry.root, space.folder, files),
    rule: deliveryRule(entry.root, options.settings.deliver),
    push: options.space.hasGit
      ? workPush({ root: entry.root, policy: options.settings.push, runId, stopWanted })
      : NO_PUSH,
    personsGit: personsGit(holder, store),
    isolation,
    agents: options.agents,
    startSession: touching(touched, start),
    startInside: touching(
      touched,
      insideStarter({
        runId,
        isolation,
        view,
        at: space.at,
        env,
        allow: options.allow,
        logs: projectLayout(entry).logs,
        killMs: options.limits?.killMs ?? DEFAULT_SESSION_LIMITS.killMs,
        redact,
      }),
    ),
    checks: checkPorts({
      at: space.at,
      env,
      allow: options.allow,
      runId,
      isolation,
      view,
      checkout: { at: entry.root, view: { hide: view.hide, mounts: [] } },
      killMs: options.limits?.killMs,
      browser: options.browser,
      laidTree,
      touched,
      host,
      stopWanted: unwanted,
    }),
    settings: options.settings,
    checkTimeoutMs: options.checkTimeoutMs,
    setupTimeoutMs: options.setupTimeoutMs,
    tell: options.tell,
    notices: openNotices({
      settings: options.notify,
      holder,
      store,
      host,
      env,
      runId,
      isolation,
      view: { hide: [options.stateHome], mounts: [] },
      tell: options.tell,
    }),
    answers,
    stopWanted,
  };
}

/** Whatever is started may change files. */
function touching<A extends readonly unknown[], T>(
  touched: () => void,
  start: (...call: A) => T,
): (...call: A) => T {
  return (...call) => {
    touched();
    return start(...call);
  };
}
