// Runs a program of the person's in the terminal that they sit at: a shell, or one command. It sees what
// sessions see, and Ctrl-C reaches it alone. In a namespace everything that it started ends with it.
import { type ChildProcess, spawn } from "node:child_process";
import { constants } from "node:os";
import { StintError } from "../core/stint-error.ts";
import type { ChildCommand } from "./find-program.ts";
import { killChild } from "./kill-child.ts";
import { showsViews, terminalWords } from "./namespace/isolation.ts";
import { newRunVariables } from "./child-environment.ts";
import { programIn, type Start } from "./start-child.ts";

export interface TerminalStart extends Pick<Start, "runId" | "isolation" | "view"> {
  readonly command: Omit<ChildCommand, "stdin">;
  /** Ends it when aborted. */
  readonly signal: AbortSignal;
}

/** The terminal sends these to everybody in front of it; they are meant for the program. */
const OF_THE_TERMINAL: readonly NodeJS.Signals[] = ["SIGINT", "SIGQUIT"];
/** Whoever sends these wants it to end: it does, and what it left is still looked after. */
const TO_END: readonly NodeJS.Signals[] = ["SIGTERM", "SIGHUP"];

/** @returns its exit code as a shell tells it: 128 and its number for an end by a signal */
export async function runInTerminal(start: TerminalStart): Promise<number> {
  const child = spawnIn(start);
  const ignore = (): void => {};
  const end = (): void => killChild(child, "SIGHUP");
  for (const name of OF_THE_TERMINAL) process.on(name, ignore);
  for (const name of TO_END) process.on(name, end);
  start.signal.addEventListener("abort", end);
  try {
    return await exitCodeOf(child, start.command.program);
  } finally {
    for (const name of OF_THE_TERMINAL) process.off(name, ignore);
    for (const name of TO_END) process.off(name, end);
    start.signal.removeEventListener("abort", end);
  }
}

function spawnIn({ command, runId, isolation, view }: TerminalStart): ChildProcess {
  const program = programIn(command, isolation, view);
  const words = [...terminalWords(isolation, view, command.cwd), program, ...command.args];
  const [file = "", ...args] = words;
  return spawn(file, args, {
    cwd: showsViews(isolation) ? "/" : command.cwd,
    // Marked like everything of a run: what a session left there speaks for no person.
    env: { ...command.env, ...newRunVariables(runId).variables },
    stdio: "inherit",
  });
}

async function exitCodeOf(child: ChildProcess, program: string): Promise<number> {
  return await new Promise((resolve, reject) => {
    child.on("error", (cause) => {
      const hint = "Name an existing program: stint shell -- ls";
      reject(new StintError("bad-input", `${program} cannot be started`, hint, { cause }));
    });
    child.on("exit", (code, signal) => {
      resolve(code ?? 128 + (constants.signals[signal as NodeJS.Signals] ?? 0));
    });
  });
}
