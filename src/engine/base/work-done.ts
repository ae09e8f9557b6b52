// What sessions made of a tree: which paths, how much of it is work and how much is words, and how much
// of it counts against the limits.
import {
  type Change,
  isDocs,
  measureLimits,
  type OwnPaths,
  substantialPaths,
  touchedPaths,
} from "../../git/changed-paths.ts";
import { isWithin } from "../../core/files.ts";

/** Paths, each with what is there as one short word. */
export type Contents = Readonly<Record<string, string>>;

export interface WorkDone {
  readonly tree: string;
  readonly changes: readonly Change[];
  readonly paths: readonly string[];
  /** Outside docs, manifest and Stint's own files. */
  readonly substantial: readonly string[];
  /** Docs, without the manifest. */
  readonly docs: readonly string[];
  readonly counts: { readonly files: number; readonly newFiles: number; readonly moves: number };
}

export function workDone(tree: string, changes: readonly Change[], own: OwnPaths): WorkDone {
  const paths = touchedPaths(changes).filter((path) => !isWithin(path, own.projectFolder));
  return {
    tree,
    changes,
    paths,
    substantial: substantialPaths(changes, own),
    docs: paths.filter((path) => path !== own.manifest && isDocs(path)),
    counts: measureLimits(changes, own),
  };
}
