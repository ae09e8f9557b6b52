// Errors as the system gives them: what the store sees in `code`, `syscall` and `path`.
import { constants } from "node:os";

const TEXT = {
  EACCES: "permission denied",
  EBADF: "bad file descriptor",
  EEXIST: "file already exists",
  EINVAL: "invalid argument",
  EIO: "i/o error",
  EISDIR: "illegal operation on a directory",
  EMFILE: "too many open files",
  ENOENT: "no such file or directory",
  ENOSPC: "no space left on device",
  ENOTDIR: "not a directory",
  EPERM: "operation not permitted",
  EROFS: "read-only file system",
} as const satisfies Partial<Record<keyof typeof constants.errno, string>>;

export type SystemErrorCode = keyof typeof TEXT;

export function systemError(code: SystemErrorCode, syscall: string, path: string): Error {
  const error = new Error(`${code}: ${TEXT[code]}, ${syscall} '${path}'`);
  return Object.assign(error, { code, errno: -constants.errno[code], syscall, path });
}
