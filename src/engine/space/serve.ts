// The server of the workspace: started on a free port for one group of checks or one session, waited for
// until it answers, and ended with everything below it. Each group has its own, so that it serves the files
// as they are. A server that does not get ready blocks nothing: it may be the task to write it.
import type { Trouble } from "../../checks/check-run.ts";
import { PORT_VARIABLE, withPort } from "../../core/written/address.ts";
import type { Serve } from "../../core/written/workspace-settings.ts";
import { freePort } from "../../process/free-port.ts";
import type { InsideChild, RunContext } from "../base/run-context.ts";
import { whileTold } from "../base/while-wanted.ts";
import { howItEnded, wishesOf } from "./workspace-commands.ts";

export interface Server {
  /** Null where none is wanted. */
  readonly serve: Serve | null;
  /** By which sessions and checks find it. */
  readonly env: Readonly<Record<string, string>>;
  readonly port?: number;
  /** Why it does not serve, now. */
  readonly trouble: () => Trouble | null;
  /** To be called whatever happens; nothing of it is left then. */
  readonly stop: () => Promise<void>;
}

const READY_MS = 60_000;
const ANSWER_MS = 5_000;
const AGAIN_MS = 100;

/** `name` is that of its log. */
export async function startServer(context: RunContext, name: string): Promise<Server> {
  const { serve } = wishesOf(context);
  if (serve === undefined) return { serve: null, env: {}, trouble: () => null, async stop() {} };
  const port = await freePort();
  const env = { [PORT_VARIABLE]: String(port) };
  const child = context.startInside({
    command: serve.command,
    env,
    log: `serve/${name}.log`,
    timeoutMs: Infinity,
  });
  const stop = async (): Promise<void> => {
    child.stop("what it was started for is over");
    await child.ended;
  };
  try {
    const notReady = await whyNotReady(context, serve, port, child);
    return { serve, env, port, trouble: () => troubleOf(serve, child, notReady), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function troubleOf(serve: Serve, child: InsideChild, notReady: string | null): Trouble | null {
  const end = child.end();
  const why = end === null ? notReady : howItEnded(end, Infinity);
  if (why === null) return null;
  const summary = `the server of the workspace (${serve.command}) is not ready: it ${why}`;
  const words = child.lastWords();
  const output = words.trim() === "" ? "It printed nothing." : `It printed:\n${words}`;
  return { of: "server", summary, output };
}

/** Null once it answers. */
async function whyNotReady(
  context: RunContext,
  serve: Serve,
  port: number,
  child: InsideChild,
): Promise<string | null> {
  const { host, checks, checkTimeoutMs = READY_MS } = context;
  const readyMs = Math.min(READY_MS, checkTimeoutMs);
  const address = withPort(serve.ready, port);
  const until = performance.now() + readyMs;
  let said = "";
  const wait = async (unwanted: AbortSignal): Promise<string | null> => {
    while (performance.now() < until) {
      if (child.end() !== null) return "exited before it answered";
      // Asked again and again, one after another.
      // oxlint-disable-next-line no-await-in-loop
      const answer = await answerOf(address, unwanted);
      if (typeof answer === "number" && answer < 500) return null;
      said = typeof answer === "number" ? ` (status ${answer})` : "";
      // oxlint-disable-next-line no-await-in-loop
      await Promise.race([host.sleep(AGAIN_MS, unwanted), child.ended]);
      unwanted.throwIfAborted();
    }
    return `did not answer GET ${serve.ready} within ${Math.round(readyMs / 1000)} s${said}`;
  };
  const what = `starting the server: ${serve.command}`;
  return await whileTold(context, what, () => checks.whileWanted(what, wait));
}

/** A status, or null where nothing answered. */
async function answerOf(address: string, unwanted: AbortSignal): Promise<number | null> {
  const signal = AbortSignal.any([unwanted, AbortSignal.timeout(ANSWER_MS)]);
  try {
    const answer = await fetch(address, { redirect: "manual", signal });
    await answer.body?.cancel();
    return answer.status;
  } catch {
    unwanted.throwIfAborted();
    return null;
  }
}
