// File ports with a planted bug: what the store would be without one of its precautions. A crash
// layer that calls such a store sound cannot fail, and is worth nothing.
import type { Files } from "../../src/store/files.ts";
import { systemError } from "./system-error.ts";

/** Never flushes the files whose path matches. */
export function withoutFsync(files: Files, path = /./): Files {
  const paths = new Map<number, string>();
  return {
    ...passing(files),
    open(name, mode, permissions) {
      const fd = files.open(name, mode, permissions);
      paths.set(fd, name);
      return fd;
    },
    fsync(fd) {
      if (!path.test(paths.get(fd) ?? "")) files.fsync(fd);
    },
  };
}

/** Never flushes the folders whose path matches. */
export function withoutFolderSync(files: Files, path = /./): Files {
  return {
    ...passing(files),
    syncFolder(name) {
      if (!path.test(name)) files.syncFolder(name);
    },
  };
}

/** Puts a file in its place first and flushes it afterwards. */
export function withLateFsync(files: Files): Files {
  let temp: string | undefined;
  const flush = (place: string): void => {
    if (temp === undefined) return;
    temp = undefined;
    const fd = files.open(place, "r");
    files.fsync(fd);
    files.close(fd);
  };
  return {
    ...passing(files),
    open(name, mode, permissions) {
      if (mode === "wx") temp = name;
      return files.open(name, mode, permissions);
    },
    fsync(fd) {
      if (temp === undefined) files.fsync(fd);
    },
    link(existing, added) {
      files.link(existing, added);
      flush(added);
    },
    rename(from, to) {
      files.rename(from, to);
      flush(to);
    },
  };
}

/** Appends to a journal after whatever a cut line left there, instead of in its place. */
export function withTornTail(files: Files): Files {
  const journals = new Set<number>();
  return {
    ...passing(files),
    open(name, mode, permissions) {
      const fd = files.open(name, mode, permissions);
      if (name.endsWith("/journal.jsonl")) journals.add(fd);
      return fd;
    },
    write(fd, bytes, offset, length, position) {
      const end = journals.has(fd) ? files.read(fd).length : position;
      return files.write(fd, bytes, offset, length, end);
    },
    truncate() {},
    close(fd) {
      journals.delete(fd);
      files.close(fd);
    },
  };
}

/** Sees no fencing number above its own, so it never learns that it was fenced off. */
export function withoutFence(files: Files): Files {
  let own: string | undefined;
  return {
    ...passing(files),
    open(name, mode, permissions) {
      // Its record is gone by then; a port that goes on listing it must not be asked for ever.
      if (name === own && files.stat(name) === undefined) throw systemError("EIO", "open", name);
      return files.open(name, mode, permissions);
    },
    link(existing, added) {
      files.link(existing, added);
      if (/\/lease\/\d+\.json$/.test(added)) own = added;
    },
    list(path) {
      const names = files.list(path);
      if (own === undefined || !path.endsWith("/lease")) return names;
      const highest = own.slice(own.lastIndexOf("/") + 1);
      return [...names.filter((name) => name < highest), highest];
    },
  };
}

/** Replaces a revision that another writer made, instead of losing against it. */
export function withoutExclusiveLink(files: Files): Files {
  return {
    ...passing(files),
    link(existing, added) {
      if (files.stat(added) !== undefined) files.unlink(added);
      files.link(existing, added);
    },
  };
}

/** Takes the answer of a write for granted: a short write loses the rest. */
export function ignoringShortWrites(files: Files): Files {
  return {
    ...passing(files),
    write(fd, bytes, offset, length, position) {
      files.write(fd, bytes, offset, length, position);
      return length;
    },
  };
}

/** A plain object over a port that may be an instance of a class. */
function passing(files: Files): Files {
  return {
    open: (path, mode, permissions) => files.open(path, mode, permissions),
    write: (fd, bytes, offset, length, position) =>
      files.write(fd, bytes, offset, length, position),
    read: (fd) => files.read(fd),
    truncate: (fd, size) => files.truncate(fd, size),
    fsync: (fd) => files.fsync(fd),
    close: (fd) => files.close(fd),
    syncFolder: (path) => files.syncFolder(path),
    mkdir: (path, permissions) => files.mkdir(path, permissions),
    link: (existing, added) => files.link(existing, added),
    rename: (from, to) => files.rename(from, to),
    unlink: (path) => files.unlink(path),
    list: (path) => files.list(path),
    realPath: (path) => files.realPath(path),
    stat: (path) => files.stat(path),
  };
}
