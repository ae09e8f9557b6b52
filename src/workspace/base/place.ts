// What the acts of one workspace share: what it is opened with, its two repositories and what is known of them,
// and where processes in it see its files and the objects that they borrow.
import { existsSync, realpathSync } from "node:fs";
import { join, sep } from "node:path";
import type { WorkspaceRecord } from "../../core/schema/workspace-record.ts";
import type { EntryChange, TreeEntry } from "../../git/diff-trees.ts";
import type { Mount, View } from "../../process/namespace/view.ts";
import type { ScopedSetting } from "./git-config.ts";
import { type Git, gitAt } from "./own-git.ts";
import type { PersonRepository } from "./person-repository.ts";
import type { RawPath } from "./raw-path.ts";
import { NEW_RECORD } from "./record.ts";
import type { Tip, WorkspaceKind } from "../workspace.ts";

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
  /** The record on disk is that of before the last commit; a delivery, or the next look, writes it. */
  isRecordAhead: boolean;
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
  /** Their signing tool failed: evidence goes without. */
  isUnsigned: boolean;
  /** The person's refs as a session saw them, by the tip and branch that it had. */
  refs?: { readonly key: string; readonly refs: Refs };
  /** Differences of two trees that git told of. */
  readonly diffs: Map<string, readonly EntryChange[]>;
  /** Stint's own paths as one tree has them. */
  ownEntries: { readonly tree: string; readonly entries: ReadonlyMap<RawPath, TreeEntry> } | null;
}

/** Nothing is known of it, and nothing made, before it is opened. */
export function newPlace<Person extends PersonRepository | null>(
  options: WorkspaceOptions,
  folder: string,
  person: Person,
): Place & { readonly person: Person } {
  return {
    options,
    folder,
    at: atOf(options, folder),
    git: gitAt(join(options.home, "git"), folder),
    person,
    settings: [],
    record: NEW_RECORD,
    indexTree: null,
    suspects: new Set(),
    tip: null,
    mayConvert: true,
    notes: [],
    isUnsigned: false,
    isRecordAhead: false,
    diffs: new Map(),
    ownEntries: null,
  };
}

export interface WithGit extends Place {
  readonly person: PersonRepository;
}

export function hasGit(place: Place): place is WithGit {
  return place.person !== null;
}

interface InsideCommand {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin?: string;
}

export interface InsideResult {
  readonly exitCode: number | null;
  readonly output: string;
}

export interface WorkspaceOptions {
  readonly kind: WorkspaceKind;
  /** The person's folder: the top of a checkout, or a folder without git. A real path. */
  readonly checkout: string;
  /** A folder for this workspace alone; made where it is missing. */
  readonly home: string;
  /** Where its objects really are, if its own folder of them is a link; absent: there. */
  readonly objects?: string;
  /** The state folder that knows the project, for whoever cleans up. */
  readonly owner?: string;
  /** The project's id, for refs. */
  readonly project: string;
  /** The branch of the work is `stint/<slug>`. */
  readonly slug: string;
  /** Stint's own paths, relative: a capture holds them as the tip has them. */
  readonly ownPaths: readonly string[];
  /** The manifest, relative: one that the person edited meanwhile keeps their text on delivery. */
  readonly manifest?: string;
  /** Logs that Stint appends to, relative and among its own paths: a person's words in them are kept the same way. */
  readonly logs?: readonly string[];
  /** Whether processes find the files at the checkout's path or where they really are. */
  readonly shownAt: "checkout" | "own-path";
  /** Folders that processes do not see. */
  readonly hide: readonly string[];
  /** Laid over the files. */
  readonly mounts: readonly Mount[];
  /** Copies what git does not hold into a new tree, also that of a lane or a clone. @returns the paths it brought */
  readonly bring: (tree: string, lane: number | "clone" | null) => Promise<readonly string[]>;
  /** Runs a program as sessions run: in their isolation, with their view. */
  readonly runInside: (command: InsideCommand) => Promise<InsideResult>;
}

/** For the alternates of a session's repository. Objects of unfinished work are Stint's own. */
export function seenObjects({ options, person }: Place): string[] {
  const [first, ...others] = person?.objects ?? [];
  const own = ownObjects(options);
  if (first === undefined) return [own];
  if (options.shownAt === "own-path") return [first, ...others, own];
  const seen = seenFolder(options);
  return [join(seen, "objects"), ...others, join(seen, "own-objects")];
}

/** Where a process finds objects of a submodule of the person's; null: nowhere. */
export function seenModule({ options, person }: Place, path: string): string | null {
  const modules = person === null ? null : modulesFolder(person);
  if (options.shownAt === "own-path" || !path.startsWith(options.checkout + sep)) return path;
  if (modules === null || !path.startsWith(modules + sep)) return null;
  return join(seenFolder(options), "modules", path.slice(modules.length + 1));
}

/** Null where the person has no submodules, or never had one filled. */
function modulesFolder({ folder }: PersonRepository): string | null {
  const modules = join(folder.common, "modules");
  return existsSync(modules) ? realpathSync(modules) : null;
}

export function viewOf(
  options: WorkspaceOptions,
  folder: string,
  person: PersonRepository | null,
): View {
  const { hide, mounts, checkout, kind } = options;
  if (kind === "in-place") return { hide, mounts };
  const own = ownObjects(options);
  const tree: Mount = { from: folder, at: atOf(options, folder), mode: "read-write" };
  const first = person?.objects[0];
  const seen = seenFolder(options);
  const isOwnPath = options.shownAt === "own-path";
  const common = person?.folder.common;
  const modules = person === null ? null : modulesFolder(person);
  const outside: Mount[] =
    isOwnPath || common === undefined || common.startsWith(checkout + sep)
      ? []
      : [{ from: common, at: common, mode: "read-only" }];
  const objects: Mount[] = isOwnPath
    ? [{ from: own, at: own, mode: "read-only" }]
    : [
        ...(first === undefined
          ? []
          : [{ from: first, at: join(seen, "objects"), mode: "read-only" } as const]),
        { from: own, at: join(seen, "own-objects"), mode: "read-only" },
        ...(modules === null || !modules.startsWith(checkout + sep)
          ? []
          : [{ from: modules, at: join(seen, "modules"), mode: "read-only" } as const]),
      ];
  return { hide, mounts: [tree, ...outside, ...objects, ...mounts] };
}

export function atOf(options: WorkspaceOptions, folder: string): string {
  return options.kind === "own-copy" && options.shownAt === "checkout" ? options.checkout : folder;
}

/** No link: nothing can be mounted on one, and one into a folder that processes do not see leads nowhere. */
function ownObjects({ home, objects }: WorkspaceOptions): string {
  return objects ?? join(home, "git", "objects");
}

/** Below a hidden folder anything can be shown; where none is hidden, in one made for it. */
function seenFolder({ hide, home }: WorkspaceOptions): string {
  return hide[0] ?? join(home, "seen");
}
