// Files that are put into folders of others: each replaced whole by a rename, so that nobody reads half of one, and
// folders made and removed one by one. No link is followed.
import {
  closeSync,
  constants,
  fchmodSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmdirSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";

const TEMP = ".stint-tmp-";

/** @returns whether it was not there before */
export function makeFolder(path: string): boolean {
  try {
    mkdirSync(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    if (!lstatSync(path).isDirectory()) throw error;
    return false;
  }
}

/** Readers see the old content or the new, never a mixture. `mode`: what the file has, where it was there. */
export function writeWhole(path: string, bytes: Buffer, mode?: number): void {
  const temp = join(dirname(path), `${TEMP}${process.pid}-${basename(path)}`);
  const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW } = constants;
  const fd = openSync(temp, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, mode ?? 0o644);
  try {
    if (mode !== undefined) fchmodSync(fd, mode);
    writeFileSync(fd, bytes);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  renameSync(temp, path);
}

export function removeIfEmpty(folder: string): void {
  const facts = lstatSync(folder, { throwIfNoEntry: false });
  if (facts?.isDirectory() === true && readdirSync(folder).length === 0) rmdirSync(folder);
}

export function isTemp(path: string): boolean {
  return basename(path).startsWith(TEMP);
}

/** What killed processes left on the way to a file. */
export function removeLeftTemps(path: string): void {
  const folder = dirname(path);
  for (const name of readdirSync(folder)) {
    const pid = /^(\d+)-(.*)$/.exec(isTemp(name) ? name.slice(TEMP.length) : "");
    if (pid?.[2] === basename(path) && !isAlive(Number(pid[1]))) unlinkSync(join(folder, name));
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}
