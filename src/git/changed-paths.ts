// What a session changed, as the difference of two trees; the measure of limits, of what
// may be committed and of progress.
import { isWithin, MARKER } from "./excluded-paths.ts";
import { ABSENT, diffTrees, type EntryChange, SUBMODULE, type TreeEntry } from "./diff-trees.ts";
import { isDocs } from "./docs-paths.ts";
import { runGit } from "./run-git.ts";

export interface Change extends TreeEntry {
  readonly path: string;
  readonly change: "added" | "modified" | "deleted" | "moved";
  /** Where a moved file was. */
  readonly from?: string;
  /** Size as stored; 0 for a deleted file or a submodule. */
  readonly bytes: number;
}

export async function changedPaths(root: string, before: string, after: string): Promise<Change[]> {
  const entries = await diffTrees(root, before, after, "with-moves");
  const sizes = await sizesOf(root, entries);
  return entries.map(({ path, status, from, after: { mode, oid } }) => ({
    path,
    change: kindOf(status),
    ...(from === undefined ? {} : { from }),
    mode,
    oid,
    bytes: sizes.get(oid) ?? 0,
  }));
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

function kindOf(status: string): Change["change"] {
  if (status === "A") return "added";
  if (status === "D") return "deleted";
  return status === "R" ? "moved" : "modified";
}

async function sizesOf(
  root: string,
  entries: readonly EntryChange[],
): Promise<ReadonlyMap<string, number>> {
  const blobs = entries
    .map(({ after }) => after)
    .filter(({ mode }) => mode !== ABSENT && mode !== SUBMODULE);
  if (blobs.length === 0) return new Map();
  const { stdout } = await runGit(
    root,
    ["cat-file", "--batch-check=%(objectname) %(objectsize)", "--buffer"],
    { input: blobs.map(({ oid }) => `${oid}\n`).join("") },
  );
  const lines = stdout.split("\n").filter((line) => line !== "");
  return new Map(lines.map((line) => [line.split(" ")[0] ?? "", Number(line.split(" ")[1])]));
}
