// The files of a work tree that Stint reads and writes itself, with git and without.
import {
  closeSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { MARKER_MAX_BYTES, MARKER_NAME } from "../core/marker.ts";
import { sha256Of } from "../store/digest.ts";
import { hashFolder, UNNAMED_FILES } from "./hash-folder.ts";
import type { WorkTree } from "./work-tree.ts";

export type TreeFiles = Pick<
  WorkTree,
  "readManifest" | "writeManifest" | "readMarker" | "removeMarker" | "textNow" | "contentNow"
>;

/** Which work tree it is, and what in it is Stint's; both paths are relative to the root. */
export interface TreePlace {
  readonly root: string;
  readonly manifest: string;
  readonly projectFolder: string;
}

/** What is no part of anybody's work. */
export function excludedPaths({ manifest, projectFolder }: TreePlace): readonly string[] {
  return [manifest, MARKER_NAME, projectFolder];
}

/** What of the project folder goes into commits, where somebody wants that: not what only this machine needs. */
export function trackedState({ root, projectFolder }: TreePlace): readonly string[] {
  return readdirSync(join(root, projectFolder))
    .filter((name) => name !== "logs" && name !== "lease.json" && !name.startsWith("."))
    .map((name) => `${projectFolder}/${name}`);
}

export function treeFiles(place: TreePlace): TreeFiles {
  const { root, manifest, projectFolder } = place;
  const manifestPath = join(root, manifest);
  const markerPath = join(root, MARKER_NAME);
  return {
    readManifest: () => readText(manifestPath),
    // A temporary file beside the manifest would, after a kill, look like work of the session.
    writeManifest: (expected, text) =>
      replaceIfSame(manifestPath, join(root, projectFolder, ".manifest-tmp"), expected, text),
    readMarker: () => readBytes(markerPath, MARKER_MAX_BYTES + 1),
    removeMarker: () => removeDurably(markerPath),
    textNow: (path) => readText(join(root, path)),
    contentNow: (path) =>
      path === UNNAMED_FILES
        ? `tree:${sha256Of(hashFolder(root, excludedPaths(place)))}`
        : contentOf(join(root, path)),
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

function readText(path: string): string | undefined {
  return readBytes(path, 16 * 1024 * 1024)?.toString("utf8");
}

/** Undefined for what is not there or is no file; at most `most` bytes. */
function readBytes(path: string, most: number): Buffer | undefined {
  const facts = statSync(path, { throwIfNoEntry: false });
  if (facts === undefined || !facts.isFile()) return undefined;
  return readFileSync(path).subarray(0, most);
}

/** A link is what it says, not what it leads to; anything else but a file has no content of its own. */
function contentOf(path: string): string {
  const facts = lstatSync(path, { throwIfNoEntry: false });
  if (facts === undefined) return "absent";
  if (facts.isSymbolicLink()) return `link:${sha256Of(readlinkSync(path))}`;
  if (!facts.isFile()) return "folder";
  const kind = (facts.mode & 0o100) === 0 ? "file" : "program";
  return `${kind}:${sha256Of(readFileSync(path))}`;
}

/** Replaces a person's file whole and durably, keeping its mode, unless they changed it meanwhile. */
function replaceIfSame(
  path: string,
  temp: string,
  expected: string | undefined,
  text: string,
): boolean {
  if (readText(path) !== expected) return false;
  const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0o644;
  mkdirSync(dirname(temp), { recursive: true });
  rmSync(temp, { force: true });
  const fd = openSync(temp, "wx", mode & 0o777);
  try {
    const bytes = Buffer.from(text, "utf8");
    let written = 0;
    while (written < bytes.length) written += writeSync(fd, bytes, written, bytes.length - written);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  renameSync(temp, path);
  return true;
}
