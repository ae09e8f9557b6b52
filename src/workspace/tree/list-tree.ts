// What lies in the workspace, in git's words: what the index holds, what differs from it, what else is
// there and not ignored.
import { readdirSync } from "node:fs";
import { failure } from "../../git/run-git.ts";
import { readIfThere } from "../base/durable-file.ts";
import { type Git, warningsOf } from "../base/own-git.ts";
import type { Place } from "../base/place.ts";
import {
  factsOf,
  foldersAbove,
  isBelow,
  onDisk,
  parentOf,
  type RawPath,
} from "../base/raw-path.ts";
import { setEntries } from "./own-index.ts";
import { TrackedPaths } from "./tracked-paths.ts";

export interface Listing {
  readonly tracked: TrackedPaths;
  /** In the index, and other or gone on disk. Empty unless asked for. */
  readonly changed: readonly RawPath[];
  /** Neither in the index nor ignored nor aside; a repository of its own ends in `/`. */
  readonly others: readonly RawPath[];
  /** The paths aside that git would see. */
  readonly asideInSight: readonly RawPath[];
  /** Files and folders that could not be looked into. */
  readonly unreadable: readonly RawPath[];
  /** Folders without a tracked file, in which paths are longer than the system takes. */
  readonly tooDeep: readonly RawPath[];
}

export async function listTree(
  git: Git,
  aside: readonly RawPath[],
  look: "with-changes" | "plain",
): Promise<Listing> {
  const changes = look === "with-changes" ? ["-m", "-d"] : [];
  const args = ["ls-files", "-z", "-s", "-t", "-c", ...changes, "-o", "--exclude-standard"];
  const { bytes, stderr } = await git.run(args);
  const tracked = new TrackedPaths(bytes);
  const { changed, others: seen } = tracked;
  if (tracked.isEmpty && countInIndex(git) > 0) {
    throw failure(git.gitDir, args, "it said nothing of an index that has entries", stderr);
  }
  // Git complains about being told to leave out what it would not look at.
  const asideInSight = aside.filter(
    (path) => tracked.hasBelow(path) || seen.some((each) => isBelow(each, [path])),
  );
  return {
    tracked,
    changed,
    others: seen.filter((path) => !isBelow(path, aside)),
    asideInSight,
    ...hiddenPaths(git, stderr, tracked),
  };
}

/** As the header of the file says, without asking git. */
function countInIndex({ index }: Git): number {
  const bytes = readIfThere(index);
  return bytes === null || bytes.length < COUNT_AT + 4 ? 0 : bytes.readUInt32BE(COUNT_AT);
}

const COUNT_AT = 8;

/** How git names a folder, a file in a closed folder, and a file that it could not open. */
const NAMED = [
  /^warning: could not open directory '(.*)\/': (.*)$/,
  /^error: cannot lstat '(.*)\/[^/]*': (.*)$/,
  /^error: open\("(.*)"\): (.*)$/,
  /^warning: unable to access '(.*)': (.*)$/,
];

const TOO_LONG = "File name too long";

/** Git cuts a line off that would be longer than the longest path. */
const CUT_OFF = /^(?:warning|error): [^']*'([^']{2000,})$/;

/** Anything else that git warns about is a failure. */
function hiddenPaths(
  git: Git,
  stderr: string,
  tracked: TrackedPaths,
): Pick<Listing, "unreadable" | "tooDeep"> {
  const unreadable = new Set<RawPath>();
  const tooDeep = new Set<RawPath>();
  for (const line of warningsOf(Buffer.from(stderr, "utf8").toString("latin1"))) {
    const cut = CUT_OFF.exec(line)?.[1];
    const whole = NAMED.map((pattern) => pattern.exec(line)).find(Boolean) ?? [];
    const [, path = "", why] = cut === undefined ? whole : [line, cut, TOO_LONG];
    if (why === "Permission denied") {
      closedAt(path).forEach((each) => unreadable.add(each));
      continue;
    }
    const isTooLong = why === TOO_LONG;
    const outer = isTooLong && foldersAbove(path).findLast((above) => !tracked.hasBelow(above));
    if (!outer) throw failure(git.gitDir, ["ls-files"], "it left something out", stderr);
    tooDeep.add(outer);
  }
  return { unreadable: [...unreadable], tooDeep: [...tooDeep] };
}

/** What tells about files may be closed itself, or in a folder that is; the folder is to be opened first. */
function closedAt(path: RawPath): readonly RawPath[] {
  const isAboutFiles = /(?:^|\/)\.git(?:ignore|attributes)$/.test(path);
  return isAboutFiles && path.includes("/") ? [parentOf(path), path] : [path];
}

const SECOND = 1_000_000_000n;

/**
 * What lies there and what differs from the index. Suspects are compared by their content: git knows a file by its
 * size and by whole seconds, so one whose time was set back, edited again in the second in which the index was
 * written, looks the same to it.
 */
export async function listPlace(place: Place, aside: readonly RawPath[]): Promise<Listing> {
  const { suspects, indexTree } = place;
  if (suspects.size > 0) {
    const { tracked } = await listTree(place.git, aside, "plain");
    // The same entries again, without what is known of their files.
    await setEntries(place, new Map([...tracked].filter(([path]) => suspects.has(path))));
    place.indexTree = indexTree;
    place.suspects = new Set();
  }
  return await listTree(place.git, aside, "with-changes");
}

/** To be called with the paths that were just put into the index. */
export function noteSuspects(place: Place, paths: readonly RawPath[], nowMs: number): void {
  const now = BigInt(Math.floor(nowMs / 1000));
  for (const path of paths) {
    const facts = factsOf(onDisk(place.folder, path));
    if (facts === null) continue;
    const changedAt = facts.ctimeNs / SECOND;
    if (changedAt >= now - 1n && facts.mtimeNs / SECOND < changedAt) place.suspects.add(path);
  }
}

interface Survey {
  /** Folders with a `.git` of their own. */
  readonly nested: readonly RawPath[];
  /** Folders without any file. */
  readonly empty: readonly RawPath[];
  readonly unreadable: readonly RawPath[];
}

/** Looks into the folders that hold the workspace's files for what git does not tell. No link is followed. */
export function surveyFolders(folder: string, listing: Listing, aside: readonly RawPath[]): Survey {
  const nested = listing.others
    .filter((path) => path.endsWith("/"))
    .map((path) => path.slice(0, -1));
  const found = {
    nested: [...nested],
    empty: [] as RawPath[],
    unreadable: [...listing.unreadable],
  };
  const known = knownFolders(listing);
  const skipped = new Set([...aside, ...nested, ...listing.tracked.submodules, ...listing.tooDeep]);

  const look = (path: RawPath): void => {
    const entries = entriesOf(folder, path);
    if (entries === null) {
      if (!found.unreadable.includes(path)) found.unreadable.push(path);
      return;
    }
    for (const { name, isFolder } of entries) {
      const inner = path === "" ? name : `${path}/${name}`;
      if (name === ".git") {
        if (path !== "") found.nested.push(path);
      } else if (!isFolder || skipped.has(inner)) continue;
      else if (known.has(inner)) look(inner);
      else if (holdsNothing(folder, inner)) found.empty.push(inner);
    }
  };
  look("");
  return found;
}

function knownFolders(listing: Listing): Set<RawPath> {
  const known = new Set(listing.tracked.folders);
  for (const path of listing.others) {
    for (const above of foldersAbove(path)) {
      if (known.has(above)) break;
      known.add(above);
    }
  }
  return known;
}

interface Entry {
  readonly name: RawPath;
  readonly isFolder: boolean;
}

/** Null for a folder that may not be read, or not be named; none for one that is gone. */
function entriesOf(folder: string, path: RawPath): Entry[] | null {
  try {
    const found = readdirSync(onDisk(folder, path), { withFileTypes: true, encoding: "latin1" });
    return found.map((entry) => ({ name: entry.name, isFolder: entry.isDirectory() }));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EACCES" || code === "EPERM" || code === "ENAMETOOLONG") return null;
    if (code === "ENOENT" || code === "ENOTDIR") return [];
    throw error;
  }
}

/** Ignored files count: the first one found ends the look. */
function holdsNothing(folder: string, path: RawPath): boolean {
  const entries = entriesOf(folder, path);
  return (
    entries !== null &&
    entries.every(({ name, isFolder }) => isFolder && holdsNothing(folder, `${path}/${name}`))
  );
}
