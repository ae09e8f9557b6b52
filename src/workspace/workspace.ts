// Where sessions work, as the engine sees it: a tree of files that is set to a known content before each
// act and captured after it. What travels between it and the person's checkout is a commit.
//
// Promises, each held by `workspace.testsuite.ts`:
//   - whatever differs from the tree that was laid is the work of what ran here, and nobody else's
//   - a captured tree holds exactly the files that a checkout of it gives, ignored ones excepted
//   - git that is started here reads no configuration, index or hooks that a session could have written
//   - every act may be killed at any point and repeated
import type { TreeEntry } from "../git/diff-trees.ts";
import type { Change } from "../git/changed-paths.ts";
import type { HookAnswer, HookedPush } from "../git/push.ts";
import type { HeldBack, Move } from "../core/schema/run-records.ts";
import type { Delivery } from "../core/schema/project.ts";
import type { Subject } from "../core/evidence/evidence-statement.ts";
import type { View } from "../process/namespace/view.ts";

export type { HeldBack, Move, MovedCommit, NamedCommit } from "../core/schema/run-records.ts";

/** `own-copy`: a folder of Stint's own. `in-place`: the person's folder itself. */
export type WorkspaceKind = "own-copy" | "in-place";

/** What all new work starts from: the last verified commit. */
export interface Tip {
  /** Null before the first commit of a repository, and without one. */
  readonly commit: string | null;
  readonly tree: string;
}

/** Where a piece of unfinished work is kept: a task's attempt. */
export interface KeptName {
  readonly task: string;
  readonly attempt: number;
}

/** Unfinished work, and the tree that it was made from. */
export interface KeptWork {
  readonly tree: string;
  readonly base: string;
  readonly ref: string;
}

/** Something that no commit can hold as it is. */
export interface Uncommittable {
  readonly path: string;
  readonly why: string;
  /** What to do about it; a session reads it. */
  readonly hint: string;
}

export type Captured =
  | {
      readonly kind: "captured";
      readonly tree: string;
      /** Folders without any file, which no tree can hold: they were removed. Absent: none. */
      readonly emptied?: readonly string[];
    }
  | { readonly kind: "uncommittable"; readonly problems: readonly Uncommittable[] };

export interface Combined {
  readonly tree: string;
  /** Changed on both sides, and left as they are in `ours`. */
  readonly conflicts: readonly string[];
}

export interface GitForSession {
  /** Its branch, checked out at the tip. */
  readonly branch: string;
  /** Acts of the manifest push for real; sessions and checks cannot. */
  readonly canPush: boolean;
}

/** What became of the tags that an act made. */
export interface TagsOfAct {
  /** In the person's repository now. */
  readonly taken: readonly string[];
  readonly left: readonly { readonly tag: string; readonly why: string }[];
}

/** A file that Stint puts into a commit itself: the manifest with its boxes, its own records. */
export interface OwnFile {
  readonly path: string;
  /** Null removes it. */
  readonly content: Uint8Array | null;
}

export interface CommitRequest {
  /** As it was verified. */
  readonly tree: string;
  readonly own: readonly OwnFile[];
  readonly message: string;
  readonly trailers: readonly (readonly [name: string, value: string])[];
  /** The person's hooks have had their say about exactly this; they are not asked again. */
  readonly hooksRan?: boolean;
  /** What is to be noted on it; where that can be done in the same act, it is. */
  readonly evidence?: (subject: Subject) => string;
}

/** What a note is to say of a commit, one line. */
export interface EvidenceLine {
  readonly commit: string;
  readonly payload: string;
}

export type Committed =
  /** `laid`: its tree, where nothing touched the files since they were verified but for Stint's own. */
  | { readonly kind: "committed"; readonly commit: string; readonly laid?: string }
  /** Hooks made another tree of it. Nothing is committed: it has to be verified first. */
  | { readonly kind: "altered"; readonly tree: string; readonly message: string }
  /** The tip holds all of it already, or there is no repository to commit to. */
  | { readonly kind: "nothing"; readonly commit: string | null }
  | { readonly kind: "failed"; readonly why: string; readonly hint: string };

/** A path of the person's that is not included, as "secret.pem: its name looks like that of a secret". */
export interface LeftOut {
  readonly path: string;
  readonly why: string;
}

export type Included =
  /** They are a commit in the person's name, which all work starts from. */
  | {
      readonly kind: "included";
      readonly commit: string;
      readonly paths: readonly string[];
      readonly left: readonly LeftOut[];
    }
  | { readonly kind: "nothing"; readonly left: readonly LeftOut[] }
  /** The project has work beyond what the person has checked out, so that it starts nothing new. */
  | { readonly kind: "ahead" };

/** Where the verified work is, and what a person is told of files that they saved meanwhile. */
export type Brought = Delivery & { readonly notes?: readonly string[] };

/** Why work stays on its own branch although nothing is in the way. */
export type Held = Omit<Extract<Delivery, { kind: "waiting" }>, "kind" | "branch">;

/** Stint's own text file on three sides; null where a side has none. */
export interface OwnSides {
  readonly path: string;
  /** Before the commit that is replayed. */
  readonly base: string | null;
  /** On the person's branch, with what was replayed before it. */
  readonly ours: string | null;
  /** In the commit that is replayed. */
  readonly theirs: string | null;
  /** The tasks of that commit. */
  readonly tasks: readonly string[];
}

/** A commit, by its id before the move, whose checks fail after it. */
export interface Failing {
  readonly old: string;
  readonly failure: string;
}

export interface FollowWish {
  /** Stint's own text as the replayed commit is to hold it. */
  readonly settle: (sides: OwnSides) => string | null;
  /** Asked before anything moves: what of it does not hold among the files of the branch stays out. */
  readonly verify: (move: Move) => Promise<readonly Failing[]>;
  /** Called before anything moves: what it keeps is durable. */
  readonly keep: (move: Move) => void;
  /** What cannot be replayed: nothing moves, or all else does. */
  readonly conflicts: "ask" | "leave";
  /** Delivered work that the person took out of their branch. */
  readonly removed: "ask" | "bring" | "leave";
  /** The person's branch as it was when they were asked: nothing is looked at while it is there. */
  readonly asked: string | null;
}

/** What became of verified work when the person's branch was looked at. */
export type Followed =
  /** The branch is where it was, holds all of it, or may simply be moved forward. */
  | { readonly kind: "nothing" }
  | { readonly kind: "moved"; readonly move: Move }
  /** As when the person was asked. */
  | { readonly kind: "asked" }
  /** The person is in the middle of a merge, a rebase or the like: delivery waits for that too. */
  | { readonly kind: "busy" }
  /** Both sides changed the same; nothing moved. */
  | { readonly kind: "conflict"; readonly onto: string; readonly held: readonly HeldBack[] }
  /** The person took delivered commits out of their branch; nothing moved. */
  | { readonly kind: "removed"; readonly onto: string; readonly held: readonly HeldBack[] }
  /** The person gave their branch another name; nothing else was looked at. */
  | { readonly kind: "renamed"; readonly from: string; readonly to: string }
  /** Nothing moved; `why` says what is in the way. */
  | { readonly kind: "waiting"; readonly why: string; readonly hint: string };

export interface Workspace {
  readonly kind: WorkspaceKind;
  /** Where Stint itself finds the files. It follows no link in there. */
  readonly folder: string;
  /** Where sessions, checks and acts find them. */
  readonly at: string;
  /** What they see. */
  readonly view: View;

  /** Made where it is missing, mended where a kill cut an act short. @returns what a person is told */
  open(): Promise<readonly string[]>;
  /** Whether `beforePush` would run anything. */
  hasPushHook(): boolean;
  /** The person's pre-push hook, where sessions run, on the files of the tip: nothing else may be left in here. */
  beforePush(push: HookedPush): Promise<HookAnswer>;
  /** What new work starts from; follows the person's branch where that holds all verified work. */
  tip(): Promise<Tip>;
  /** Before anything is worked on: why git would refuse to commit it. Null where it would not, or where there is no git. */
  whyNoCommit(): Promise<Pick<Extract<Committed, { kind: "failed" }>, "why" | "hint"> | null>;
  /** The person's branch that verified work goes to; null where it goes to none. */
  deliversTo(): string | null;
  /** New work starts from the person's uncommitted changes; their index and files stay as they are. */
  include(): Promise<Included>;
  /** Makes the files those of a tree, ignored ones excepted. @returns the paths that were others */
  lay(tree: string): Promise<readonly string[]>;
  /** A repository of its own for what runs next, thrown away before the one after it. */
  freshGit(git: GitForSession): Promise<void>;
  /** What is there now, as a tree whose checkout gives exactly these files. */
  capture(): Promise<Captured>;
  /** That a session begins, and how brought files look then, so that it can be told what it changed of them. */
  noteBrought(session: number): Promise<void>;
  /** What this session changed of them, a dependency folder as one line; asked before anything else runs. */
  changedBrought(session: number): Promise<readonly string[]>;
  /**
   * What this session made or changed and git ignores, a folder as one line; asked before anything else runs. `known` are
   * paths of the captured tree that it changed.
   */
  madeIgnored(session: number, known: readonly string[]): Promise<readonly string[]>;
  /** Ignored files that were written since this session began, and those that earlier ones made, go out of the way. */
  setIgnoredAside(session: number, earlier: readonly string[]): Promise<void>;
  /** They come back; also when it is opened. */
  putIgnoredBack(): void;
  /** Messages of the commits that a session made in its own repository, oldest first. */
  sessionMessages(): Promise<readonly string[]>;
  /** Tags that an act made in the repository it was given become the person's; none of theirs is changed. */
  takeTags(): Promise<TagsOfAct>;
  keep(name: KeptName, tree: string, base: string): Promise<KeptWork>;
  kept(name: KeptName): Promise<KeptWork | null>;
  changes(before: string, after: string): Promise<readonly Change[]>;
  /** What a commit changed of the one before it. */
  changedBy(commit: string): Promise<readonly Change[]>;
  /** Absent paths are not in the map. */
  entries(tree: string, paths: readonly string[]): Promise<ReadonlyMap<string, TreeEntry>>;
  /** The files of a tree whose paths are wanted. */
  find(tree: string, isWanted: (path: string) => boolean): Promise<ReadonlyMap<string, TreeEntry>>;
  texts(tree: string, paths: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** A tree with these paths as they are in another one, absent ones absent; some with another text. */
  mix(
    tree: string,
    other: string,
    paths: readonly string[],
    texts?: ReadonlyMap<string, string>,
  ): Promise<string>;
  /** Looks which of these files are opened or executed from now on. @returns those that were, or may have been */
  watchReads(paths: readonly string[]): () => ReadonlySet<string>;
  /** What `theirs` changed since `base`, made in `ours`: by path, and by the lines of what both changed. */
  combine(base: string, ours: string, theirs: string): Promise<Combined>;
  /** The difference of two trees as a person reads it. */
  diff(before: string, after: string, paths: readonly string[]): Promise<string>;
  commit(request: CommitRequest): Promise<Committed>;
  /** Of commits of the person's repository, by their ids. */
  treesOf(commits: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** What is noted on these commits, by their ids; nothing without git. */
  notes(commits: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Adds a line to the notes of each commit, signed where the person signs. @returns what they are told */
  note(lines: readonly EvidenceLine[]): Promise<readonly string[]>;
  /** Verified work that the person's branch does not hold is replayed where that branch is now. */
  follow(wish: FollowWish): Promise<Followed>;
  /**
   * Brings verified commits to the branch that they belong to, where nothing of the person's is in the way.
   * With `held`, only says where they are.
   */
  deliver(held?: Held | null): Promise<Brought>;
  /** Verified work goes to another branch of the person's from now on. @throws where there is none */
  deliverInto(branch: string): Promise<void>;
  /** Everything that is kept of it goes, its lanes too. Nothing that only it holds is asked about here. */
  remove(): Promise<void>;
  /**
   * A workspace beside this one, for a session beside others: files, index and session's repository of its own,
   * the same objects and the same tip. Nothing is made before it is opened, and nothing is committed in it: what
   * was made there leaves it as a tree. Removed with this one.
   */
  lane(number: number): Workspace;
  /**
   * A fresh clone of a commit, beside it: its files, the person's local settings, and nothing else that lies here or
   * in the checkout. Made anew by each `open`; nothing leaves it. One that a kill left is removed with the next opening.
   */
  clone(commit: string): Workspace;
  /** What lies here and git ignores, a folder once, with a slash at its end. What was brought is among it. */
  ignored(): Promise<readonly string[]>;
}
