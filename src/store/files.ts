// The file system as the store sees it: the few calls that durability is made of, one to one with
// the system's own. Tests put a model in its place that knows what was flushed, and one that fails.
//
// And all wording for a disk that says no. A state that cannot be written is a hard stop (S3-24): the
// message says what failed, where and why; the hint says what repairs it.
import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  renameSync,
  statSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { StintError } from "../core/stint-error.ts";

export type OpenMode =
  /** Read. */
  | "r"
  /** Read and write an existing file. */
  | "r+"
  /** Create exclusively and write: fails with EEXIST. */
  | "wx";

export interface FileFacts {
  readonly kind: "file" | "folder" | "other";
  readonly size: number;
  /** Changes whenever content or name changed; compares equal only for an untouched file. */
  readonly fingerprint: string;
}

/** Every call throws the system's error with its `code`; only `stat` answers `undefined` for ENOENT. */
export interface Files {
  open(path: string, mode: OpenMode, permissions?: number): number;
  /**
   * Writes `bytes[offset, offset + length)` at `position` of the file.
   * Returns how many bytes were taken, which may be fewer than asked.
   */
  write(fd: number, bytes: Uint8Array, offset: number, length: number, position: number): number;
  /** Whole content of an open file. */
  read(fd: number): Buffer;
  truncate(fd: number, size: number): void;
  fsync(fd: number): void;
  close(fd: number): void;
  /** Makes the names in a folder durable: creations, renames and removals. */
  syncFolder(path: string): void;
  mkdir(path: string, permissions: number): void;
  link(existing: string, added: string): void;
  rename(from: string, to: string): void;
  unlink(path: string): void;
  list(path: string): string[];
  stat(path: string): FileFacts | undefined;
  /** The path with every link resolved. */
  realPath(path: string): string;
}

export const realFiles: Files = {
  // Without O_NONBLOCK a pipe that somebody put in place of a file would be waited for for ever.
  open: (path, mode, permissions) =>
    openSync(path, mode === "r" ? constants.O_RDONLY | constants.O_NONBLOCK : mode, permissions),
  write: (fd, bytes, offset, length, position) => writeSync(fd, bytes, offset, length, position),
  read(fd) {
    const { size } = fstatSync(fd);
    const bytes = Buffer.allocUnsafe(size);
    let filled = 0;
    while (filled < size) {
      const got = readSync(fd, bytes, filled, size - filled, filled);
      if (got === 0) break;
      filled += got;
    }
    return bytes.subarray(0, filled);
  },
  truncate: (fd, size) => ftruncateSync(fd, size),
  fsync: (fd) => fsyncSync(fd),
  close: (fd) => closeSync(fd),
  syncFolder(path) {
    const fd = openSync(path, "r");
    try {
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  },
  mkdir: (path, permissions) => mkdirSync(path, { mode: permissions }),
  link: (existing, added) => linkSync(existing, added),
  rename: (from, to) => renameSync(from, to),
  unlink: (path) => unlinkSync(path),
  list: (path) => readdirSync(path),
  realPath: (path) => realpathSync(path),
  stat(path) {
    const facts = statIfThere(path);
    if (facts === undefined) return undefined;
    return {
      kind: facts.isFile() ? "file" : facts.isDirectory() ? "folder" : "other",
      size: Number(facts.size),
      fingerprint: `${facts.ino}:${facts.size}:${facts.mtimeNs}:${facts.ctimeNs}`,
    };
  },
};

/** Node versions differ on a path below a file: some throw ENOTDIR, some say that nothing is there. */
function statIfThere(path: string): BigIntStats | undefined {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOTDIR") return undefined;
    throw error;
  }
}

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
