// Starts a command of the workspace itself (its setup, its server) at the root of the workspace: in the
// run's isolation, seeing what sessions see, its output kept in a log and its end told.
import type { InsideEnd, StartInside } from "../base/ports.ts";
import { mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import type { RunId } from "../../core/ids.ts";
import { BoundedLog } from "../../process/text/bounded-log.ts";
import { childEnvironment } from "../../process/child-environment.ts";
import { HeadAndTail, LineSplitter } from "../../process/text/bounded-text.ts";
import type { Isolation } from "../../process/namespace/isolation.ts";
import { runChild } from "../../process/run-child.ts";
import type { View } from "../../process/namespace/view.ts";

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
