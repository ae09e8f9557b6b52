// A file port that fails on demand: an error of the system, or a write that takes fewer bytes than
// asked, at the n-th call of all or of one kind, once or from then on.
import type { Files } from "../../src/store/files.ts";
import { systemError, type SystemErrorCode } from "./system-error.ts";

export type FileCall = keyof Files;

export interface FileFault {
  /** Number of the call, from 1; counts every call, or those of `kind`. */
  readonly at: number;
  readonly kind?: FileCall;
  /** Whether later calls (of that kind) fail as well, as on a full disk. */
  readonly lasting?: boolean;
  readonly effect:
    | SystemErrorCode
    /** The act happens and its answer is lost, as on a network file system. */
    | { readonly afterwards: SystemErrorCode }
    /** How many bytes a write takes. Other calls work as ever. */
    | { readonly writes: "nothing" | "one byte" | "half" };
}

export interface FaultyFiles extends Files {
  /** Calls made so far, in order. */
  readonly calls: readonly FileCall[];
  /** How often the fault has struck. */
  readonly struck: number;
  /** Runs something whose calls neither count nor fail. */
  pause(run: () => void): void;
}

const FALLIBLE = new Set<FileCall>([
  "open",
  "write",
  "read",
  "truncate",
  "fsync",
  "syncFolder",
  "mkdir",
  "link",
  "rename",
  "unlink",
  "list",
  "stat",
]);

/** Wraps a file port. Closing is never refused: the descriptor is gone whatever it answers. */
export function faultyFiles(files: Files, fault?: FileFault): FaultyFiles {
  const calls: FileCall[] = [];
  let matching = 0;
  let struck = 0;
  let paused = false;

  function strikes(call: FileCall): boolean {
    if (paused) return false;
    calls.push(call);
    if (fault === undefined || !FALLIBLE.has(call)) return false;
    if (fault.kind !== undefined && fault.kind !== call) return false;
    matching++;
    const hit = fault.lasting === true ? matching >= fault.at : matching === fault.at;
    if (hit) struck++;
    return hit;
  }

  function guarded<T>(call: FileCall, path: string, run: () => T): T {
    if (!strikes(call) || fault === undefined) return run();
    if (typeof fault.effect === "string") throw systemError(fault.effect, call, path);
    if ("writes" in fault.effect) return run();
    run();
    throw systemError(fault.effect.afterwards, call, path);
  }

  return {
    get calls() {
      return calls;
    },
    get struck() {
      return struck;
    },
    pause(run) {
      paused = true;
      run();
      paused = false;
    },
    open: (path, mode, permissions) =>
      guarded("open", path, () => files.open(path, mode, permissions)),
    write(fd, bytes, offset, length, position) {
      const write = (taken: number): number =>
        taken === 0 ? 0 : files.write(fd, bytes, offset, taken, position);
      if (!strikes("write") || fault === undefined) return write(length);
      if (typeof fault.effect === "string") throw systemError(fault.effect, "write", `fd ${fd}`);
      if ("afterwards" in fault.effect) {
        write(length);
        throw systemError(fault.effect.afterwards, "write", `fd ${fd}`);
      }
      const taken = { nothing: 0, "one byte": 1, half: Math.ceil(length / 2) };
      return write(taken[fault.effect.writes]);
    },
    read: (fd) => guarded("read", `fd ${fd}`, () => files.read(fd)),
    truncate: (fd, size) => guarded("truncate", `fd ${fd}`, () => files.truncate(fd, size)),
    fsync: (fd) => guarded("fsync", `fd ${fd}`, () => files.fsync(fd)),
    close: (fd) => guarded("close", `fd ${fd}`, () => files.close(fd)),
    syncFolder: (path) => guarded("syncFolder", path, () => files.syncFolder(path)),
    mkdir: (path, permissions) => guarded("mkdir", path, () => files.mkdir(path, permissions)),
    link: (existing, added) => guarded("link", added, () => files.link(existing, added)),
    rename: (from, to) => guarded("rename", to, () => files.rename(from, to)),
    unlink: (path) => guarded("unlink", path, () => files.unlink(path)),
    list: (path) => guarded("list", path, () => files.list(path)),
    realPath: (path) => files.realPath(path),
    stat: (path) => guarded("stat", path, () => files.stat(path)),
  };
}
