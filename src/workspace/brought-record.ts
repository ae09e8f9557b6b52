// What was brought, as it was right after it was copied, so that it can be said later what a session
// changed of it. Plain data: it is kept beside the workspace as JSON.
import { createHash } from "node:crypto";
import {
  closeSync,
  constants,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
} from "node:fs";
import type { Stats } from "node:fs";
import { dirname, join } from "node:path";
import { fileCount } from "../core/data-size.ts";
import { broughtByDefault, dependencyFolder } from "./default-bring.ts";
import type { BroughtEntry } from "./list-brought.ts";

/** One file or link. A time of change cannot be set back by a session, unlike that of its content. */
interface RecordedFile {
  readonly path: string;
  readonly kind: "file" | "link";
  readonly bytes: number;
  readonly mode: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  readonly ino: number;
  /** Of its content, or where the link leads; null: too large to be read for this. */
  readonly digest: string | null;
}

/** Thousands of files that are told as one. */
interface RecordedFolder {
  readonly path: string;
  readonly files: number;
  readonly digest: string;
}

export interface BroughtRecord {
  readonly files: readonly RecordedFile[];
  readonly dependencies: readonly RecordedFolder[];
}

/** Of one file, and of all: a record must not take longer than the copying. */
const MOST_BYTES_OF_ONE = 1024 * 1024;
const MOST_BYTES_OF_ALL = 64 * 1024 * 1024;
const PIECE_BYTES = 256 * 1024;
/** Written by merely using what was installed. */
const WRITTEN_BY_USE = new Set(["__pycache__", ".cache", ".vite", ".vite-temp", ".vitest"]);

export function recordBrought(tree: string, entries: readonly BroughtEntry[]): BroughtRecord {
  const dependencies = new Set<string>();
  const files: RecordedFile[] = [];
  const isDependencyRoot = dependencyRoots(tree);
  let left = MOST_BYTES_OF_ALL;
  for (const entry of entries) {
    const folder = dependencyOf(entry, isDependencyRoot);
    if (folder !== null) dependencies.add(folder);
    else if (entry.kind !== "folder") {
      left -= entry.bytes;
      files.push(recordFile(tree, entry, Math.min(MOST_BYTES_OF_ONE, left)));
    }
  }
  return { files, dependencies: [...dependencies].map((path) => summarise(tree, path)) };
}

/** The brought files that are others by now, or gone; a dependency folder as one line. */
export function changedBrought(tree: string, record: BroughtRecord): readonly string[] {
  const files = record.files.filter((file) => hasChanged(tree, file)).map(({ path }) => path);
  const folders = record.dependencies.flatMap((before) => {
    const after = summarise(tree, before.path);
    if (after.digest === before.digest) return [];
    return `${before.path}/ (${fileCount(before.files)} brought, ${fileCount(after.files)} there now)`;
  });
  return [...files, ...folders];
}

function dependencyOf(
  { path, root, kind }: BroughtEntry,
  isDependencyRoot: (root: string) => boolean,
): string | null {
  const named = dependencyFolder(path);
  // A link that is named like a dependency folder is one small thing.
  if (named !== null) return named === path && kind !== "folder" ? null : named;
  if (path === root && kind !== "folder") return null;
  return isDependencyRoot(root) ? root : null;
}

/** Folders that are dependencies by what is in them, as an environment of Python under any name. */
function dependencyRoots(tree: string): (root: string) => boolean {
  const known = new Map<string, boolean>();
  const isThere = (path: string): boolean => factsOf(join(tree, path)) !== undefined;
  return (path) => {
    const is =
      known.get(path) ?? broughtByDefault({ path, isFolder: true }, isThere) === "dependencies";
    known.set(path, is);
    return is;
  };
}

function recordFile(
  tree: string,
  { path, kind }: BroughtEntry,
  mostDigested: number,
): RecordedFile {
  const full = join(tree, path);
  const { size, mode, mtimeMs, ctimeMs, ino } = lstatSync(full);
  const facts = { path, mode: mode & 0o7777, mtimeMs, ctimeMs, ino };
  if (kind === "link") return { ...facts, kind, bytes: 0, digest: digestOf(full, kind) };
  const digest = size > mostDigested ? null : digestOf(full, "file");
  return { ...facts, kind: "file", bytes: size, digest };
}

function hasChanged(tree: string, before: RecordedFile): boolean {
  const full = join(tree, before.path);
  if (!isInRealFolder(tree, before.path)) return true;
  const now = factsOf(full);
  if (now === undefined || kindOf(now) !== before.kind) return true;
  if (
    before.kind === "file" &&
    (now.size !== before.bytes || (now.mode & 0o7777) !== before.mode)
  ) {
    return true;
  }
  const { mtimeMs, ctimeMs, ino } = now;
  if (mtimeMs === before.mtimeMs && ctimeMs === before.ctimeMs && ino === before.ino) return false;
  return before.digest === null || digestOrNull(full, before.kind) !== before.digest;
}

/** A folder above it that became a link leads to other files. */
function isInRealFolder(tree: string, path: string): boolean {
  for (let at = dirname(path); at !== "."; at = dirname(at)) {
    if (factsOf(join(tree, at))?.isDirectory() !== true) return false;
  }
  return true;
}

function summarise(tree: string, path: string): RecordedFolder {
  const hash = createHash("sha256");
  let files = 0;
  const walk = (folder: string): void => {
    for (const name of namesIn(join(tree, folder))) {
      const at = `${folder}/${name}`;
      const facts = factsOf(join(tree, at));
      if (facts === undefined || WRITTEN_BY_USE.has(name)) continue;
      if (facts.isDirectory()) walk(at);
      else {
        files += 1;
        hash.update(`${at}\0${facts.mode}\0${facts.size}\0${facts.mtimeMs}\0${facts.ctimeMs}\n`);
      }
    }
  };
  const isFolder = factsOf(join(tree, path))?.isDirectory() === true;
  if (isFolder && isInRealFolder(tree, path)) walk(path);
  return { path, files, digest: hash.digest("hex") };
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).toSorted();
  } catch {
    // A session may have taken its own permissions away: what cannot be read counts as gone.
    return [];
  }
}

function factsOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function kindOf(facts: Stats): "file" | "link" | null {
  if (facts.isFile()) return "file";
  return facts.isSymbolicLink() ? "link" : null;
}

function digestOrNull(path: string, kind: "file" | "link"): string | null {
  try {
    return digestOf(path, kind);
  } catch {
    return null;
  }
}

function digestOf(path: string, kind: "file" | "link"): string {
  const hash = createHash("sha256");
  if (kind === "link") return hash.update(readlinkSync(path)).digest("hex");
  // A session may put a link or a pipe in its place between a look and this.
  const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const piece = Buffer.allocUnsafe(PIECE_BYTES);
    for (let got = readSync(fd, piece); got > 0; got = readSync(fd, piece)) {
      hash.update(piece.subarray(0, got));
    }
    return hash.digest("hex");
  } finally {
    closeSync(fd);
  }
}
