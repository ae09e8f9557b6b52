// What tests of child processes share: tiny programs, who of them is alive, and waiting for facts.
import { readdirSync, readFileSync } from "node:fs";
import { randomBytes } from "node:crypto";
import { fileURLToPath } from "node:url";
import { setTimeout as sleep } from "node:timers/promises";
import { newRunId } from "../../src/core/ids.ts";
import { isolationOf } from "../../src/process/namespace/isolation.ts";
import type { ChildCommand } from "../../src/process/find-program.ts";
import { type ProcessRecord, thisMachine } from "../../src/process/process-table.ts";
import type { Supervision } from "../../src/process/supervise.ts";
import { PLAIN_VIEW } from "../../src/process/namespace/view.ts";

export const PATH = process.env["PATH"] ?? "/usr/bin:/bin";

/** Long enough never to matter in a test that goes well. */
export const NEVER_MS = 600_000;

export function program(name: string): string {
  return fileURLToPath(new URL(`../fixtures/programs/${name}`, import.meta.url));
}

export function commandOf(name: string, cwd: string, ...args: string[]): ChildCommand {
  return { program: program(name), args, cwd, env: { PATH } };
}

export interface Heard {
  readonly lines: string[];
  readonly records: ProcessRecord[];
}

/** A supervision in which nothing is due, with what it heard. */
export function quietSupervision(folder: string): Supervision & Heard {
  const lines: string[] = [];
  const records: ProcessRecord[] = [];
  return {
    lines,
    records,
    runId: newRunId(randomBytes),
    isolation: isolationOf("group"),
    view: PLAIN_VIEW,
    totalMs: NEVER_MS,
    idleMs: NEVER_MS,
    graceMs: NEVER_MS,
    killMs: NEVER_MS,
    logs: { stdout: `${folder}/out.log`, stderr: `${folder}/err.log`, maxBytes: 1_000_000 },
    redact: (line) => line,
    onLine: (stream, line) => lines.push(`${stream}: ${line}`),
    onStarted: (record) => records.push(record),
  };
}

/** The living processes that have this text in their command line. */
export function processesWith(text: string): number[] {
  const alive = new Set(
    thisMachine()
      .list()
      .filter((entry) => !entry.zombie)
      .map((entry) => entry.pid),
  );
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => alive.has(pid) && pid !== process.pid && commandLine(pid).includes(text));
}

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}

/** Waits for a fact; a test that waits in vain says for what. */
export async function until(fact: string, holds: () => boolean): Promise<void> {
  const end = performance.now() + 60_000;
  while (!holds()) {
    if (performance.now() > end) throw new Error(`it never came true that ${fact}`);
    await sleep(10);
  }
}
