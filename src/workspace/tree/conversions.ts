// Whether git may store other bytes than the files have: line ends, filters, encodings. All of them are
// switched on by one setting or by attributes.
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  unlinkSync,
} from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { StintError } from "../../core/stint-error.ts";
import { ABSENT, type EntryChange, SUBMODULE, type TreeEntry } from "../../git/diff-trees.ts";
import { failure } from "../../git/run-git.ts";
import { readIfThere } from "../base/durable-file.ts";
import { valueOf } from "../base/git-config.ts";
import { GitCannotConvert, warningsOf } from "../base/own-git.ts";
import type { Place } from "../base/place.ts";
import {
  factsOf,
  isBelow,
  isReallyInside,
  joinRecords,
  onDisk,
  type RawPath,
  toText,
} from "../base/raw-path.ts";
import { removeTree } from "../base/remove-tree.ts";
import { type Listing, listTree } from "./list-tree.ts";
import { addAll, readTreeInto, setEntries, writeTree } from "./own-index.ts";
import { rawChanges } from "./read-trees.ts";
import type { Captured, Uncommittable } from "../workspace.ts";

export const ATTRIBUTES = /(?:^|\/)\.gitattributes$/;

export function mayConvert(place: Place, listing: Listing): boolean {
  const autocrlf = (valueOf(place.settings, "core.autocrlf") ?? "false").toLowerCase();
  if (!["false", "no", "off", "0", ""].includes(autocrlf)) return true;
  return (
    hasOutsideAttributes(place) ||
    listing.tracked.hasFile(".gitattributes") ||
    namesAttributes(listing.others)
  );
}

export function namesAttributes(paths: readonly string[]): boolean {
  return paths.some((path) => ATTRIBUTES.test(path));
}

function hasOutsideAttributes({ git, settings }: Place): boolean {
  const home = process.env["HOME"] ?? homedir();
  const config = process.env["XDG_CONFIG_HOME"] ?? join(home, ".config");
  const named = valueOf(settings, "core.attributesfile")?.replace(/^~(?=\/)/, home);
  const files = [
    join(git.gitDir, "info", "attributes"),
    named ?? join(config, "git", "attributes"),
    "/etc/gitattributes",
  ];
  return files.some((path) => isFilled(path));
}

function isFilled(path: string): boolean {
  try {
    return (readIfThere(path)?.length ?? 0) > 0;
  } catch {
    return true;
  }
}

interface Stored {
  readonly before: string | null;
  readonly stored: string;
  /** Written since, whatever git stores of them. */
  readonly touched: readonly RawPath[];
}

/**
 * The rest of a capture where they may differ. Files that nobody touched keep their entries, the others become
 * what a checkout of the tree gives.
 */
export async function captureConverted(
  place: Place,
  { before, stored, touched }: Stored,
  except: readonly RawPath[],
): Promise<Captured> {
  const changes = before === null ? null : await rawChanges(place, before, stored);
  const untouched = before === null ? [] : await untouchedFiles(place, before, changes ?? []);
  await setEntries(place, new Map(untouched.map(({ path, before: entry }) => [path, entry])));
  const tree = untouched.length === 0 ? stored : await writeTree(place);
  const changed = await pathsToCompare(place, changes, untouched, except);
  const paths = [...new Set([...changed, ...stillThere(touched, changes, except)])];
  if (paths.length === 0) return { kind: "captured", tree };
  const { other } = await compareFiles(place, paths, place.git.index, "replace");
  if (other.length === 0) return { kind: "captured", tree };
  await addAll(place, [...except, ...untouched.map(({ path }) => path)]);
  const again = await writeTree(place);
  if (again === tree) return { kind: "captured", tree };
  const unstable = await rawChanges(place, tree, again);
  return { kind: "uncommittable", problems: unstable.map(({ path }) => unstableFilter(path)) };
}

function stillThere(
  touched: readonly RawPath[],
  changes: readonly EntryChange[] | null,
  except: readonly RawPath[],
): RawPath[] {
  const gone = new Set(
    (changes ?? []).filter(({ after }) => !isFile(after)).map(({ path }) => path),
  );
  return touched.filter((path) => !gone.has(path) && !isBelow(path, except));
}

/** All of them where attributes changed: other attributes mean other bytes. */
async function pathsToCompare(
  place: Place,
  changes: readonly EntryChange[] | null,
  untouched: readonly EntryChange[],
  except: readonly RawPath[],
): Promise<RawPath[]> {
  const skipped = new Set(untouched.map(({ path }) => path));
  const isWanted = (path: RawPath, { mode }: TreeEntry): boolean =>
    mode !== ABSENT && mode !== SUBMODULE && !skipped.has(path) && !isBelow(path, except);
  if (changes !== null && !namesAttributes(changes.map(({ path }) => path))) {
    return changes.filter(({ path, after }) => isWanted(path, after)).map(({ path }) => path);
  }
  const { tracked } = await listTree(place.git, [], "plain");
  return [...tracked].filter(([path, entry]) => isWanted(path, entry)).map(([path]) => path);
}

/**
 * A blob that a filter would store differently looks changed to git as soon as it looks at the file. Where
 * the file is what the old blob gives, nobody changed it.
 */
async function untouchedFiles(
  place: Place,
  before: string,
  changes: readonly EntryChange[],
): Promise<EntryChange[]> {
  const candidates = changes.filter(
    (change) => isFile(change.before) && change.before.mode === change.after.mode,
  );
  if (candidates.length === 0) return [];
  const index = join(place.git.gitDir, "index-before");
  try {
    rmSync(index, { force: true });
    await readTreeInto(place.git, index, before);
    const paths = candidates.map(({ path }) => path);
    const same = new Set((await compareFiles(place, paths, index, "look")).same);
    return candidates.filter(({ path }) => same.has(path));
  } finally {
    rmSync(index, { force: true });
  }
}

function isFile({ mode }: TreeEntry): boolean {
  return mode === "100644" || mode === "100755";
}

function unstableFilter(path: RawPath): Uncommittable {
  return {
    path: toText(path),
    why: "has a filter that is not stable: what git stores changes each time it is stored",
    hint: "remove the filter of this path from .gitattributes, or correct its clean and smudge commands",
  };
}

interface Comparison {
  readonly same: readonly RawPath[];
  readonly other: readonly RawPath[];
}

/** Checks paths of an index out beside the workspace, compares, and acts on those that differ. */
export async function compareFiles(
  place: Place,
  paths: readonly RawPath[],
  index: string,
  act: "replace" | "remove" | "look",
): Promise<Comparison> {
  const side = join(place.options.home, "side");
  removeTree(side);
  mkdirSync(side, { mode: 0o700 });
  await checkOutBeside(place, paths, side, index);
  const left = paths.find((path) => factsOf(onDisk(side, path)) === null);
  if (left !== undefined) throw leftOut(place, left);
  const other = paths.filter((path) => isOther(side, place.folder, path));
  for (const path of other) {
    if (act === "replace") replace(onDisk(side, path), onDisk(place.folder, path));
    else if (act === "remove") unlinkSync(onDisk(place.folder, path));
  }
  removeTree(side);
  const differing = new Set(other);
  return { other, same: paths.filter((path) => !differing.has(path)) };
}

/** How git says that a filter or an encoding failed. */
const NOT_CONVERTED =
  /^(?:error: (?:failed to encode '|external filter ')|fatal: .*: smudge filter .* failed$)/m;

async function checkOutBeside(
  place: Place,
  paths: readonly RawPath[],
  side: string,
  index: string,
): Promise<void> {
  const args = ["checkout-index", "-f", "-z", "--stdin", `--prefix=${side}/`];
  const { code, stderr } = await place.git.run(args, {
    input: joinRecords(paths),
    env: { GIT_INDEX_FILE: index },
    accept: [0, 1, 128],
  });
  if (code === 0 && warningsOf(stderr).length === 0) return;
  const failed = failure(place.git.gitDir, args, "it left something out", stderr);
  throw NOT_CONVERTED.test(stderr) ? new GitCannotConvert(failed, stderr) : failed;
}

function leftOut({ git }: Place, path: RawPath): StintError {
  return failure(git.gitDir, ["checkout-index"], `it left out ${toText(path)}`, "");
}

function isOther(side: string, folder: string, path: RawPath): boolean {
  const [right, there] = [onDisk(side, path), onDisk(folder, path)];
  if (!isReallyInside(folder, path) || factsOf(there)?.isDirectory() !== false) return false;
  return factsOf(right)?.isDirectory() === false && !isSame(right, there);
}

function replace(right: Buffer, there: Buffer): void {
  // Of the permissions git holds one; the others stay as they are.
  if (lstatSync(there).isFile() && lstatSync(right).isFile()) {
    chmodSync(right, lstatSync(there).mode & 0o777);
  }
  renameSync(right, there);
}

function isSame(one: Buffer, other: Buffer): boolean {
  const [first, second] = [factsOf(one), factsOf(other)];
  if (first === null || second === null) return first === second;
  if (first.isSymbolicLink() || second.isSymbolicLink()) {
    const areLinks = first.isSymbolicLink() && second.isSymbolicLink();
    return areLinks && readlinkSync(one, "buffer").equals(readlinkSync(other, "buffer"));
  }
  if (!first.isFile() || !second.isFile() || first.size !== second.size) return false;
  return readFileSync(one).equals(readFileSync(other));
}
