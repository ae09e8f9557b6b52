// The files that Stint reads and writes itself, in the person's checkout or in a workspace.
import {
  closeSync,
  existsSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  writeSync,
} from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { pathInTree } from "../../core/files.ts";
import { MARKER_MAX_BYTES, MARKER_NAME } from "../../core/marker.ts";
import { ofFile } from "../../core/words/system-error.ts";
import { rewriteBytes } from "../../manifest/edit/line-diff.ts";
import { sha256Of } from "../../store/digest.ts";
import { lookAt, lookThrough } from "../../process/look-at.ts";

/** The manifest as a person, or a session, has it. */
export interface ManifestFile {
  readManifest(): string | undefined;
  /** The same as it is on disk: where it is not UTF-8, the text does not say what was there. */
  manifestBytes(): Uint8Array | undefined;
  /** Writes the manifest if it still holds `expected`; false when somebody changed it meanwhile. */
  writeManifest(expected: string | undefined, text: string): boolean;
}

export interface TreeFiles extends ManifestFile {
  readMarker(): Buffer | undefined;
  removeMarker(): void;
  textNow(path: string): string | undefined;
  /** Writes a text if it still holds `expected`; false when somebody changed it meanwhile, or a link is there. */
  writeText(path: string, expected: string | undefined, text: string): boolean;
  /** What is at a path now, as one short word; equal words, equal content. */
  contentNow(path: string): string;
}

/** Which folder it is, and what in it is Stint's; both paths are relative to the root. */
export interface TreePlace {
  readonly root: string;
  /** Null: it lies outside of the repository, and nothing of it is in this folder. */
  readonly manifest: string | null;
  readonly projectFolder: string;
  /** The copy of the state page that a person wants among their files. */
  readonly page?: string | undefined;
  /** Nobody's only one: it is laid again after a loss of power, so that nothing waits for the disk. */
  readonly isCopy?: boolean;
}

/** What is no part of anybody's work. */
export function ownPaths({ manifest, projectFolder, page }: TreePlace): readonly string[] {
  const inTree = manifest === null ? null : pathInTree(manifest);
  const paths = [...(inTree === null ? [] : [inTree]), MARKER_NAME, projectFolder];
  return page === undefined ? paths : [...paths, page];
}

/** Where a process finds the manifest: in the folder that it is started in, or where it lies outside of it. */
export function manifestSeenAt(
  { root, manifest }: { readonly root: string; readonly manifest: string },
  at: string,
): string {
  return join(pathInTree(manifest) === null ? root : at, manifest);
}

/** What is no file, or cannot be read, has no text; whoever runs it hears why. */
export function textsIn(files: Pick<TreeFiles, "textNow">): (path: string) => string | undefined {
  return (path) => {
    try {
      return files.textNow(path);
    } catch {
      return undefined;
    }
  };
}

/** Where a path of a folder leads through links that stay in it; undefined where no link is on the way. */
export function linksIn(root: string): (path: string) => string | undefined {
  return (path) => {
    try {
      const real = relative(realpathSync(root), realpathSync(join(root, path)));
      return real === path || real.startsWith("..") ? undefined : real;
    } catch {
      return undefined;
    }
  };
}

export function treeFiles(place: TreePlace): TreeFiles {
  const { root, projectFolder, isCopy = false } = place;
  const markerPath = join(root, MARKER_NAME);
  return {
    ...manifestFile(place),
    readMarker: () =>
      isLink(markerPath) ? Buffer.alloc(0) : readBytes(markerPath, MARKER_MAX_BYTES + 1),
    removeMarker: () => removeDurably(markerPath),
    textNow: (path) => {
      const at = join(root, path);
      return isBehindLink(root, at) ? undefined : readBytes(at, MOST_BYTES)?.toString("utf8");
    },
    writeText(path, expected, text) {
      const at = join(root, path);
      const read = (): Buffer | undefined =>
        isBehindLink(root, at) ? undefined : readBytes(at, MOST_BYTES);
      if (isLink(at) || linkAbove(root, path)) return false;
      const temp = join(root, projectFolder, ".manifest-tmp");
      return replaceIfSame({ root, path: at, read, temp, isDurable: !isCopy }, expected, text);
    },
    contentNow: (path) => contentOf(join(root, path)),
  };
}

/** Of a session that has no copy of it: there is nothing to read, and nothing to write. */
const NO_MANIFEST: ManifestFile = {
  readManifest: () => undefined,
  manifestBytes: () => undefined,
  writeManifest: () => true,
};

function manifestFile({ root, manifest, projectFolder, isCopy = false }: TreePlace): ManifestFile {
  if (manifest === null) return NO_MANIFEST;
  const path = join(root, manifest);
  const read = (): Buffer | undefined =>
    isBehindLink(root, path) ? undefined : readBytes(path, MOST_BYTES);
  // A temporary file beside the manifest would, after a kill, look like work of the session. Outside of the tree
  // nobody takes it for that, and the project folder may lie on another disk.
  const temp =
    pathInTree(manifest) === null
      ? join(dirname(path), `.${basename(path)}.stint-tmp`)
      : join(root, projectFolder, ".manifest-tmp");
  return {
    readManifest: () => read()?.toString("utf8"),
    manifestBytes: read,
    writeManifest: (expected, text) =>
      replaceIfSame({ root, path, read, temp, isDurable: !isCopy }, expected, text),
  };
}

/** What came back after a loss of power would speak for another session. */
function removeDurably(path: string): void {
  rmSync(path, { force: true, recursive: true });
  const fd = openSync(dirname(path), "r");
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

const MOST_BYTES = 16 * 1024 * 1024;

/** Undefined for what is not there or is no file; at most `most` bytes. */
function readBytes(path: string, most: number): Buffer | undefined {
  const facts = lookThrough(path);
  if (facts === undefined || !facts.isFile()) return undefined;
  try {
    return ofFile(path, () => readFileSync(path)).subarray(0, most);
  } catch (error) {
    // Who took the right to read it away took the file away.
    if ((error as NodeJS.ErrnoException).code === "EACCES") return undefined;
    throw error;
  }
}

/** A link is what it says, not what it leads to; anything else but a file has no content of its own. */
function contentOf(path: string): string {
  const facts = lookAt(path);
  if (facts === undefined) return "absent";
  if (facts.isSymbolicLink()) return `link:${sha256Of(readlinkSync(path))}`;
  if (!facts.isFile()) return "folder";
  const kind = (facts.mode & 0o100) === 0 ? "file" : "program";
  return `${kind}:${sha256Of(ofFile(path, () => readFileSync(path)))}`;
}

/**
 * Replaces a person's file whole and durably, unless they changed it meanwhile: its mode, its owner and
 * the bytes of every line that is not changed stay. A link in its place is replaced, not followed.
 */
function replaceIfSame(
  file: {
    readonly root: string;
    readonly path: string;
    readonly read: () => Buffer | undefined;
    readonly temp: string;
    readonly isDurable: boolean;
  },
  expected: string | undefined,
  text: string,
): boolean {
  const { root, path, read, temp, isDurable } = file;
  const before = read();
  if (before?.toString("utf8") !== expected) return false;
  if (text === expected) return true;
  const content =
    before === undefined || expected === undefined
      ? Buffer.from(text, "utf8")
      : rewriteBytes(before, expected, text);
  mkdirSync(dirname(temp), { recursive: true });
  rmSync(temp, { force: true });
  const fd = openSync(temp, "wx", 0o600);
  try {
    ofFile(temp, () => {
      let at = 0;
      while (at < content.length) at += writeSync(fd, content, at, content.length - at);
      likeBefore(fd, before === undefined ? undefined : lookThrough(path));
      if (isDurable) fsyncSync(fd);
    });
  } finally {
    closeSync(fd);
  }
  // Writing took a moment, in which somebody may have saved.
  if (read()?.toString("latin1") !== before?.toString("latin1") || !makeWay(root, path)) {
    rmSync(temp, { force: true });
    return false;
  }
  renameSync(temp, path);
  return true;
}

/** The folder may be gone, or something may be where the file was. False where it leads elsewhere. */
function makeWay(root: string, path: string): boolean {
  mkdirSync(dirname(path), { recursive: true });
  if (isBehindLink(root, dirname(path))) return false;
  if (lookAt(path)?.isDirectory() !== true) return true;
  let aside = `${path}.folder`;
  for (let n = 2; existsSync(aside); n += 1) aside = `${path}.folder-${n}`;
  renameSync(path, aside);
  return true;
}

/**
 * A project belongs to the real file, so a link on the way to it came later. A session could make one to
 * what it must not see or change, and Stint would read it out to the next one, or write over it.
 */
function isBehindLink(root: string, path: string): boolean {
  return existsSync(path) && realpathSync(path) !== join(realpathSync(root), relative(root, path));
}

/** Whether a folder on the way to a path is no folder, so that nothing is to be made below it. */
function linkAbove(root: string, path: string): boolean {
  const folders = dirname(path).split("/");
  return folders.some((_, index) => {
    const at = join(root, ...folders.slice(0, index + 1));
    return lookAt(at)?.isDirectory() === false;
  });
}

function isLink(path: string): boolean {
  return lookAt(path)?.isSymbolicLink() === true;
}

function likeBefore(fd: number, facts: Stats | undefined): void {
  const own = fstatSync(fd);
  if (facts !== undefined && (facts.uid !== own.uid || facts.gid !== own.gid)) {
    try {
      fchownSync(fd, facts.uid, facts.gid);
    } catch (error) {
      // Only root may give a file away; it then belongs to whoever runs this, as everything they save.
      if ((error as NodeJS.ErrnoException).code !== "EPERM") throw error;
    }
  }
  fchmodSync(fd, (facts?.mode ?? 0o644) & 0o777);
}
