// Lock files that a killed git left behind. One is removed only if it is provably nobody's: older
// than our own start, and no git process works in this repository. Any doubt leaves it alone.
import { readdirSync, readFileSync, readlinkSync, rmSync, statSync } from "node:fs";
import { join, sep } from "node:path";
import type { GitFolder } from "./git-folder.ts";

export interface HeldLock {
  readonly path: string;
  readonly hint: string;
}

/** The first lock that stands in the way of a commit and may be somebody's, or null. */
export function clearStaleLocks(
  root: string,
  folder: GitFolder,
  branch: string | null,
  startedAtMs: number,
): HeldLock | null {
  const paths = [join(folder.own, "index.lock"), join(folder.own, "HEAD.lock")];
  if (branch !== null) paths.push(join(folder.common, "refs", "heads", `${branch}.lock`));
  for (const path of paths) {
    const madeAt = madeAtMs(path);
    if (madeAt === null) continue;
    if (madeAt >= startedAtMs || gitMayRunIn([root, folder.own, folder.common])) {
      return {
        path,
        hint: `Another git process works in this repository, or one was killed. If none runs: rm '${path}'`,
      };
    }
    rmSync(path, { force: true });
  }
  return null;
}

function madeAtMs(path: string): number | null {
  try {
    return statSync(path).mtimeMs;
  } catch {
    return null;
  }
}

/** False only where the system shows all processes and none of them is git in one of these folders. */
function gitMayRunIn(folders: readonly string[]): boolean {
  let pids: string[];
  try {
    pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  } catch {
    return true;
  }
  return pids.length === 0 || pids.some((pid) => isGitIn(pid, folders));
}

function isGitIn(pid: string, folders: readonly string[]): boolean {
  try {
    if (!readFileSync(`/proc/${pid}/comm`, "utf8").startsWith("git")) return false;
  } catch {
    // It ended while we looked.
    return false;
  }
  try {
    const cwd = readlinkSync(`/proc/${pid}/cwd`);
    return folders.some((folder) => cwd === folder || cwd.startsWith(folder + sep));
  } catch (error) {
    // One that ended, reaped or not, holds nothing; one of another user cannot be ruled out.
    return (error as NodeJS.ErrnoException).code !== "ENOENT";
  }
}
