// Every file, folder and link below the paths that were chosen, as they are in the checkout, with what
// is left out and why, and how they are copied. Links are not followed; other file systems are not entered.
import {
  constants,
  copyFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  type Stats,
  utimesSync,
} from "node:fs";
import { chmod, copyFile, lutimes, readlink, symlink, utimes } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { StintError } from "../../core/stint-error.ts";
import { bareOf, type Choice, type Skipped } from "./choose-brought.ts";
import { CACHES_IN_DEPENDENCIES } from "./default-bring.ts";
import { lookAt } from "../../process/look-at.ts";

export interface BroughtEntry {
  readonly path: string;
  readonly kind: "file" | "folder" | "link";
  /** Which of the chosen paths it belongs to, without a slash at its end. */
  readonly root: string;
  readonly bytes: number;
  readonly mode: number;
  readonly atimeMs: number;
  readonly mtimeMs: number;
}

interface BroughtList {
  /** A folder comes before what is in it. */
  readonly entries: readonly BroughtEntry[];
  readonly skipped: readonly Skipped[];
}

/** Between two turns of the event loop, so that a lease is renewed and Ctrl-C is heard meanwhile. */
const ENTRIES_A_TURN = 500;

/** @param tree the workspace that they are for, which may lie in the checkout and is not listed */
export async function listBrought(
  checkout: string,
  tree: string | null,
  choice: Choice,
): Promise<BroughtList> {
  const { dev } = lstatSync(checkout);
  const entries: BroughtEntry[] = [];
  const skipped: Skipped[] = [...choice.skipped];
  const skip = (path: string, why: string): void => void skipped.push({ path, why });
  const workspace = tree === null ? null : dirname(tree);
  const open = choice.paths
    .toReversed()
    .map((path) => ({ path: bareOf(path), root: bareOf(path) }));

  for (let at = open.pop(), count = 0; at !== undefined; at = open.pop(), count += 1) {
    // oxlint-disable-next-line no-await-in-loop
    if (count % ENTRIES_A_TURN === 0) await nextTurn();
    const { path, root } = at;
    const full = join(checkout, path);
    if (full === workspace || isLeftOut(path, choice)) continue;
    const facts = lookOrWhy(full);
    if (typeof facts === "string") {
      skip(path, facts);
      continue;
    }
    const kind = kindOf(facts);
    if (path.includes("\uFFFD")) skip(path, "its name is not UTF-8");
    else if (kind === null) skip(path, "it is a socket, a pipe or a device");
    else if (facts.dev !== dev) skip(path, "it is on another file system");
    else if (kind !== "folder") entries.push(entryOf(path, root, kind, facts));
    else {
      const names = namesIn(full);
      const problem =
        typeof names === "string" ? names : repositoryProblem(full, names, path, choice);
      if (typeof names === "string" || problem !== null) {
        skip(path, problem ?? "");
        continue;
      }
      entries.push(entryOf(path, root, kind, facts));
      for (const name of names.toReversed()) open.push({ path: `${path}/${name}`, root });
    }
  }
  return { entries, skipped };
}

function isLeftOut(path: string, { without }: Choice): boolean {
  const names = path.split("/").slice(-2).join("/");
  return without.covers(path) || CACHES_IN_DEPENDENCIES.has(names);
}

/** A repository that is not ignored could never be committed, and fails every attempt. */
function repositoryProblem(
  full: string,
  names: readonly string[],
  path: string,
  { ignored }: Choice,
): string | null {
  if (!names.includes(".git")) return null;
  const git = lookAt(join(full, ".git"));
  if (git?.isDirectory() !== true) return "it is a work tree of a repository elsewhere";
  return ignored.covers(`${path}/`)
    ? null
    : "it is a nested repository that git does not ignore; it cannot be committed";
}

function kindOf(facts: Stats): BroughtEntry["kind"] | null {
  if (facts.isFile()) return "file";
  if (facts.isDirectory()) return "folder";
  return facts.isSymbolicLink() ? "link" : null;
}

function entryOf(
  path: string,
  root: string,
  kind: BroughtEntry["kind"],
  { size, mode, atimeMs, mtimeMs }: Stats,
): BroughtEntry {
  const bytes = kind === "file" ? size : 0;
  return { path, kind, root, bytes, mode: mode & 0o7777, atimeMs, mtimeMs };
}

function lookOrWhy(path: string): Stats | string {
  return orWhy(() => lstatSync(path));
}

function namesIn(folder: string): string[] | string {
  return orWhy(() => readdirSync(folder).toSorted());
}

function orWhy<T>(look: () => T): T | string {
  try {
    return look();
  } catch (error) {
    return whyNotRead(error);
  }
}

const NOT_READ = new Map([
  ["EACCES", "it is not readable"],
  ["EPERM", "it is not readable"],
  ["ENOENT", "it was removed meanwhile"],
  ["ENOTDIR", "it was removed meanwhile"],
  ["EIO", "it could not be read (EIO)"],
  ["ESTALE", "it could not be read (ESTALE)"],
  ["ELOOP", "it was replaced meanwhile"],
  ["EISDIR", "it was replaced meanwhile"],
  ["EINVAL", "it was replaced meanwhile"],
  ["ENAMETOOLONG", "its path is too long"],
]);

/** Of one file that goes without the others. @throws what concerns them all */
function whyNotRead(error: unknown): string {
  const why = NOT_READ.get((error as NodeJS.ErrnoException).code ?? "");
  if (why === undefined) throw error;
  return why;
}

interface CopyOptions {
  readonly checkout: string;
  readonly tree: string;
  readonly entries: readonly BroughtEntry[];
  /** After each file. */
  readonly copied: (entry: BroughtEntry) => void;
}

interface Copied {
  readonly entries: readonly BroughtEntry[];
  readonly skipped: readonly Skipped[];
}

/** Up to here the way to the background and back takes longer than the copying. */
const SMALL_BYTES = 256 * 1024;
const SMALL_FILES_A_TURN = 32;
const CLONE_NEW = constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL;
const OWN_FOLDER = 0o700;

/**
 * Copies listed files: cloned where the file system can, never linked, with their modes and times. It writes
 * through no link in the workspace and over nothing that is there.
 */
export async function copyBrought(options: CopyOptions): Promise<Copied> {
  const folders = new FoldersOf(options.checkout, options.tree);
  const done: BroughtEntry[] = [];
  const skipped: Skipped[] = [];
  let count = 0;
  for (const entry of options.entries) {
    // A lease is renewed and Ctrl-C is heard meanwhile.
    // oxlint-disable-next-line no-await-in-loop
    if (++count % SMALL_FILES_A_TURN === 0) await nextTurn();
    // oxlint-disable-next-line no-await-in-loop
    const why = await copyOne(options, entry, folders);
    if (why === null) {
      done.push(entry);
      options.copied(entry);
    } else if (why !== ABOVE) skipped.push({ path: entry.path, why });
  }
  await folders.finish();
  return { entries: done, skipped };
}

/** Told already, of a folder above it. */
const ABOVE = "above";
const IN_THE_WAY = "a file or a link of the workspace is in the way";

async function copyOne(
  { checkout, tree }: CopyOptions,
  entry: BroughtEntry,
  folders: FoldersOf,
): Promise<string | null> {
  const from = join(checkout, entry.path);
  const to = join(tree, entry.path);
  if (!folders.has(dirname(entry.path))) {
    return entry.root === entry.path ? IN_THE_WAY : ABOVE;
  }
  if (entry.kind === "folder") return folders.has(entry.path) ? null : IN_THE_WAY;
  try {
    if (entry.kind === "link") await copyLink(from, to, entry);
    else await copyContent(from, to, entry);
    return null;
  } catch (error) {
    return whyNotCopied(error, to);
  }
}

/** The mode comes with it. */
async function copyContent(from: string, to: string, entry: BroughtEntry): Promise<void> {
  const times = [entry.atimeMs / 1000, entry.mtimeMs / 1000] as const;
  if (entry.bytes > SMALL_BYTES) {
    await copyFile(from, to, CLONE_NEW);
    await utimes(to, ...times);
  } else {
    copyFileSync(from, to, CLONE_NEW);
    utimesSync(to, ...times);
  }
}

async function copyLink(from: string, to: string, entry: BroughtEntry): Promise<void> {
  await symlink(await readlink(from), to);
  await lutimes(to, entry.atimeMs / 1000, entry.mtimeMs / 1000);
}

function whyNotCopied(error: unknown, to: string): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === "EEXIST") return "the workspace has it already";
  if (code !== "ENOSPC" && code !== "EDQUOT" && code !== "EROFS") return whyNotRead(error);
  throw new StintError(
    "state-unwritable",
    `could not write ${to}: ${code === "EROFS" ? "the file system is read-only" : "the disk is full"} (${code})`,
    "Free some space, or put workspaces on another disk (workspace.dir in stint.config.yaml).",
    { cause: error },
  );
}

/** The folders of a workspace that files are put into: each is a folder, and no link to one. */
class FoldersOf {
  readonly #checkout: string;
  readonly #tree: string;
  readonly #known = new Map<string, boolean>();
  readonly #made: string[] = [];

  constructor(checkout: string, tree: string) {
    this.#checkout = checkout;
    this.#tree = tree;
    this.#known.set(".", true);
  }

  /** Makes a folder with those above it. @returns false where something else is in its place */
  has(path: string): boolean {
    const known = this.#known.get(path);
    if (known !== undefined) return known;
    const is = this.has(dirname(path)) && this.#make(path);
    this.#known.set(path, is);
    return is;
  }

  #make(path: string): boolean {
    const there = lookAt(join(this.#tree, path));
    if (there !== undefined) return there.isDirectory();
    // Writable until everything is in it; what it should be is set at the end.
    mkdirSync(join(this.#tree, path), { mode: OWN_FOLDER });
    this.#made.push(path);
    return true;
  }

  /** Modes and times as in the checkout; the deepest first, as each changes the one above it. */
  async finish(): Promise<void> {
    for (const path of this.#made.toReversed()) {
      const like = lookAt(join(this.#checkout, path));
      if (like?.isDirectory() !== true) continue;
      const folder = join(this.#tree, path);
      // oxlint-disable-next-line no-await-in-loop
      await utimes(folder, like.atime, like.mtime);
      // oxlint-disable-next-line no-await-in-loop
      await chmod(folder, like.mode & 0o7777);
    }
  }
}
