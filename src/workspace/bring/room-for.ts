// Whether a file system has room for what is about to be copied to it, asked before the first byte.
import { constants, copyFileSync, rmSync, statfsSync } from "node:fs";
import { join } from "node:path";
import { dataSize } from "../../core/words/amounts.ts";
import { StintError } from "../../core/stint-error.ts";

/** Left for the session itself, and for rounding. */
const SPARE_BYTES = 256 * 1024 * 1024;

export function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

/** @param sample a file that is to be copied; one that can be cloned takes no room */
export function assertRoomFor(folder: string, bytes: number, sample?: string): void {
  if (bytes === 0) return;
  const free = freeBytes(folder);
  if (bytes + SPARE_BYTES <= free) return;
  if (sample !== undefined && canClone(sample, folder)) return;
  throw new StintError(
    "state-unwritable",
    `a workspace in ${folder} needs ${dataSize(bytes + SPARE_BYTES)}, and ${dataSize(free)} are free there`,
    "Free some space (stint clean shows what nothing needs), put workspaces on another disk (workspace.dir in stint.config.yaml), or bring less (bring: none).",
  );
}

function canClone(file: string, folder: string): boolean {
  const copy = join(folder, `.clone-${process.pid}`);
  try {
    copyFileSync(file, copy, constants.COPYFILE_FICLONE_FORCE | constants.COPYFILE_EXCL);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(copy, { force: true });
  }
}
