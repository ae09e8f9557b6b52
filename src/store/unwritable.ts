// All wording for a disk that says no. A state that cannot be written is a hard stop (S3-24): the
// message says what failed, where and why; the hint says what repairs it.
import { StintError } from "../core/stint-error.ts";

interface Meaning {
  readonly reason: string;
  readonly repair: (path: string) => string;
}

const MEANINGS: Record<string, Meaning> = {
  ENOSPC: {
    reason: "the disk is full",
    repair: (path) => `Free space where ${path} lives (df -h).`,
  },
  EDQUOT: { reason: "the disk quota is used up", repair: () => "Free space or raise the quota." },
  EROFS: {
    reason: "the file system is read-only",
    repair: (path) => `Make the file system of ${path} writable (mount -o remount,rw).`,
  },
  EACCES: { reason: "permission denied", repair: (path) => `Give yourself access: ls -ld ${path}` },
  EPERM: {
    reason: "operation not permitted",
    repair: (path) =>
      `Check the owner and attributes of ${path}; a file system without hard links cannot hold the state folder (set XDG_STATE_HOME to one that can).`,
  },
  EMFILE: {
    reason: "too many open files in this process",
    repair: () => "Raise the limit: ulimit -n 4096",
  },
  ENFILE: { reason: "too many open files on this system", repair: () => "Close some programs." },
  EIO: {
    reason: "the device failed to read or write",
    repair: () => "Check the disk: dmesg | tail",
  },
  ENOENT: {
    reason: "the file or its folder is gone",
    repair: (path) => `Somebody removed ${path}.`,
  },
  EEXIST: {
    reason: "a file stands where a folder belongs",
    repair: (path) => `Move it aside: mv ${path} ${path}.old`,
  },
  ENAMETOOLONG: { reason: "the path is too long", repair: () => "Use shorter names." },
  EISDIR: {
    reason: "a folder stands where a file belongs",
    repair: (path) => `Move it aside: mv ${path} ${path}.old`,
  },
  ENOTDIR: {
    reason: "a part of the path is not a folder",
    repair: (path) => `Move aside what stands in the way of ${path}.`,
  },
};

/** The system's error code, when `error` is a system error. */
export function errnoOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" && !(error instanceof StintError) ? code : undefined;
}

/** Runs an act on the disk; a system error becomes the hard stop. Anything else passes through. */
export function orHardStop<T>(act: string, path: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === undefined) throw error;
    throw unwritable(act, path, errno, error);
  }
}

export function unwritable(act: string, path: string, errno: string, cause?: unknown): StintError {
  const meaning = MEANINGS[errno];
  return new StintError(
    "state-unwritable",
    `could not ${act} ${path}: ${meaning?.reason ?? "the system refused"} (${errno}). Nothing more was started and nothing is claimed.`,
    `${meaning?.repair(path) ?? "Look at the error code."} Then run: stint doctor`,
    { cause },
  );
}
