// The durable acts everything else is made of. Each is complete or absent after a crash:
//   create/replace: temp file in the same folder → write (every return value checked) → fsync →
//                   link or rename → fsync folder
//   write at:       write at a known position → fsync (and the folder, when the file is new); a line
//                   has one place in its log, so writing it again changes nothing
// The light ones leave out every fsync: for copies of what is durable elsewhere. A loss of power may
// take them away, cut them, or fill their end with NUL bytes.
// A temp file that a crash leaves behind is removed by the next owner.
import { dirname, join } from "node:path";
import type { Files } from "./files.ts";
import { errnoOf, orHardStop, unwritable } from "./unwritable.ts";

export const PRIVATE_FILE = 0o600;
export const PRIVATE_FOLDER = 0o700;

const TEMP_PREFIX = ".stint-tmp-";

export function isTemp(name: string): boolean {
  return name.startsWith(TEMP_PREFIX);
}

export function readFile(files: Files, path: string): Buffer {
  const fd = files.open(path, "r");
  try {
    return files.read(fd);
  } finally {
    files.close(fd);
  }
}

/** Reads a file that may be absent. Any other failure to read is thrown. */
export function readIfPresent(files: Files, path: string): Buffer | undefined {
  try {
    return readFile(files, path);
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === "ENOENT" || errno === "ENOTDIR") return undefined;
    throw error;
  }
}

/** Names in a folder; an absent folder has none. */
export function listIfPresent(files: Files, path: string): string[] {
  try {
    return files.list(path);
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === "ENOENT" || errno === "ENOTDIR") return [];
    throw error;
  }
}

/** Makes a folder and its missing parents, each name durable before anything is put inside. */
export function ensureFolder(files: Files, path: string): void {
  orHardStop("make the folder", path, () => makeFolder(files, path));
}

/** Folders whose names this process made durable itself: once is enough. */
const made = new WeakMap<Files, Set<string>>();

function foldersMadeDurable(files: Files): Set<string> {
  const known = made.get(files) ?? new Set();
  made.set(files, known);
  return known;
}

function makeFolder(files: Files, path: string): void {
  const parent = dirname(path);
  const durable = foldersMadeDurable(files);
  if (files.stat(path)?.kind === "folder") {
    // Whoever made it may have been killed before its name was durable. Those above it are: each
    // was durable before the next was put inside.
    if (!durable.has(path)) syncIfAllowed(files, parent);
  } else {
    if (parent !== path) makeFolder(files, parent);
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

/** Makes a folder and its missing parents without waiting for the disk. */
export function ensureFolderLightly(files: Files, path: string): void {
  orHardStop("make the folder", path, () => {
    const missing: string[] = [];
    for (let at = path; files.stat(at)?.kind !== "folder"; at = dirname(at)) {
      missing.unshift(at);
      if (dirname(at) === at) break;
    }
    for (const folder of missing) mkdirIfAbsent(files, folder);
  });
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

/**
 * Makes durable what is seen. A writer that was killed leaves names and bytes that everybody sees
 * and a loss of power still takes away; they must not be built upon before this.
 */
export function flushFolder(files: Files, path: string): void {
  orHardStop("flush", path, () => files.syncFolder(path));
}

/** The same for the content of a file. */
export function flushFile(files: Files, path: string): void {
  orHardStop("flush", path, () => {
    const fd = files.open(path, "r+");
    try {
      files.fsync(fd);
    } finally {
      files.close(fd);
    }
  });
}

/** Replaces a file whole. Readers see the old content or the new, never a mixture. */
export function replaceDurably(files: Files, path: string, bytes: Uint8Array, tag: string): void {
  orHardStop("write", path, () => {
    const temp = writeTemp(files, path, bytes, tag, true);
    files.rename(temp, path);
    files.syncFolder(dirname(path));
  });
}

/** The same for many files, with one flush of each folder. */
export function replaceAllDurably(
  files: Files,
  contents: ReadonlyMap<string, Uint8Array>,
  tag: string,
): void {
  const folders = new Set<string>();
  for (const [path, bytes] of contents) {
    ensureFolder(files, dirname(path));
    orHardStop("write", path, () => files.rename(writeTemp(files, path, bytes, tag, true), path));
    folders.add(dirname(path));
  }
  for (const folder of folders) flushFolder(files, folder);
}

/** Replaces a file whole without waiting for the disk: for content that can be made again. */
export function replaceLightly(files: Files, path: string, bytes: Uint8Array, tag: string): void {
  orHardStop("write", path, () => {
    files.rename(writeTemp(files, path, bytes, tag, false), path);
  });
}

/**
 * Creates a file that must not exist yet, whole and durable. This is the compare-and-swap of the
 * store: of any number of processes that create one name, exactly one is told `true`.
 */
export function createDurably(files: Files, path: string, bytes: Uint8Array, tag: string): boolean {
  return orHardStop("write", path, () => {
    const created = linkNew(files, path, bytes, tag);
    // Also for the loser: the name it lost against must be durable before it is acted upon.
    files.syncFolder(dirname(path));
    return created;
  });
}

/** Begins again where a new owner took the temp file for that of a crash; its name is nobody else's. */
function linkNew(files: Files, path: string, bytes: Uint8Array, tag: string): boolean {
  for (;;) {
    const temp = writeTemp(files, path, bytes, tag, true);
    let errno: string | undefined;
    try {
      files.link(temp, path);
    } catch (error) {
      errno = errnoOf(error);
      if (errno !== "EEXIST" && errno !== "ENOENT") throw error;
    }
    removeIfPresent(files, temp);
    if (errno !== "ENOENT") return errno === undefined;
  }
}

/** Gives content to a file that is there, empty and by a durable name. @returns false where it is gone */
export function writeOverDurably(files: Files, path: string, bytes: Uint8Array): boolean {
  return orHardStop("write", path, () => {
    const fd = openIfPresent(files, path);
    if (fd === undefined) return false;
    try {
      writeAll(files, fd, path, bytes, 0);
      files.fsync(fd);
    } finally {
      files.close(fd);
    }
    return true;
  });
}

function openIfPresent(files: Files, path: string): number | undefined {
  try {
    return files.open(path, "r+");
  } catch (error) {
    if (errnoOf(error) !== "ENOENT") throw error;
    return undefined;
  }
}

/** Gives a file a second name that must not exist yet, unflushed; others may have taken either of the two away. */
export function linkLightly(files: Files, path: string, added: string): "made" | "taken" | "gone" {
  return orHardStop("write", added, () => {
    try {
      files.link(path, added);
      return "made";
    } catch (error) {
      const errno = errnoOf(error);
      if (errno !== "EEXIST" && errno !== "ENOENT") throw error;
      return errno === "EEXIST" ? "taken" : "gone";
    }
  });
}

/** Writes a piece of a log at its place. */
export function writeAtDurably(
  files: Files,
  path: string,
  position: number,
  bytes: Uint8Array,
): void {
  writeAt(files, path, position, bytes, true);
}

/** The same without waiting for the disk: for a log that can be made again. */
export function writeAtLightly(
  files: Files,
  path: string,
  position: number,
  bytes: Uint8Array,
): void {
  writeAt(files, path, position, bytes, false);
}

function writeAt(
  files: Files,
  path: string,
  position: number,
  bytes: Uint8Array,
  durable: boolean,
): void {
  orHardStop("append to", path, () => {
    const isNew = files.stat(path) === undefined;
    const fd = files.open(path, isNew ? "wx" : "r+", PRIVATE_FILE);
    try {
      writeAll(files, fd, path, bytes, position);
      if (durable) files.fsync(fd);
    } finally {
      files.close(fd);
    }
    if (durable && isNew) files.syncFolder(dirname(path));
  });
}

export function truncateDurably(files: Files, path: string, size: number): void {
  orHardStop("cut", path, () => {
    const fd = files.open(path, "r+");
    try {
      files.truncate(fd, size);
      files.fsync(fd);
    } finally {
      files.close(fd);
    }
  });
}

/** Removes a file that may be gone already. Durability is not awaited: removal is always repeatable. */
export function removeIfPresent(files: Files, path: string): void {
  try {
    files.unlink(path);
  } catch (error) {
    if (errnoOf(error) !== "ENOENT") throw error;
  }
}

/** Removes temp files that a crash left in a folder. */
export function removeTemps(files: Files, folder: string): void {
  orHardStop("clean", folder, () => {
    for (const name of listIfPresent(files, folder)) {
      if (isTemp(name)) removeIfPresent(files, join(folder, name));
    }
  });
}

/** The same in everything below a folder. @returns the folders it looked into, the first one as "" */
export function removeTempsBelow(files: Files, top: string): string[] {
  const folders: string[] = [];
  const look = (folder: string): void => {
    const names = listIfPresent(files, join(top, folder));
    if (names.length > 0) folders.push(folder);
    for (const name of names) {
      const path = join(folder, name);
      if (isTemp(name)) removeIfPresent(files, join(top, path));
      // Asked for its names, a file has none.
      else if (!name.includes(".")) look(path);
    }
  };
  orHardStop("clean", top, () => look(""));
  return folders;
}

function writeTemp(
  files: Files,
  path: string,
  bytes: Uint8Array,
  tag: string,
  durable: boolean,
): string {
  const temp = join(dirname(path), `${TEMP_PREFIX}${tag}`);
  let fd: number;
  try {
    fd = files.open(temp, "wx", PRIVATE_FILE);
  } catch (error) {
    // A leftover of this very owner, from an act that failed half way.
    if (errnoOf(error) !== "EEXIST") throw error;
    files.unlink(temp);
    fd = files.open(temp, "wx", PRIVATE_FILE);
  }
  try {
    writeAll(files, fd, temp, bytes, 0);
    if (durable) files.fsync(fd);
  } finally {
    files.close(fd);
  }
  return temp;
}

function writeAll(
  files: Files,
  fd: number,
  path: string,
  bytes: Uint8Array,
  position: number,
): void {
  let written = 0;
  while (written < bytes.length) {
    const took = files.write(fd, bytes, written, bytes.length - written, position + written);
    // A disk that takes nothing and reports no error would make this loop endless.
    if (took <= 0) throw unwritable("write", path, "ENOSPC");
    written += took;
  }
}
