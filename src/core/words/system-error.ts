// What an error code of the operating system means to a person: the reason in words, and what repairs it. A system error
// is the outside world that fails, never a bug of Stint.
import { StintError } from "../stint-error.ts";
import { shellWord } from "../written/commands.ts";

export interface Meaning {
  readonly reason: string;
  /** The code that fits, where the system gave another one. */
  readonly errno?: string;
  readonly repair: (path: string) => string;
}

const NO_DEVICE: Meaning = {
  reason: "its device is gone",
  repair: (path) => `Connect and mount the device of ${path} again.`,
};

const NOT_SUPPORTED: Meaning = {
  reason: "the file system cannot do this",
  repair: (path) => `Use another file system for ${path}, such as that of a local disk (df -T).`,
};

const MEANINGS: Record<string, Meaning> = {
  ENOSPC: {
    reason: "the disk is full",
    repair: (path) => `Free space on the disk of ${path} (df -h).`,
  },
  EDQUOT: { reason: "the disk quota is used up", repair: () => "Free space or raise the quota." },
  EROFS: {
    reason: "the file system is read-only",
    repair: (path) => `Make the file system of ${path} writable (mount -o remount,rw).`,
  },
  EACCES: {
    reason: "permission denied",
    repair: (path) => `Give yourself access to ${path} (ls -ld).`,
  },
  EPERM: {
    reason: "operation not permitted",
    repair: (path) =>
      `Check the owner and attributes of ${path}; the state folder needs a file system with hard links (set XDG_STATE_HOME to one).`,
  },
  EMFILE: {
    reason: "too many open files in this process",
    repair: () => "Raise the limit (ulimit -n 4096).",
  },
  ENFILE: { reason: "too many open files on this system", repair: () => "Close some programs." },
  EIO: {
    reason: "the device failed to read or write",
    repair: () => "Check the disk (dmesg | tail).",
  },
  ENOENT: {
    reason: "the file or its folder is gone",
    repair: (path) => `Put ${path} back, if somebody removed or moved it.`,
  },
  EEXIST: {
    reason: "a file is where a folder should be",
    repair: (path) => `Move ${path} aside.`,
  },
  ENAMETOOLONG: { reason: "the path is too long", repair: () => "Use shorter names." },
  EISDIR: {
    reason: "a folder is where a file should be",
    repair: (path) => `Move ${path} aside.`,
  },
  ENOTDIR: {
    reason: "a part of the path is not a folder",
    repair: (path) => `Move aside what is in the way of ${path}.`,
  },
  ELOOP: {
    reason: "too many symbolic links",
    repair: (path) => `Look where the links of ${path} lead (namei -l).`,
  },
  EBUSY: {
    reason: "something else uses it",
    repair: (path) => `End what uses ${path} (fuser -v, findmnt -T).`,
  },
  ESTALE: {
    reason: "the network file system lost it",
    repair: (path) => `Mount the file system of ${path} again.`,
  },
  ENOMEM: {
    reason: "the system has no memory left",
    repair: () => "Close some programs (free -h).",
  },
  EAGAIN: {
    reason: "the system has no room for another process",
    repair: () => "Close some programs, or raise the limit (ulimit -u).",
  },
  EFBIG: {
    reason: "the file is larger than is allowed here",
    repair: (path) =>
      `Raise the limit on the size of files (ulimit -f unlimited), or use a file system for ${path} that takes larger files.`,
  },
  EUCLEAN: {
    reason: "the file system is damaged",
    repair: (path) => `Repair the file system of ${path} (fsck).`,
  },
  ETXTBSY: {
    reason: "the program in this file is running",
    repair: (path) => `End the program that runs from ${path} (fuser -v).`,
  },
  ENODEV: NO_DEVICE,
  ENOMEDIUM: NO_DEVICE,
  ENXIO: {
    reason: "a pipe, a socket or a device is where a file should be",
    repair: (path) => `Move ${path} aside.`,
  },
  ENOTCONN: {
    reason: "the file system is no longer connected",
    repair: (path) => `Mount the file system of ${path} again.`,
  },
  ENOTSUP: NOT_SUPPORTED,
  EOPNOTSUPP: NOT_SUPPORTED,
  ENOSYS: NOT_SUPPORTED,
  ENOLCK: {
    reason: "the file system has no locks left",
    repair: (path) =>
      `Put ${path} on a local disk, or repair the locks of its network file system.`,
  },
  EOVERFLOW: {
    reason: "the file has a size or a number that this system cannot read",
    repair: (path) => `Use another file system for ${path} (df -T).`,
  },
  EMLINK: {
    reason: "the file has too many names already",
    repair: (path) => `Use another file system for ${path} (df -T).`,
  },
  EXDEV: {
    reason: "it would have to move to another file system",
    repair: (path) => `Put the folder of ${path} on one file system (findmnt -T).`,
  },
  ENOTEMPTY: {
    reason: "the folder is not empty",
    repair: (path) => `Look at what is in ${path} (ls -A).`,
  },
};

/** The same error code as a full disk; only the file system itself tells the two apart. */
export const NO_INODES: Meaning = {
  reason: "the file system has no inodes left for another file, although there is free space",
  repair: (path) => `Remove files, above all many small ones, on the disk of ${path} (df -i).`,
};

const UNKNOWN: Meaning = {
  reason: "the system refused",
  repair: () => "Look up what the code means (man errno).",
};

/** What an error code means for a path, on the file system that it lies on. */
type MeaningAt = (errno: string, path: string, syscall?: string) => Meaning;

export function meaningOf(errno: string): Meaning {
  return MEANINGS[errno] ?? UNKNOWN;
}

/** Node has no names for these; their numbers on Linux, and on macOS. */
const UNNAMED: Record<string, string> = {
  "122": "EDQUOT",
  "69": "EDQUOT",
  "116": "ESTALE",
  "70": "ESTALE",
  "37": "ENOLCK",
  "77": "ENOLCK",
  "117": "EUCLEAN",
  "123": "ENOMEDIUM",
};

/** The system's error code, when `error` is a system error. */
export function errnoOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  if (typeof code !== "string" || error instanceof StintError) return undefined;
  const number = /^Unknown system error -(\d+)$/.exec(code)?.[1];
  return number === undefined ? code : (UNNAMED[number] ?? `E${number}`);
}

/** An error of a file that is open does not say which one: whoever opened it does. */
export function ofFile<T>(path: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (errnoOf(error) !== undefined) (error as { path?: string }).path ??= path;
    throw error;
  }
}

/** What each call of the system does, as a person would say it. */
const ACTS: Record<string, string> = {
  access: "look at",
  chmod: "set the mode of",
  copyfile: "copy",
  fstat: "look at",
  fsync: "flush",
  ftruncate: "cut",
  link: "link",
  lstat: "look at",
  mkdir: "make the folder",
  mkdtemp: "make a folder below",
  open: "open",
  opendir: "list",
  read: "read",
  readlink: "look at",
  realpath: "look at",
  rename: "rename",
  rm: "remove",
  rmdir: "remove",
  scandir: "list",
  stat: "look at",
  statfs: "look at",
  symlink: "link",
  unlink: "remove",
  utime: "set the time of",
  watch: "watch",
  write: "write",
};

interface SystemError {
  readonly syscall?: string;
  readonly path?: string;
  readonly dest?: string;
}

/**
 * What stops everything because the system says no: to a file or a pipe where nobody was prepared for it. @returns null for what is no error of the system
 */
export function systemFault(error: unknown, meaning: MeaningAt): StintError | null {
  const errno = errnoOf(error);
  const { syscall, path, dest } = (error ?? {}) as SystemError;
  if (errno === undefined || syscall === undefined || !/^E[A-Z0-9]+$/.test(errno)) return null;
  const where = dest ?? path ?? "an open file or pipe";
  // No room is missing where something is read from.
  const about = ["ENOSPC", "EDQUOT", "EROFS"].includes(errno) ? (dest ?? path) : path;
  const { reason, repair, errno: code = errno } = meaning(errno, about ?? ".", syscall);
  return new StintError(
    "state-unwritable",
    `could not ${ACTS[syscall] ?? syscall} ${where}: ${reason} (${code}). Nothing more was started.`,
    `${about === undefined ? "Look at the disk (df -h; dmesg | tail)." : repair(about)} Then run: stint doctor`,
    { cause: error },
  );
}

/** @param folder that TMPDIR names, or the usual one */
export function noTemporaryFolder(folder: string, error: unknown, meaning: MeaningAt): StintError {
  const errno = errnoOf(error);
  if (errno === undefined) throw error;
  const { reason, repair } = meaning(errno, folder);
  const another = "name a folder that can be written: export TMPDIR=/var/tmp";
  const hints: Record<string, string> = {
    ENOENT: `Create it: mkdir -p ${shellWord(folder)}; or ${another}`,
    ENOSPC: `Make room for it, or ${another}`,
  };
  return new StintError(
    "state-unwritable",
    `could not make a temporary file in ${folder}: ${reason} (${errno}). Nothing was started.`,
    hints[errno] ?? `${repair(folder)} Or ${another}`,
    { cause: error },
  );
}
