// The work tree as the engine sees it: what was there before a session, what is there after, and the
// few acts that make a task's work permanent. With git and without.
import type { TaskId } from "../core/ids.ts";
import type { IgnoreShifts } from "../git/ignore-shifts.ts";
import type { PutBack } from "../git/put-back.ts";

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
  | {
      readonly kind: "committed";
      readonly commit: string;
      /** Hooks changed the files, or may have in a run that was killed: checks must run again. */
      readonly isToBeChecked: boolean;
    }
  /** Nothing differs from what is committed, or there is no repository. */
  | { readonly kind: "nothing"; readonly commit: string | null }
  | { readonly kind: "needs-approval"; readonly why: string; readonly paths: readonly string[] }
  | { readonly kind: "failed"; readonly why: string; readonly hint: string };

export type PushOutcome =
  | { readonly kind: "pushed" | "not-needed" }
  /** `subject` is what exactly a person has to say yes to. */
  | { readonly kind: "ask"; readonly why: string; readonly subject: string }
  | { readonly kind: "refused"; readonly why: string }
  | {
      readonly kind: "failed";
      readonly why: string;
      readonly stderr: string;
      readonly hint: string;
    };

/** Paths, each with what is there as one short word. */
export type Contents = Readonly<Record<string, string>>;

/** Whether a run may start here: a merge in progress or uncommitted changes may forbid it. */
export type Way =
  | { readonly kind: "clear" }
  | { readonly kind: "set-aside"; readonly what: string }
  | { readonly kind: "obstacle"; readonly why: string };

/** What one task came to: since when, and at which paths, where they are known. */
export interface Piece {
  readonly start: StartPoint;
  readonly only?: readonly string[];
  /** The tree in which its checks passed; what others made of these files since is not its work. */
  readonly verified?: string;
}

export interface TaskCommit {
  /** Nothing else is committed: what a person said yes to, or what the sessions changed. */
  readonly work: readonly [Piece, ...Piece[]];
  readonly subject: string;
  readonly body: string;
  /** New files that a person allowed although they are large or look secret. */
  readonly approved: readonly string[];
  /** Earlier commits of the same work that turned out not to hold what was verified. */
  readonly broken: readonly string[];
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
  /** The same as it is on disk: where it is no UTF-8, the text does not say what was there. */
  manifestBytes(): Uint8Array | undefined;
  /** Writes the manifest if it still holds `expected`; false when somebody changed it meanwhile. */
  writeManifest(expected: string | undefined, text: string): boolean;
  readMarker(): Buffer | undefined;
  removeMarker(): void;
  /**
   * Uncommitted work of a person goes out of the way as they asked for, or is in the way. A file that
   * holds what one of `ours` says is none of theirs.
   */
  clearTheWay(ours: readonly Contents[] | "all"): Promise<Way>;
  /** Tracked files that differ from what is committed. */
  uncommitted(): Promise<readonly string[]>;
  /** Keeps everything as it is now under a ref, before a session, or a task of Stint's own, may touch it. */
  begin(of: number | TaskId): Promise<StartPoint>;
  /**
   * Brings back what a session must not take away: branch, commits, files. One line for each. What
   * earlier sessions on the same work made, since it began, is theirs to remove.
   */
  restore(start: StartPoint, before: readonly Piece[]): Promise<readonly string[]>;
  /** What happened to `only` these paths, where they are known, or to all. */
  workSince(start: StartPoint, only?: readonly string[]): Promise<WorkDone>;
  /** What differs since a session started though it did not touch it; `since` is a file that was written just before. */
  shifts(start: StartPoint, since: string): Promise<IgnoreShifts>;
  /** Those of these paths that changed between two starts. */
  changedBetween(
    first: StartPoint,
    later: StartPoint,
    paths: readonly string[],
  ): Promise<readonly string[]>;
  /** Those of these paths that are as they were at a start, and as they are committed. */
  unchanged(start: StartPoint, paths: readonly string[]): Promise<readonly string[]>;
  treeHash(): Promise<string>;
  /** Files as they were at the start of a session; absent ones are not in the map. */
  textsAtStart(start: StartPoint, paths: readonly string[]): Promise<ReadonlyMap<string, string>>;
  textNow(path: string): string | undefined;
  /** What is at a path now, as one short word; equal words, equal content. */
  contentNow(path: string): string;
  commit(task: TaskCommit): Promise<CommitOutcome>;
  /** Whether a commit changes nothing but these paths and the manifest, and has them as they are here. */
  isJust(commit: string, paths: readonly string[]): Promise<boolean>;
  /** New files that need a person's word before they are committed. */
  unwelcome(work: readonly Piece[]): Promise<readonly string[]>;
  /**
   * Commits the manifest alone, where commits since the start changed it and it now is another.
   * @returns the commit, or null when none was needed or could be made
   */
  commitManifest(start: StartPoint, subject: string): Promise<string | null>;
  /** Sets aside what an attempt left of these paths, or of all. @returns where it is kept */
  park(
    start: StartPoint,
    task: string,
    attempt: number,
    only?: readonly string[],
  ): Promise<string | null>;
  /** Brings that back, but what is no longer as `park` left it. Null where nothing was kept. */
  putBack(
    start: StartPoint,
    task: string,
    attempt: number,
    only?: readonly string[],
  ): Promise<({ readonly ref: string } & PutBack) | null>;
  /** What `begin` kept and is still there: sessions and tasks. */
  startNames(): Promise<readonly string[]>;
  /** Lets go of what was kept under a name, unless nothing else holds it; `later` is kept still. */
  dropStart(name: string, later: string): Promise<void>;
  /** Commits that came since a session started, oldest first. */
  commitsSince(start: StartPoint, commit: string): Promise<readonly string[]>;
  /** What will become of verified work, told before any starts; null where none is pushed. */
  announcePush(): Promise<string | null>;
  /**
   * Pushes verified work to the branch's upstream. `known` are the commits of Stint and its sessions;
   * with others among them, and wherever else it is to ask, it does what `isAllowed` says yes to.
   */
  push(
    commit: string,
    known: readonly string[],
    isAllowed: (subject: string) => boolean,
  ): Promise<PushOutcome>;
}
