// The temporary folder of one page check. Its name says who made it, so that the next check can tell
// what a killed one left: a maker of this boot and this pid namespace that runs no longer. Only such
// folders of this user are removed, never what a link leads to; whoever cannot be judged keeps theirs.
import {
  accessSync,
  constants,
  lstatSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
} from "node:fs";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { bootId, findProcess, pidNamespace, type ProcessEntry } from "../process/process-table.ts";

type Maker = Pick<ProcessEntry, "pid" | "start">;

const BEGINNING = "stint-page-";
const NAME = /^stint-page-([0-9a-f]{6})-(\d+)-([0-9a-f]{6})-\w{6}$/;

export function makePageFolder(base: string): string {
  const self = findProcess(process.pid);
  // Who cannot see itself can tell of nobody whether it runs.
  if (self === undefined) return mkdtempSync(join(base, BEGINNING));
  removeLeftFolders(base);
  return mkdtempSync(join(base, pageFolderBeginning(self)));
}

/** A browser's socket in the longest such folder; systems take at most 103 bytes for all of its path. */
const SOCKET = `${BEGINNING}123456-4194304-123456-XXXXXX/org.chromium.Chromium.XXXXXX/SingletonSocket`;
const LONGEST_PATH = 103;
const SHORTEST_BASE = "/tmp";

/** Where such folders are made: in the temporary folder, unless a browser could not start there. */
export function pageFolderBase(temporary: string): string {
  const wanted = realpathSync(temporary);
  if (Buffer.byteLength(join(wanted, SOCKET)) <= LONGEST_PATH) return wanted;
  try {
    accessSync(SHORTEST_BASE, constants.W_OK | constants.X_OK);
    return realpathSync(SHORTEST_BASE);
  } catch {
    return wanted;
  }
}

export function pageFolderBeginning({ pid, start }: Maker): string {
  return `${BEGINNING}${here()}-${pid}-${short(start)}-`;
}

function removeLeftFolders(base: string): void {
  const ours = here();
  for (const name of readdirSync(base)) {
    const [, place, pid, start] = NAME.exec(name) ?? [];
    if (place !== ours || isRunning(Number(pid), start)) continue;
    const path = join(base, name);
    const facts = lstatSync(path, { throwIfNoEntry: false });
    if (facts?.isDirectory() !== true || facts.uid !== process.getuid?.()) continue;
    try {
      rmSync(path, { recursive: true, force: true });
    } catch {
      // Another check may be at it, or may not be allowed to; it holds up nobody.
    }
  }
}

/** Pids are used again; a start time in the same boot is not. */
function isRunning(pid: number, start: string | undefined): boolean {
  const found = findProcess(pid);
  return found !== undefined && !found.zombie && short(found.start) === start;
}

/** Where pids mean the same. */
function here(): string {
  return short(`${bootId()} ${pidNamespace()}`);
}

function short(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 6);
}
