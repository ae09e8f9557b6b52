// The work tree as the engine sees it: what was there before a session, what is there after, and the
// few acts that make a task's work permanent. With git and without.
import type { TaskId } from "../core/ids.ts";

/** Where a session started from. Without git there is no snapshot, only a hash. */
export interface StartPoint {
  readonly tree: string;
  readonly head: string | null;
  readonly branch: string | null;
  /** Ref that keeps everything as it was, or null without git. */
  readonly ref: string | null;
}

export interface WorkDone {
  readonly tree: string;
  readonly paths: readonly string[];
  /** Outside docs, manifest and Stint's own files. */
  readonly substantial: readonly string[];
  /** Docs, without the manifest. */
  readonly docs: readonly string[];
  readonly counts: { readonly files: number; readonly newFiles: number; readonly moves: number };
}

export type CommitOutcome =
  | { readonly kind: "committed"; readonly commit: string; readonly hooksChangedTree: boolean }
  /** Nothing differs from what is committed, or there is no repository. */
  | { readonly kind: "nothing"; readonly commit: string | null }
  | { readonly kind: "needs-approval"; readonly why: string; readonly paths: readonly string[] }
  | { readonly kind: "failed"; readonly why: string; readonly hint: string };

export type PushOutcome =
  | { readonly kind: "pushed" | "not-needed" }
  | { readonly kind: "ask"; readonly why: string }
  | { readonly kind: "refused"; readonly why: string }
  | { readonly kind: "failed"; readonly why: string; readonly hint: string };

export interface TaskCommit {
  readonly start: StartPoint;
  readonly subject: string;
  readonly body: string;
  readonly trailers: readonly (readonly [
    name: "Stint-Project" | "Stint-Task" | "Stint-Attempt",
    value: string,
  ])[];
}

export interface WorkTree {
  readonly hasGit: boolean;
  /** Something ran that may have changed files; what is known of them no longer counts. */
  touched(): void;
  readManifest(): string | undefined;
  /** Writes the manifest if it still holds `expected`; false when somebody changed it meanwhile. */
  writeManifest(expected: string | undefined, text: string): boolean;
  readMarker(): Buffer | undefined;
  removeMarker(): void;
  /**
   * Why a run must not start here: uncommitted work of a person, a merge in progress. What is as in
   * one of the trees that `ours` names is our own unfinished work.
   */
  obstacle(ours: readonly string[] | "all"): Promise<string | null>;
  /** Keeps everything as it is now under a ref, before a session, or a task of Stint's own, may touch it. */
  begin(of: number | TaskId): Promise<StartPoint>;
  /** Brings back what a session must not take away: branch, commits, files. One line for each. */
  restore(start: StartPoint): Promise<readonly string[]>;
  workSince(start: StartPoint): Promise<WorkDone>;
  treeHash(): Promise<string>;
  /** Files as they were at the start of a session; absent ones are not in the map. */
  textsAtStart(start: StartPoint, paths: readonly string[]): Promise<ReadonlyMap<string, string>>;
  textNow(path: string): string | undefined;
  commit(task: TaskCommit): Promise<CommitOutcome>;
  /** Sets aside what an attempt left and no task will continue. @returns where it is kept */
  park(start: StartPoint, task: string, attempt: number): Promise<string | null>;
  /** Commits that came since a session started, oldest first. */
  commitsSince(start: StartPoint, commit: string): Promise<readonly string[]>;
  /** Pushes verified work to the branch's upstream; `known` are the commits of Stint and its sessions. */
  push(commit: string, known: readonly string[]): Promise<PushOutcome>;
}
