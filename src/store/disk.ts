// The durable acts everything else is made of. Each is complete or absent after a crash:
//   create/replace: temp file in the same folder → write (every return value checked) → fsync →
//                   link or rename → fsync folder
//   write at:       write at a known position → fsync (and the folder, when the file is new); a line
//                   has one place in its log, so writing it again changes nothing
// The light ones leave out every fsync: for copies of what is durable elsewhere. A loss of power may
// take them away, cut them, or fill their end with NUL bytes.
// A temp file that a crash leaves behind is removed by the next owner. A disk that says no is a hard stop.
import { dirname, join } from "node:path";
import { errnoOf } from "../core/words/system-error.ts";
import { type FileFacts, type Files, orHardStop, unwritable } from "./files.ts";

const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;

const TEMP_PREFIX = ".stint-tmp-";

export function isTemp(name: string): boolean {
  return name.startsWith(TEMP_PREFIX);
}

/** Folders whose names this process made durable itself: once is enough. */
const made = new WeakMap<Files, Set<string>>();

export class Disk {
  readonly files: Files;
  /** Names the temp files of this owner alone: two processes must never share one. */
  readonly #tag: string;

  constructor(files: Files, tag: string) {
    this.files = files;
    this.#tag = tag;
  }

  /** Whole content of a file; undefined where there is none. */
  read(path: string): Buffer | undefined {
    return orHardStop("read", path, () => readIfPresent(this.files, path));
  }

  /** Names in a folder; an absent folder has none. */
  list(path: string): string[] {
    return orHardStop("list", path, () => listIfPresent(this.files, path));
  }

  stat(path: string): FileFacts | undefined {
    return orHardStop("look at", path, () => this.files.stat(path));
  }

  realPath(path: string): string {
    return orHardStop("look at", path, () => this.files.realPath(path));
  }

  /** Makes a folder and its missing parents, each name durable before anything is put inside. */
  ensureFolder(path: string): void {
    const known = made.get(this.files) ?? new Set();
    made.set(this.files, known);
    orHardStop("make the folder", path, () => makeFolder(this.files, path, known));
  }

  /** Makes a folder and its missing parents without waiting for the disk. */
  ensureFolderLightly(path: string): void {
    orHardStop("make the folder", path, () => {
      const missing: string[] = [];
      for (let at = path; this.files.stat(at)?.kind !== "folder"; at = dirname(at)) {
        missing.unshift(at);
        if (dirname(at) === at) break;
      }
      for (const folder of missing) mkdirIfAbsent(this.files, folder);
    });
  }

  /**
   * Makes durable what is seen. A writer that was killed leaves names and bytes that everybody sees
   * and a loss of power still takes away; they must not be built upon before this.
   */
  flushFolder(path: string): void {
    orHardStop("flush", path, () => this.files.syncFolder(path));
  }

  /** The same for the content of a file. */
  flushFile(path: string): void {
    orHardStop("flush", path, () => {
      this.#within(this.files.open(path, "r+"), (fd) => this.files.fsync(fd));
    });
  }

  /** Replaces a file whole. Readers see the old content or the new, never a mixture. */
  replace(path: string, bytes: Uint8Array): void {
    orHardStop("write", path, () => {
      this.files.rename(this.#writeTemp(path, bytes, true), path);
      this.files.syncFolder(dirname(path));
    });
  }

  /** The same for many files below a folder, with one flush of each folder. */
  replaceAll(top: string, contents: ReadonlyMap<string, Uint8Array>): void {
    const folders = new Set<string>();
    for (const [name, bytes] of contents) {
      const path = join(top, name);
      this.ensureFolder(dirname(path));
      orHardStop("write", path, () => {
        this.files.rename(this.#writeTemp(path, bytes, true), path);
      });
      folders.add(dirname(path));
    }
    for (const folder of folders) this.flushFolder(folder);
  }

  /** Replaces a file whole without waiting for the disk: for content that can be made again. */
  replaceLightly(path: string, bytes: Uint8Array): void {
    orHardStop("write", path, () => {
      this.files.rename(this.#writeTemp(path, bytes, false), path);
    });
  }

  /**
   * Creates a file that must not exist yet, whole and durable. This is the compare-and-swap of the
   * store: of any number of processes that create one name, exactly one is told `true`.
   */
  create(path: string, bytes: Uint8Array): boolean {
    return orHardStop("write", path, () => {
      const created = this.#linkNew(path, bytes);
      // Also for the loser: the name it lost against must be durable before it is acted upon.
      this.files.syncFolder(dirname(path));
      return created;
    });
  }

  /** Begins again where a new owner took the temp file for that of a crash; its name is nobody else's. */
  #linkNew(path: string, bytes: Uint8Array): boolean {
    for (;;) {
      const temp = this.#writeTemp(path, bytes, true);
      const linked = linkIfPossible(this.files, temp, path);
      unlinkIfPresent(this.files, temp);
      if (linked !== "gone") return linked === "made";
    }
  }

  /** Gives a file a second name that must not exist yet, unflushed; others may have taken either of the two away. */
  linkLightly(path: string, added: string): "made" | "taken" | "gone" {
    return orHardStop("write", added, () => linkIfPossible(this.files, path, added));
  }

  /** Gives content to a file that is there, empty and by a durable name. @returns false where it is gone */
  writeOver(path: string, bytes: Uint8Array): boolean {
    return orHardStop("write", path, () => {
      let fd: number;
      try {
        fd = this.files.open(path, "r+");
      } catch (error) {
        if (errnoOf(error) !== "ENOENT") throw error;
        return false;
      }
      this.#writeAll(fd, path, bytes, { position: 0, durable: true });
      return true;
    });
  }

  /** Makes an empty file that must not exist yet, unflushed. */
  createEmptyLightly(path: string): void {
    orHardStop("write", path, () => this.files.close(this.files.open(path, "wx", PRIVATE_FILE)));
  }

  /** Writes a piece of a log at its place. */
  writeAt(path: string, position: number, bytes: Uint8Array): void {
    this.#writeAt(path, bytes, { position, durable: true });
  }

  /** The same without waiting for the disk: for a log that can be made again. */
  writeAtLightly(path: string, position: number, bytes: Uint8Array): void {
    this.#writeAt(path, bytes, { position, durable: false });
  }

  #writeAt(path: string, bytes: Uint8Array, how: Writing): void {
    orHardStop("append to", path, () => {
      const isNew = this.files.stat(path) === undefined;
      const fd = this.files.open(path, isNew ? "wx" : "r+", PRIVATE_FILE);
      this.#writeAll(fd, path, bytes, how);
      if (how.durable && isNew) this.files.syncFolder(dirname(path));
    });
  }

  truncate(path: string, size: number): void {
    orHardStop("cut", path, () => {
      this.#within(this.files.open(path, "r+"), (fd) => {
        this.files.truncate(fd, size);
        this.files.fsync(fd);
      });
    });
  }

  move(path: string, to: string): void {
    orHardStop("move", path, () => this.files.rename(path, to));
  }

  /** Removes a file that may be gone already. Durability is not awaited: removal is always repeatable. */
  remove(path: string): void {
    orHardStop("remove", path, () => unlinkIfPresent(this.files, path));
  }

  /** Removes from a folder the files that are not wanted; where it lists none itself, of these names. */
  clean(folder: string, isUnwanted: (name: string) => boolean, names?: readonly string[]): void {
    orHardStop("clean", folder, () => {
      for (const name of names ?? listIfPresent(this.files, folder)) {
        if (isUnwanted(name)) unlinkIfPresent(this.files, join(folder, name));
      }
    });
  }

  /** Removes temp files that a crash left in a folder. */
  removeTemps(folder: string): void {
    this.clean(folder, isTemp);
  }

  /** The same in everything below a folder. @returns the folders it looked into, the first one as "" */
  removeTempsBelow(top: string): string[] {
    const folders: string[] = [];
    const look = (folder: string): void => {
      const names = listIfPresent(this.files, join(top, folder));
      if (names.length > 0) folders.push(folder);
      for (const name of names) {
        const path = join(folder, name);
        if (isTemp(name)) unlinkIfPresent(this.files, join(top, path));
        // Asked for its names, a file has none.
        else if (!name.includes(".")) look(path);
      }
    };
    orHardStop("clean", top, () => look(""));
    return folders;
  }

  #writeTemp(path: string, bytes: Uint8Array, durable: boolean): string {
    const temp = join(dirname(path), `${TEMP_PREFIX}${this.#tag}`);
    let fd: number;
    try {
      fd = this.files.open(temp, "wx", PRIVATE_FILE);
    } catch (error) {
      // A leftover of this very owner, from an act that failed half way.
      if (errnoOf(error) !== "EEXIST") throw error;
      this.files.unlink(temp);
      fd = this.files.open(temp, "wx", PRIVATE_FILE);
    }
    this.#writeAll(fd, temp, bytes, { position: 0, durable });
    return temp;
  }

  /** Writes to an open file and closes it. */
  #writeAll(fd: number, path: string, bytes: Uint8Array, { position, durable }: Writing): void {
    this.#within(fd, () => {
      let written = 0;
      while (written < bytes.length) {
        const rest = bytes.length - written;
        const took = this.files.write(fd, bytes, written, rest, position + written);
        // A disk that takes nothing and reports no error would make this loop endless.
        if (took <= 0) throw unwritable("write", path, "ENOSPC");
        written += took;
      }
      if (durable) this.files.fsync(fd);
    });
  }

  #within(fd: number, act: (fd: number) => void): void {
    try {
      act(fd);
    } finally {
      this.files.close(fd);
    }
  }
}

interface Writing {
  readonly position: number;
  readonly durable: boolean;
}

/** Reads a file that may be absent. Any other failure to read is thrown as the system says it. */
export function readIfPresent(files: Files, path: string): Buffer | undefined {
  try {
    const fd = files.open(path, "r");
    try {
      return files.read(fd);
    } finally {
      files.close(fd);
    }
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
}

function listIfPresent(files: Files, path: string): string[] {
  try {
    return files.list(path);
  } catch (error) {
    if (isAbsence(error)) return [];
    throw error;
  }
}

function isAbsence(error: unknown): boolean {
  const errno = errnoOf(error);
  return errno === "ENOENT" || errno === "ENOTDIR";
}

function unlinkIfPresent(files: Files, path: string): void {
  try {
    files.unlink(path);
  } catch (error) {
    if (errnoOf(error) !== "ENOENT") throw error;
  }
}

function linkIfPossible(files: Files, path: string, added: string): "made" | "taken" | "gone" {
  try {
    files.link(path, added);
    return "made";
  } catch (error) {
    const errno = errnoOf(error);
    if (errno !== "EEXIST" && errno !== "ENOENT") throw error;
    return errno === "EEXIST" ? "taken" : "gone";
  }
}

function makeFolder(files: Files, path: string, durable: Set<string>): void {
  const parent = dirname(path);
  if (files.stat(path)?.kind === "folder") {
    // Whoever made it may have been killed before its name was durable. Those above it are: each
    // was durable before the next was put inside.
    if (!durable.has(path)) syncIfAllowed(files, parent);
  } else {
    if (parent !== path) makeFolder(files, parent, durable);
    mkdirIfAbsent(files, path);
    // Also where another process was faster: the name must be durable before it is relied on.
    files.syncFolder(parent);
  }
  durable.add(path);
}

function mkdirIfAbsent(files: Files, path: string): void {
  try {
    files.mkdir(path, PRIVATE_FOLDER);
  } catch (error) {
    if (errnoOf(error) !== "EEXIST" || files.stat(path)?.kind !== "folder") throw error;
  }
}

/** A folder that we may not even list is not one that we made something in. */
function syncIfAllowed(files: Files, path: string): void {
  try {
    files.syncFolder(path);
  } catch (error) {
    const errno = errnoOf(error);
    if (errno !== "EACCES" && errno !== "EPERM") throw error;
  }
}
