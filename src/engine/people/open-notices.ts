// The notices of one run: kept beside its logs, told through the channels of the settings. Programs run
// as checks do, in the run's isolation and without sight of Stint's state: a session could have
// written the settings that name them.
import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import { isWithin } from "../../core/files.ts";
import type { Config } from "../../core/schema/config.ts";
import { noticeMemory } from "../../core/schema/notice.ts";
import { openChannels, type RunWords } from "../../notify/channels.ts";
import { Notifier } from "../../notify/notifier.ts";
import { childEnvironment } from "../../process/child-environment.ts";
import { whichProgram } from "../../process/find-program.ts";
import { chooseIsolation } from "../../process/namespace/isolation.ts";
import { NO_WALLS } from "../../process/namespace/walls.ts";
import { runCommand } from "../../process/run-command.ts";
import { keptPath } from "../../store/store.ts";
import { announce } from "../base/fact.ts";
import { readKept } from "../base/kept-record.ts";
import type { RunContext, Surroundings } from "../base/run-context.ts";
import { openSecrets, redacted } from "../base/secrets.ts";

export interface NoticeSurroundings
  extends Surroundings, Pick<RunContext, "holder" | "store" | "host" | "tell"> {
  readonly settings: Config["notify"];
}

const PATH = keptPath("logs", "notices.json");
/** From SIGTERM to SIGKILL, where no run says otherwise. */
const KILL_MS = 5000;
const OUTPUT_BYTES = 16 * 1024;
/** Whoever takes a project over notes few facts before its run begins. */
const LAST_LINES = 50;

/** Undefined where nobody is to be told. */
export function openNotices(around: NoticeSurroundings): Notifier | undefined {
  const { settings, holder, store, host, env, tell } = around;
  if (settings === undefined) return undefined;
  const { root, project_id } = holder.entry;
  const { channels, missing } = openChannels(settings, {
    env,
    find: (program) => whichProgram(program, env["PATH"]),
    run: wordsRunner(around, root),
    nowMs: () => host.nowMs(),
    sleep: async (ms, signal) => await host.sleep(ms, signal),
  });
  for (const text of missing) tell({ kind: "notice", text });
  for (const { name, describe } of channels) {
    if (name !== "desktop") tell({ kind: "notice", text: `may tell you by: ${describe}` });
  }
  if (channels.length === 0) return undefined;
  const redact = (text: string): string => redacted(around.secrets, text);
  return new Notifier(
    {
      kept: () => readKept(around, PATH, noticeMemory),
      keep: (memory) => holder.keep(PATH, `${JSON.stringify(memory)}\n`),
      note: (kind, summary) => announce(around, kind, summary),
      lastEvent: () =>
        store.journal(project_id, LAST_LINES).findLast(({ type }) => type === "event"),
      nowMs: () => host.nowMs(),
      minuteOfDay: () => {
        const now = new Date(host.nowMs());
        return now.getHours() * 60 + now.getMinutes();
      },
      redact,
    },
    channels,
    settings,
    holder.state,
  );
}

/** For a verb that holds the lease for a moment and tells one thing. */
export function noticesWithoutRun(
  around: Pick<NoticeSurroundings, "settings" | "holder" | "store" | "host" | "env" | "allow"> & {
    readonly stateHome: string;
  },
): Notifier | undefined {
  return openNotices({
    ...around,
    tell: () => {},
    runId: around.holder.lease.run_id,
    isolation: chooseIsolation("auto"),
    view: { hide: [around.stateHome], mounts: [] },
    walls: NO_WALLS,
    network: "all",
    at: around.holder.entry.root,
    secrets: openSecrets(around.env, around.holder.entry.root),
    killMs: KILL_MS,
  });
}

/** Whether a session may have written what runs. */
function isOfRepository(root: string, words: readonly string[]): boolean {
  return words.some((word) => {
    if (word === "") return false;
    try {
      return isWithin(realpathSync(resolve(root, word)), realpathSync(root));
    } catch {
      return false;
    }
  });
}

function wordsRunner(around: NoticeSurroundings, root: string): RunWords {
  const { view, walls } = around;
  return async ({ words, stdin, env: extra = {}, timeoutMs, signal }) => {
    const [program = "", ...args] = words;
    return await runCommand(
      {
        program,
        args,
        cwd: root,
        env: childEnvironment(around.env, { extra }),
        ...(stdin === undefined ? {} : { stdin }),
      },
      {
        timeoutMs,
        maxOutputBytes: OUTPUT_BYTES,
        runId: around.runId,
        isolation: around.isolation,
        view: isOfRepository(root, words) ? walls.around(view) : view,
        redact: around.secrets.redactor(),
        signal,
      },
    );
  };
}
