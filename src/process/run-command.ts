// Runs a short command to its end: a check, or a logistical step of a manifest. Its output comes
// back as one bounded text, and its whole tree is gone when the promise resolves.
import { constants } from "node:os";
import { StintError } from "../core/stint-error.ts";
import type { ChildCommand } from "./find-program.ts";
import { HeadAndTail, LineSplitter } from "./text/bounded-output.ts";
import { type ChildRun, runChild } from "./run-child.ts";
import { PLAIN_VIEW, type View } from "./namespace/view.ts";

export interface CommandLimits extends Pick<ChildRun, "runId" | "isolation" | "ownFolder"> {
  readonly timeoutMs: number;
  readonly maxOutputBytes: number;
  readonly redact: (line: string) => string;
  /** What the command sees, where the isolation shows views; by default all there is. */
  readonly view?: View;
  /** From SIGTERM to SIGKILL. */
  readonly killMs?: number;
  /** Ends it when aborted. */
  readonly signal?: AbortSignal;
}

export interface CommandResult {
  /** As a shell tells it: 128 and its number for an end by a signal. Null if it never ended. */
  readonly exitCode: number | null;
  readonly timedOut: boolean;
  /** Ended because its signal was aborted. */
  readonly stopped: boolean;
  readonly durationMs: number;
  /** stdout and stderr as they came, redacted; of a long output the beginning and the end. */
  readonly output: string;
  readonly outputBytes: number;
  /** Descendants that had to be ended after the command was gone. */
  readonly leftBehind: number;
}

const KILL_MS = 5000;

/** Rejects with a StintError when the program, its folder, a free process or its namespace is missing. */
export async function runCommand(
  command: ChildCommand,
  limits: CommandLimits,
): Promise<CommandResult> {
  const kept = new HeadAndTail(limits.maxOutputBytes);
  const lines = new LineSplitter(limits.redact, (line) => kept.push(`${line}\n`));
  let outputBytes = 0;
  const child = runChild({
    view: PLAIN_VIEW,
    killMs: KILL_MS,
    ...limits,
    command,
    combined: true,
    limits: { totalMs: limits.timeoutMs, idleMs: Infinity, graceMs: Infinity },
    onOutput(_, bytes) {
      outputBytes += bytes.length;
      lines.push(bytes);
    },
  });
  const stop = (): void => child.stop("no longer wanted");
  limits.signal?.addEventListener("abort", stop);
  if (limits.signal?.aborted === true) stop();
  const end = await child.ended;
  limits.signal?.removeEventListener("abort", stop);
  lines.end();
  if (end.notStarted !== undefined) throw withoutNamespace(end.notStarted);
  return {
    exitCode: end.exitCode ?? codeOf(end.signal),
    timedOut: end.endedBy === "total-timeout",
    stopped: end.endedBy === "stopped",
    durationMs: end.durationMs,
    output: kept.text,
    outputBytes,
    leftBehind: end.leftBehind,
  };
}

/** What the makers of a namespace say is never the output of a command. */
function withoutNamespace(said: string): StintError {
  const why = said.split("\n")[0] ?? "";
  return new StintError(
    "state-unwritable",
    `no namespace could be made for a command${why === "" ? "" : `: ${why}`}`,
    "See what is wrong: stint doctor; then start again what was stopped",
  );
}

function codeOf(signal: string | null): number | null {
  const number = constants.signals[signal as keyof typeof constants.signals];
  return number === undefined ? null : 128 + number;
}
