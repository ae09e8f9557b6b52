// What a session changed, as the difference of two trees; the measure of limits, of what
// may be committed and of progress.
import { isWithin } from "../core/files.ts";
import { MARKER } from "./excluded-paths.ts";
import type { TreeEntry } from "./diff-trees.ts";
import { isDocs } from "./docs-paths.ts";

export interface Change extends TreeEntry {
  readonly path: string;
  readonly change: "added" | "modified" | "deleted" | "moved";
  /** Where a moved file was. */
  readonly from?: string;
  /** Size as stored; 0 for a deleted file or a submodule. */
  readonly bytes: number;
}

/** Every path a list of changes touches: a moved file counts at both ends. */
export function touchedPaths(changes: readonly Change[]): string[] {
  return changes.flatMap(({ path, from }) => (from === undefined ? [path] : [from, path]));
}

export interface OwnPaths {
  readonly manifest: string;
  readonly projectFolder: string;
}

/** Changes that are neither docs, nor the manifest, nor Stint's files: what a task must leave. */
export function substantialPaths(changes: readonly Change[], own: OwnPaths): string[] {
  return sessionChanges(changes, own)
    .map(({ path }) => path)
    .filter((path) => !isDocs(path));
}

export interface MeasuredLimits {
  readonly files: number;
  readonly newFiles: number;
  readonly moves: number;
}

/** Limits are measured on the real difference; Stint's own files are exempt. */
export function measureLimits(changes: readonly Change[], own: OwnPaths): MeasuredLimits {
  const counted = sessionChanges(changes, own);
  return {
    files: counted.length,
    newFiles: counted.filter(({ change }) => change === "added").length,
    moves: counted.filter(({ change }) => change === "moved").length,
  };
}

function sessionChanges(changes: readonly Change[], own: OwnPaths): Change[] {
  return changes.filter(
    ({ path }) => path !== own.manifest && path !== MARKER && !isWithin(path, own.projectFolder),
  );
}
