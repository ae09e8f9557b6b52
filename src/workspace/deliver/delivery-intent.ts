// What a delivery is about to do, durable before it does anything, so that the next command can tell a
// killed one and complete it.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { bootId, findProcess, thisMachine } from "../../process/process-table.ts";
import { readIfThere, removeDurably, writeDurably } from "../disk/durable-file.ts";
import type { LaidFiles } from "./laid-files.ts";

export interface DeliveryIntent {
  /** Of the person's branch; null where it has no commit yet. */
  readonly from: string | null;
  readonly to: string;
  readonly branch: string;
  readonly pid: number;
  readonly start: string;
  readonly boot: string;
  readonly madeAtMs: number;
  /** What is done with files: enough to take it back, and to tell what was saved meanwhile. */
  readonly laid: LaidFiles;
}

const LOOK_MS = 50;
const LONGEST_MS = 60_000;

export function newIntent(
  what: Omit<DeliveryIntent, "pid" | "start" | "boot" | "madeAtMs">,
): DeliveryIntent {
  const start = findProcess(process.pid)?.start ?? "";
  return { ...what, pid: process.pid, start, boot: bootId(), madeAtMs: Date.now() };
}

export function writeIntent(home: string, intent: DeliveryIntent): void {
  writeDurably(join(home, "delivery.json"), JSON.stringify(intent));
}

/** One that is damaged was never complete, so nothing followed it. */
export function readIntent(home: string): DeliveryIntent | null {
  const bytes = readIfThere(join(home, "delivery.json"));
  return bytes === null ? null : (JSON.parse(bytes.toString("utf8")) as DeliveryIntent);
}

export function dropIntent(home: string): void {
  removeDurably(join(home, "delivery.json"));
}

/** Whether another process is still at it. */
export function isBeingDelivered({ pid, start, boot }: DeliveryIntent): boolean {
  if (pid === process.pid || boot !== bootId()) return false;
  const found = findProcess(pid);
  return found !== undefined && !found.zombie && found.start === start;
}

/** The git that a killed delivery started may outlive it by a moment, and move the branch. */
export async function gitEnded(intent: DeliveryIntent): Promise<boolean> {
  if (intent.boot !== bootId()) return true;
  for (let waited = 0; waited < LONGEST_MS; waited += LOOK_MS) {
    if (!isAtWork(intent.to)) return true;
    // oxlint-disable-next-line no-await-in-loop
    await sleep(LOOK_MS);
  }
  return false;
}

function isAtWork(commit: string): boolean {
  return thisMachine()
    .list()
    .some(({ pid, zombie }) => {
      if (zombie || pid === process.pid) return false;
      try {
        const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
        return words[0]?.endsWith("git") === true && words.includes(commit);
      } catch {
        return false;
      }
    });
}
