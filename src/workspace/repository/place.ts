// What the acts of one workspace share: where it is, its two repositories, and what is known of them.
import type { TreeEntry } from "../../git/diff-trees.ts";
import type { ScopedSetting } from "./git-config.ts";
import type { Git } from "./own-git.ts";
import type { PersonRepository } from "./person-repository.ts";
import type { RawPath } from "../disk/raw-path.ts";
import type { WorkspaceRecord } from "./record.ts";
import type { Tip } from "../workspace.ts";
import type { WorkspaceOptions } from "./workspace-options.ts";

export interface Refs {
  readonly lines: readonly string[];
  readonly symbolic: readonly (readonly [name: string, target: string])[];
}

export interface Place {
  readonly options: WorkspaceOptions;
  readonly folder: string;
  readonly at: string;
  /** Stint's own repository, with the workspace's files. */
  readonly git: Git;
  readonly person: PersonRepository | null;
  /** The person's settings as they were at the opening. */
  settings: readonly ScopedSetting[];
  record: WorkspaceRecord;
  /** The tree that our index holds, where that is known. */
  indexTree: string | null;
  /** Tracked files of which git could miss the next edit. */
  suspects: Set<RawPath>;
  /** The tip that was last seen or made. */
  tip: Tip | null;
  /** False where git stores every file as it is. */
  mayConvert: boolean;
  /** What the person is to be told with the next answer. */
  notes: string[];
  /** The person's refs as a session saw them, by the tip and branch that it had. */
  refs?: { readonly key: string; readonly refs: Refs };
  /** Stint's own paths as one tree has them. */
  ownEntries: { readonly tree: string; readonly entries: ReadonlyMap<RawPath, TreeEntry> } | null;
}
