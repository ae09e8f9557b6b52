// What a delivery would do at each path of a checkout, and what of the person's is in its way. Only looks.
import { readdirSync } from "node:fs";
import { StintError } from "../../core/stint-error.ts";
import {
  ABSENT,
  type EntryChange,
  isSameEntry,
  SUBMODULE,
  type TreeEntry,
} from "../../git/diff-trees.ts";
import { isOff } from "../base/git-config.ts";
import type { PersonRepository } from "../base/person-repository.ts";
import type { WithGit, Place } from "../base/place.ts";
import {
  factsOf,
  foldersAbove,
  isBelow,
  isReallyInside,
  type Looks,
  looksOf,
  onDisk,
  type RawPath,
  toText,
} from "../base/raw-path.ts";
import {
  entriesInIndex,
  entriesOnDisk,
  isFlagged,
  isSkipped,
  isUnmerged,
} from "../commit/checkout-files.ts";
import { hiddenFromGit, inConflict, inTheWay, type Obstacle, uncommittedIn } from "./obstacle.ts";
import { stintsPaths } from "../tree/own-index.ts";

export interface DeliveryPlan {
  /** What is in the way; then nothing else counts. */
  readonly obstacle: Obstacle | null;
  /** Files that nobody has changed since they were committed or included, by how they look; null where there is none. */
  readonly replaced: ReadonlyMap<RawPath, Looks | null>;
  /** Folders that are not there yet, each after the one that holds it. */
  readonly folders: readonly RawPath[];
  /** Index entries that differ from the old commit's, and may be replaced all the same. */
  readonly staged: readonly EntryChange[];
  /** How the index looked to which all of this applies. */
  readonly index: Looks | null;
}

/**
 * `replaced`: the file is put in place or taken away. `kept`: it stays as it is, because it has the new content,
 * is the person's text in a file of Stint's, or is none. `changed`, `taken`: the person's, in the way.
 */
type Verdict = "replaced" | "kept" | "changed" | "taken";

export async function planDelivery(
  place: WithGit,
  changes: readonly EntryChange[],
): Promise<DeliveryPlan> {
  const { person } = place;
  // Before any content is read: what is saved after that has another look.
  const looks = new Map(changes.map(({ path }) => [path, looksOf(onDisk(person.checkout, path))]));
  const seen = looksOf(person.folder.index);
  const index = await entriesInIndex(person, new Set(changes.map(({ path }) => path)));
  const length = changes[0]?.after.oid.length ?? 40;
  const disk = await entriesOnDisk(person, changes, length, place.mayConvert);
  const verdicts = await judge(place, changes, { index, disk });
  const having = (wanted: Verdict): EntryChange[] =>
    changes.filter(({ path }) => verdicts.get(path) === wanted);
  const replaced = having("replaced");
  const leaving = new Set(replaced.filter(({ after }) => !isFile(after)).map(({ path }) => path));
  const coming = replaced.filter(({ after }) => isFile(after));
  const blockers = [
    ...having("taken").map(({ path }) => path),
    ...changes
      .filter(({ path }) => verdicts.get(path) !== "changed")
      .flatMap(({ path }) => linkAbove(person.checkout, path, leaving) ?? []),
    ...coming.flatMap(({ path }) => firstInside(person.checkout, path, leaving) ?? []),
  ];
  const isStaged = ({ path, before }: EntryChange): boolean => {
    const entry = index.get(path) ?? NOTHING;
    return !isFlagged(entry) && !isSame(entry, before);
  };
  const changed = having("changed").map(({ path }) => path);
  const conflicts = changed.filter((path) => isUnmerged(index.get(path) ?? NOTHING));
  return {
    obstacle:
      conflicts.length > 0
        ? inConflict(conflicts.map(toText))
        : (hiddenAmong(changed, index) ?? obstacleOf(changed, [...new Set(blockers)])),
    replaced: new Map(
      replaced.map(({ path }) => [path, disk.has(path) ? (looks.get(path) ?? null) : null]),
    ),
    folders: missingFolders(person.checkout, coming, leaving),
    staged: changes.filter(isStaged),
    index: seen,
  };
}

/** Told first: without the mark git says which of them are changed. */
function hiddenAmong(
  changed: readonly RawPath[],
  index: ReadonlyMap<RawPath, TreeEntry>,
): Obstacle | null {
  const hidden = changed.filter((path) => isFlagged(index.get(path) ?? NOTHING));
  const skipped = hidden.filter((path) => isSkipped(index.get(path) ?? NOTHING));
  const named = skipped.length > 0 ? skipped : hidden;
  return named.length === 0 ? null : hiddenFromGit(named.map(toText), skipped.length > 0);
}

function obstacleOf(changed: readonly RawPath[], blockers: readonly RawPath[]): Obstacle | null {
  if (changed.length > 0) return uncommittedIn(changed.map(toText));
  return blockers.length > 0 ? inTheWay(blockers.map(toText)) : null;
}

async function judge(
  place: WithGit,
  changes: readonly EntryChange[],
  { index, disk }: Record<"index" | "disk", ReadonlyMap<RawPath, TreeEntry>>,
): Promise<Map<RawPath, Verdict>> {
  const { person } = place;
  const own = stintsPaths(place);
  const staged = new Map(place.record.staged);
  const included = new Map(place.record.included);
  const isLike = likeness(place);
  const verdictOf = ({ path, before, after }: EntryChange): Verdict => {
    const entry = index.get(path) ?? NOTHING;
    const there = disk.get(path);
    // A sparse checkout leaves files out; one that is there, or that git is told not to look at, is theirs.
    if (isFlagged(entry)) return isSkipped(entry) && there === undefined ? "kept" : "changed";
    if (isSame(entry, after)) return "kept";
    const isOld = isSame(entry, before);
    const ours = included.get(path) ?? UNKNOWN;
    const others = [staged.get(path) ?? UNKNOWN, ours];
    if (!isOld && !others.some((other) => isSame(entry, other))) return "changed";
    if (there === undefined ? !isFile(after) : isLike(there, after)) return "kept";
    // Stint's own files, in which the person wrote on.
    if (there !== undefined && isBelow(path, own) && !isLike(there, before)) return "kept";
    // Exactly what was included, which the work builds on.
    const isIncluded =
      there === undefined
        ? ours.mode === ABSENT && isFree(person.checkout, path)
        : isLike(there, ours);
    if (isIncluded) return "replaced";
    if (!isFile(before)) return isFree(person.checkout, path) ? "replaced" : "taken";
    return isOld && there !== undefined && isLike(there, before) ? "replaced" : "changed";
  };
  const verdicts = new Map(changes.map((change) => [change.path, verdictOf(change)]));
  const doubtful = changes.filter(
    ({ path, before }) =>
      verdicts.get(path) === "changed" && isSame(index.get(path) ?? NOTHING, before),
  );
  if (!place.mayConvert || doubtful.length === 0) return verdicts;
  // A conversion may not lead back to what is stored; git knows by the file's times that nobody wrote it.
  const dirty = await dirtyPaths(person);
  for (const { path } of doubtful) if (!dirty.has(path)) verdicts.set(path, "replaced");
  return verdicts;
}

/** Of a submodule, only the index knows. */
export function isFile({ mode }: TreeEntry): boolean {
  return mode !== ABSENT && mode !== SUBMODULE;
}

/** Nothing lies there, or a folder, whose content is looked at with all that leaves. */
function isFree(checkout: string, path: RawPath): boolean {
  return (
    factsOf(onDisk(checkout, path))?.isDirectory() !== false || !isReallyInside(checkout, path)
  );
}

const NOTHING: TreeEntry = { mode: ABSENT, oid: "" };
const UNKNOWN: TreeEntry = { mode: "unknown", oid: "" };

/** Nothing has no id that counts. */
function isSame(one: TreeEntry, other: TreeEntry): boolean {
  return one.mode === ABSENT ? other.mode === ABSENT : isSameEntry(one, other);
}

/** Of a file on disk and an entry, as far as the person's file system can show it. */
function likeness({ settings }: Place): (there: TreeEntry, entry: TreeEntry) => boolean {
  const noModes = isOff(settings, "core.filemode");
  const noLinks = isOff(settings, "core.symlinks");
  const isPlain = ({ mode }: TreeEntry): boolean => mode.startsWith("100");
  return (there, entry) =>
    there.oid === entry.oid &&
    (there.mode === entry.mode ||
      (noModes && isPlain(there) && isPlain(entry)) ||
      (noLinks && isPlain(there) && entry.mode === "120000"));
}

/** Tracked files that are others than the index says. */
async function dirtyPaths({ git, checkout }: PersonRepository): Promise<Set<RawPath>> {
  const words = ["-z", "--untracked-files=no", "--no-renames", "--ignore-submodules=all"];
  const { bytes } = await git.run(["status", "--porcelain", "--branch", ...words]);
  const [head = "", ...records] = bytes.toString("latin1").split("\0");
  if (!head.startsWith("## ")) {
    throw new StintError(
      "git-failed",
      `git status in ${checkout} answered "${head}", not which branch it is on`,
      `See what it says: git -C ${checkout} status`,
    );
  }
  return new Set(records.map((each) => each.slice(3)));
}

/** A link or a file on the way to a path, unless it leaves with the same delivery. */
function linkAbove(checkout: string, path: RawPath, leaving: ReadonlySet<RawPath>): RawPath | null {
  for (const above of foldersAbove(path).toReversed()) {
    const facts = factsOf(onDisk(checkout, above));
    if (facts === null || leaving.has(above)) return null;
    if (!facts.isDirectory()) return above;
  }
  return null;
}

/** A file that lies in a folder at this path and does not leave; folders without files are nobody's work. */
function firstInside(
  checkout: string,
  folder: RawPath,
  leaving: ReadonlySet<RawPath>,
): RawPath | null {
  const place = onDisk(checkout, folder);
  if (!isReallyInside(checkout, folder) || factsOf(place)?.isDirectory() !== true) return null;
  for (const name of readdirSync(place, { encoding: "buffer" })) {
    const path = `${folder}/${name.toString("latin1")}`;
    const isFolder = factsOf(onDisk(checkout, path))?.isDirectory() === true;
    if (!isFolder && !leaving.has(path)) return path;
    const found = isFolder ? firstInside(checkout, path, leaving) : null;
    if (found !== null) return found;
  }
  return null;
}

function missingFolders(
  checkout: string,
  coming: readonly EntryChange[],
  leaving: ReadonlySet<RawPath>,
): RawPath[] {
  const above = new Set(coming.flatMap(({ path }) => foldersAbove(path).toReversed()));
  return [...above].filter((path) => leaving.has(path) || factsOf(onDisk(checkout, path)) === null);
}
