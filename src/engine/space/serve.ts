// Commands of the workspace itself, started at its root in the run's isolation: its setup, and its server,
// which each group of checks and each session gets anew, so that it serves the files as they are. A server
// that does not get ready blocks nothing: it may be the task to write it.
import type { InsideChild, InsideEnd, RunContext, StartInside } from "../base/run-context.ts";
import { mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Trouble } from "../../checks/check-run.ts";
import type { Serve } from "../../core/written/workspace-settings.ts";
import { PORT_VARIABLE, withPort } from "../../core/written/address.ts";
import type { RunId } from "../../core/ids.ts";
import { childEnvironment } from "../../process/child-environment.ts";
import { freePort } from "../../process/free-port.ts";
import type { Isolation } from "../../process/namespace/isolation.ts";
import type { View } from "../../process/namespace/view.ts";
import { runChild } from "../../process/run-child.ts";
import { BoundedLog, HeadAndTail, LineSplitter } from "../../process/text/bounded-output.ts";
import { whileTold } from "../base/while-wanted.ts";
import { wishesOf } from "./workspace-wishes.ts";

export interface InsideSurroundings {
  readonly runId: RunId;
  readonly isolation: Isolation;
  readonly view: View;
  readonly at: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly allow: readonly string[] | undefined;
  readonly logs: string;
  readonly killMs: number;
  readonly redact: (line: string) => string;
}

const LOG_BYTES = 10 * 1024 * 1024;
const WORDS_BYTES = 4096;

export function insideStarter(surroundings: InsideSurroundings): StartInside {
  const { runId, isolation, view, at, killMs, redact } = surroundings;
  return (call) => {
    const file = join(surroundings.logs, call.log);
    mkdirSync(dirname(file), { recursive: true });
    rmSync(file, { force: true });
    const words = new HeadAndTail(WORDS_BYTES);
    const log = new BoundedLog(file, LOG_BYTES, (note) => words.push(`${note}\n`));
    const lines = new LineSplitter(redact, (line) => {
      log.line(line);
      words.push(`${line}\n`);
    });
    const { env, allow } = surroundings;
    const child = runChild({
      command: {
        program: "sh",
        args: ["-c", call.command],
        cwd: at,
        env: childEnvironment(env, { allow, extra: call.env }),
      },
      runId,
      isolation,
      view,
      combined: true,
      limits: { totalMs: call.timeoutMs, idleMs: Infinity, graceMs: Infinity },
      killMs,
      onOutput: (_, bytes) => lines.push(bytes),
    });
    let end: InsideEnd | null = null;
    const ended = child.ended.then(({ exitCode, endedBy }): InsideEnd => {
      lines.end();
      log.close();
      end = { exitCode, timedOut: endedBy === "total-timeout" };
      return end;
    });
    return {
      ended,
      end: () => end,
      stop: (reason) => child.stop(reason),
      lastWords: () => words.text,
    };
  };
}

/** As a person reads it. */
export function howItEnded({ exitCode, timedOut }: InsideEnd, timeoutMs: number): string {
  if (timedOut) return `did not end within ${Math.round(timeoutMs / 60_000)} min`;
  return exitCode === null ? "was ended by a signal" : `exited with code ${exitCode}`;
}

export interface Server {
  readonly serve: Serve;
  /** By which sessions and checks find it. */
  readonly env: Readonly<Record<string, string>>;
  readonly port: number;
  /** Why it does not serve, now. */
  readonly trouble: () => Trouble | null;
}

const READY_MS = 60_000;
const ANSWER_MS = 5_000;
const AGAIN_MS = 100;

export interface Serving {
  /** Null where no server is wanted. */
  readonly server: Server | null;
  /** To be called whatever happens; nothing of it is left then. */
  readonly stop: () => Promise<void>;
}

/** `name` is that of its log. */
export async function startServer(context: RunContext, name: string): Promise<Serving> {
  const { serve } = wishesOf(context);
  if (serve === undefined) return { server: null, async stop() {} };
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
    const trouble = (): Trouble | null => troubleOf(serve, child, notReady);
    return { server: { serve, env, port, trouble }, stop };
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
