// What a session made or changed of files that git ignores: no tree and no commit holds it, and a clone would not have it.
// Told by the time of change, which nobody can set back, against that of a small file written as the session began. That
// file is not waited for: after a loss of power nothing is told, and nothing else is lost.
//
// Where a check is asked what it tells, such files lie aside, in a folder beside the tree, each under its own path. Whoever
// opens the workspace after a kill puts back what is found there.
import { existsSync, mkdirSync, readdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { readIfThere, writePlainly } from "../base/durable-file.ts";
import type { Place } from "../base/place.ts";
import {
  factsOf,
  foldersAbove,
  isBelow,
  isReallyInside,
  joinRecords,
  onDisk,
  parentOf,
  type RawPath,
  splitRecords,
  toRaw,
  toText,
} from "../base/raw-path.ts";
import { removeInside, removeTree } from "../base/remove-tree.ts";
import { dependencyFolder } from "./default-bring.ts";
import { asidePaths, stintsPaths } from "./own-index.ts";

/** More are not looked at. */
const MOST_ENTRIES = 20_000;
const MOST_NAMED = 100;
/** Between two turns of the event loop, so that a lease is renewed and Ctrl-C is heard meanwhile. */
const ENTRIES_A_TURN = 500;

/** Right before a session, once nothing else runs any more. */
export function noteBeginning(home: string, session: number): void {
  writePlainly(join(home, "session-began"), String(session));
}

/** When this session began, by the clock of the file system; null where nobody knows. */
function beganNs(home: string, session: number): bigint | null {
  const file = join(home, "session-began");
  if (readIfThere(file)?.toString() !== String(session)) return null;
  return factsOf(file)?.ctimeNs ?? null;
}

interface Found {
  readonly files: readonly RawPath[];
  /** Folders of dependencies in which something came or went; nobody looks further. */
  readonly dependencies: readonly RawPath[];
  readonly isMore: boolean;
}

/**
 * Paths that this session made or changed and git ignores; a folder that is ignored as a whole ends in a slash, and stands
 * for all that is in it. `known` are those that are known to be in the captured tree: where nothing else is new, git is
 * not asked.
 */
export async function madeIgnored(
  place: Place,
  session: number,
  known: readonly string[],
): Promise<readonly string[]> {
  const since = beganNs(place.options.home, session);
  if (since === null) return [];
  const found = await changedSince(place, since, new Set(known.map(toRaw)));
  const all = [...found.files, ...found.dependencies];
  if (all.length === 0) return [];
  const ignored = await ignoredAmong(place, [...all, ...all.flatMap(foldersAbove)]);
  const names = new Set(
    all.filter((path) => ignored.has(path)).map((path) => outermost(path, ignored, found)),
  );
  const named = [...names].map(toText).toSorted();
  const more = named.length - MOST_NAMED;
  return [
    ...named.slice(0, MOST_NAMED),
    ...(more > 0 ? [`and ${more} more`] : found.isMore ? ["and more"] : []),
  ];
}

function outermost(path: RawPath, ignored: ReadonlySet<RawPath>, { dependencies }: Found): RawPath {
  const above = foldersAbove(path).findLast((folder) => ignored.has(folder));
  if (above !== undefined) return `${above}/`;
  return dependencies.includes(path) ? `${path}/` : path;
}

/** No link is followed; what may not be read is left out. */
async function changedSince(
  place: Place,
  since: bigint,
  known: ReadonlySet<RawPath>,
): Promise<Found> {
  const left = [...asidePaths(place), ...stintsPaths(place)];
  const files: RawPath[] = [];
  const dependencies: RawPath[] = [];
  const open: RawPath[] = [""];
  let count = 0;
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    const entries = entriesIn(place.folder, folder);
    // A submodule, or a repository of its own: what is in there git does not tell.
    if (folder !== "" && entries.some(({ name }) => name === ".git")) continue;
    for (const { name, isFolder } of entries) {
      const path = folder === "" ? name : `${folder}/${name}`;
      count += 1;
      // oxlint-disable-next-line no-await-in-loop
      if (count % ENTRIES_A_TURN === 0) await nextTurn();
      if (count > MOST_ENTRIES) return { files, dependencies, isMore: true };
      if (name === ".git" || known.has(path) || isBelow(path, left)) continue;
      if (isFolder && isOfDependencies(place.folder, path)) {
        if ((factsIn(place.folder, path)?.mtimeNs ?? 0n) > since) dependencies.push(path);
      } else if (isFolder) open.push(path);
      else if ((factsIn(place.folder, path)?.ctimeNs ?? 0n) > since) files.push(path);
    }
  }
  return { files, dependencies, isMore: false };
}

function isOfDependencies(folder: string, path: RawPath): boolean {
  if (dependencyFolder(path) !== null) return true;
  const cargo = path.replace(/(?:^|(?<=\/))target$/, "Cargo.toml");
  return cargo !== path && existsSync(onDisk(folder, cargo));
}

function entriesIn(folder: string, path: RawPath) {
  try {
    const found = readdirSync(onDisk(folder, path), { withFileTypes: true, encoding: "latin1" });
    return found.map((entry) => ({ name: entry.name, isFolder: entry.isDirectory() }));
  } catch {
    return [];
  }
}

function factsIn(folder: string, path: RawPath) {
  try {
    return factsOf(onDisk(folder, path));
  } catch {
    return null;
  }
}

async function ignoredAmong(
  place: Place,
  paths: readonly RawPath[],
): Promise<ReadonlySet<RawPath>> {
  const { bytes, code } = await place.git.run(["check-ignore", "-z", "--stdin"], {
    input: joinRecords([...new Set(paths)]),
    accept: "any",
  });
  // Where a session took away what makes a folder a submodule, git tells nothing of it; no run ends for that.
  return code > 1 ? new Set() : new Set(splitRecords(bytes));
}

/**
 * Moves aside what is ignored and was written since this session began, by whomever, and what earlier ones made. What
 * package managers installed and what was brought stays.
 */
export async function setIgnoredAside(
  place: Place,
  session: number,
  earlier: readonly string[],
): Promise<void> {
  putIgnoredBack(place);
  const { folder, options } = place;
  const since = beganNs(options.home, session);
  const { files } = since === null ? { files: [] } : await changedSince(place, since, new Set());
  const left = [...asidePaths(place), ...stintsPaths(place)];
  const before = earlier
    .map((path) => toRaw(path.replace(/\/$/, "")))
    .filter((path) => !isBelow(path, left) && !isOfDependencies(folder, path))
    .filter((path) => isReallyInside(folder, path) && factsIn(folder, path) !== null);
  const all = [...before, ...files.filter((path) => !isBelow(path, before))];
  if (all.length === 0) return;
  const ignored = await ignoredAmong(place, all);
  for (const path of all) if (ignored.has(path)) move(folder, asideFolder(place), path);
}

/** Each to its own path, over what came there meanwhile. */
export function putIgnoredBack(place: Place): void {
  const aside = asideFolder(place);
  if (!existsSync(aside)) return;
  const back = (path: RawPath): void => {
    for (const { name, isFolder } of entriesIn(aside, path)) {
      const inner = path === "" ? name : `${path}/${name}`;
      const there = factsIn(place.folder, inner);
      if (isFolder && there?.isDirectory() === true) back(inner);
      else {
        if (there !== null) removeInside(place.folder, inner);
        move(aside, place.folder, inner);
      }
    }
  };
  back("");
  removeTree(aside);
}

function asideFolder({ options }: Place): string {
  return join(options.home, "aside");
}

function move(from: string, to: string, path: RawPath): void {
  for (const above of foldersAbove(path).toReversed()) {
    const facts = factsIn(to, above);
    if (facts !== null && !facts.isDirectory()) removeInside(to, above);
  }
  mkdirSync(onDisk(to, parentOf(path)), { recursive: true });
  renameSync(onDisk(from, path), onDisk(to, path));
}
