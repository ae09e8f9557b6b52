// Builds the context of a real run: processes, git, checks and agents around a held lease.
import { randomUUID } from "node:crypto";
import { instantFromMs } from "../core/instant.ts";
import { childEnvironment } from "../process/child-environment.ts";
import { chooseIsolation, type Isolation } from "../process/isolation.ts";
import { makeRedactor } from "../process/redact.ts";
import { runCommand } from "../process/run-command.ts";
import type { Host } from "../store/host.ts";
import type { Mailbox } from "../store/mailbox.ts";
import type { Holder, Store } from "../store/store.ts";
import { programGuard } from "./guard-programs.ts";
import { realWorkTree } from "./real-work-tree.ts";
import { WORK_TREE_VARIABLE } from "./run-marks.ts";
import type { Agents, News, RunContext, RunSettings, StopWanted } from "./run-context.ts";
import { DEFAULT_SESSION_LIMITS, type SessionLimits, sessionStarter } from "./session-process.ts";
import { openAnswers } from "./take-answers.ts";
import { treeFiles } from "./tree-files.ts";
import { whileWanted } from "./while-wanted.ts";

export interface RunOptions {
  readonly holder: Holder;
  readonly store: Store;
  readonly host: Host;
  readonly person: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stateHome: string;
  readonly hasGit: boolean;
  readonly dirty: "refuse" | "stash" | "commit" | "allow";
  readonly isolation: "auto" | "on" | "off";
  readonly limits?: Partial<SessionLimits>;
  readonly checkTimeoutMs?: number | undefined;
  readonly settings: RunSettings;
  readonly agents: Agents;
  readonly tell: (news: News) => void;
  readonly stopWanted: () => StopWanted | null;
  readonly mailbox: Mailbox;
}

export function openRun(options: RunOptions): RunContext & { readonly isolation: Isolation } {
  const { holder, store, host } = options;
  const { entry } = holder;
  const env = { ...options.env, [WORK_TREE_VARIABLE]: entry.root };
  const runId = holder.lease.run_id;
  const isolation = chooseIsolation(options.isolation);
  const redact = makeRedactor(env);
  const { root, manifest, folder: projectFolder } = entry;
  const answers = openAnswers(
    { holder, store, host, tell: options.tell, tree: treeFiles({ root, manifest, projectFolder }) },
    options.mailbox,
  );
  const stopWanted = (): StopWanted | null => options.stopWanted() ?? answers.stopNow();
  const unwanted = (): StopWanted | null => {
    const letGo = answers.letGo();
    return stopWanted() ?? (letGo === null ? null : { kind: "requested", reason: letGo });
  };
  const tree = realWorkTree({
    root: entry.root,
    manifest: entry.manifest,
    projectFolder: entry.folder,
    project: entry.project_id,
    hasGit: options.hasGit,
    dirty: options.dirty,
    push: options.settings.push,
    startedAtMs: host.nowMs(),
    runId,
    stopWanted,
  });
  const hide = [options.stateHome];
  const guardPrograms = programGuard({
    holder,
    store,
    host,
    isolation,
    hide,
    env,
    tell: options.tell,
  });
  guardPrograms();
  const start = sessionStarter({
    runId,
    isolation,
    hide,
    env,
    allow: undefined,
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
    checks: {
      async runShell(command, { timeoutMs, maxOutputBytes }) {
        const child = {
          program: "sh",
          args: ["-c", command],
          cwd: entry.root,
          env: childEnvironment(env, { extra: { STINT_CHECK: randomUUID() } }),
        };
        return await whileWanted(unwanted, `"${command}"`, async (signal) => {
          tree.touched();
          const result = await runCommand(child, {
            timeoutMs,
            maxOutputBytes,
            ...(options.limits?.killMs === undefined ? {} : { killMs: options.limits.killMs }),
            runId,
            isolation,
            hide,
            redact: makeRedactor(env),
            signal,
          });
          tree.touched();
          guardPrograms();
          if (result.stopped) throw signal.reason;
          return result;
        });
      },
      treeHash: () => tree.treeHash(),
      now: () => instantFromMs(host.nowMs()),
      redact: (text) => text.split("\n").map(makeRedactor(env)).join("\n"),
    },
    root: entry.root,
    settings: options.settings,
    checkTimeoutMs: options.checkTimeoutMs,
    tell: options.tell,
    answers,
    stopWanted,
  };
}
