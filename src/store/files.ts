// The file system as the store sees it: the few calls that durability is made of, one to one with
// the system's own. Tests put a model in its place that knows what was flushed, and one that fails.
//
// And the wording for a disk that says no. A state that cannot be written is a hard stop (S3-24): the
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
import { errnoOf } from "../core/words/system-error.ts";
import { meaningAt } from "../process/meaning-at.ts";

export { readAtOnce } from "../process/read-at-once.ts";
export { inTheWayOf, isFull, meaningAt, nearest } from "../process/meaning-at.ts";

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
  const { reason, repair } = meaningAt(errno, path);
  return new StintError(
    "state-unwritable",
    `could not ${act} ${path}: ${reason} (${errno}). Nothing more was started.`,
    `${repair(path)} Then run: stint doctor`,
    { cause },
  );
}
