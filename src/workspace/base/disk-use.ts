// How much a folder takes on the disk. Links are not followed and other file systems not entered; it
// ends in time, and says so where it did not see everything.
import { readdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Instant } from "../../core/instant.ts";
import { measuredUse, type MeasuredUse } from "../../core/schema/workspace-record.ts";
import { readKept } from "./durable-file.ts";
import { factsIfPossible } from "./raw-path.ts";
import { lookAt } from "../../process/look-at.ts";

export interface DiskUse {
  readonly bytes: number;
  readonly files: number;
  /** False: there is more than this, the time was over or a folder could not be read. */
  readonly isWhole: boolean;
}

const WITHIN_MS = 5_000;
const FOLDERS_A_TURN = 100;
/** `blocks` counts these, whatever the file system has. */
const BLOCK_BYTES = 512;

export async function diskUse(path: string, withinMs = WITHIN_MS): Promise<DiskUse> {
  const endMs = performance.now() + withinMs;
  const use = { bytes: 0, files: 0, isWhole: true };
  /** A file of two names takes its place once. */
  const seen = new Set<number>();
  const top = lookAt(path);
  const open = top === undefined ? [] : [path];
  for (let at = open.pop(), count = 1; at !== undefined; at = open.pop(), count += 1) {
    if (performance.now() >= endMs) return { ...use, isWhole: false };
    // oxlint-disable-next-line no-await-in-loop
    if (count % FOLDERS_A_TURN === 0) await nextTurn();
    const names = at === path && top?.isDirectory() !== true ? [""] : namesIn(at);
    if (names === null) use.isWhole = false;
    for (const name of names ?? []) {
      const full = name === "" ? at : `${at}/${name}`;
      const facts = factsIfPossible(full);
      if (facts === undefined || facts.dev !== top?.dev) continue;
      if (facts.nlink > 1 && !facts.isDirectory() && isKnown(seen, facts.ino)) continue;
      use.bytes += facts.blocks * BLOCK_BYTES;
      if (facts.isDirectory()) open.push(full);
      else use.files += 1;
    }
  }
  return use;
}

function isKnown(seen: Set<number>, ino: number): boolean {
  if (seen.has(ino)) return true;
  seen.add(ino);
  return false;
}

function namesIn(folder: string): string[] | null {
  try {
    return readdirSync(folder);
  } catch {
    return null;
  }
}

const NAME = "use.json";

/** Kept beside the tree: to measure takes seconds, to show must not. It may be lost or wrong without harm. */
export async function measureUse(home: string, at: Instant): Promise<MeasuredUse> {
  const { bytes, files, isWhole } = await diskUse(home);
  const use: MeasuredUse = { bytes, files, is_whole: isWhole, measured_at: at };
  const temp = join(home, `${NAME}.tmp`);
  try {
    writeFileSync(temp, JSON.stringify(use), { mode: 0o600 });
    renameSync(temp, join(home, NAME));
  } catch {
    // A full disk is told by whoever needs the room.
  }
  return use;
}

export function readMeasuredUse(home: string): MeasuredUse | null {
  try {
    return readKept(join(home, NAME), measuredUse);
  } catch {
    return null;
  }
}
