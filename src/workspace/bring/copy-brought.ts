// Copies listed files into a workspace: cloned where the file system can, never linked, with their
// modes and times. It writes through no link in the workspace and over nothing that is there.
import { constants, copyFileSync, lstatSync, mkdirSync, utimesSync } from "node:fs";
import { chmod, copyFile, lutimes, readlink, symlink, utimes } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { StintError } from "../../core/stint-error.ts";
import type { Skipped } from "./choose-brought.ts";
import { type BroughtEntry, whyNotRead } from "./list-brought.ts";

export interface CopyOptions {
  readonly checkout: string;
  readonly tree: string;
  readonly entries: readonly BroughtEntry[];
  /** After each file. */
  readonly copied: (entry: BroughtEntry) => void;
  readonly signal?: AbortSignal | undefined;
}

export interface Copied {
  readonly entries: readonly BroughtEntry[];
  readonly skipped: readonly Skipped[];
}

/** Node copies four at a time in the background. */
const AT_ONCE = 4;
/** Up to here the way to the background and back takes longer than the copying. */
const SMALL_BYTES = 256 * 1024;
const SMALL_FILES_A_TURN = 32;
const CLONE_NEW = constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL;
const OWN_FOLDER = 0o700;

export async function copyBrought(options: CopyOptions): Promise<Copied> {
  const { checkout, tree, signal } = options;
  const folders = new FoldersOf(checkout, tree);
  const done: BroughtEntry[] = [];
  const skipped: Skipped[] = [];
  const waiting = options.entries.values();
  let isFailing = false;
  let count = 0;
  const work = async (): Promise<void> => {
    for (const entry of waiting) {
      if (isFailing) return;
      signal?.throwIfAborted();
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
  };
  const orStop = async (): Promise<void> => {
    try {
      await work();
    } catch (error) {
      isFailing = true;
      throw error;
    }
  };
  // All of them have to be over before the caller may remove what they wrote.
  const workers = await Promise.allSettled(Array.from({ length: AT_ONCE }, orStop));
  const failed = workers.find((worker) => worker.status === "rejected");
  if (failed !== undefined) throw failed.reason;
  await folders.finish();
  return { entries: done, skipped };
}

/** Told already, of a folder above it. */
const ABOVE = "above";
const IN_THE_WAY = "a file or a link of the workspace is in its way";

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
    const there = lstatSync(join(this.#tree, path), { throwIfNoEntry: false });
    if (there !== undefined) return there.isDirectory();
    // Writable until everything is in it; what it should be is set at the end.
    mkdirSync(join(this.#tree, path), { mode: OWN_FOLDER });
    this.#made.push(path);
    return true;
  }

  /** Modes and times as in the checkout; the deepest first, as each changes the one above it. */
  async finish(): Promise<void> {
    for (const path of this.#made.toReversed()) {
      const like = lstatSync(join(this.#checkout, path), { throwIfNoEntry: false });
      if (like?.isDirectory() !== true) continue;
      const folder = join(this.#tree, path);
      // oxlint-disable-next-line no-await-in-loop
      await utimes(folder, like.atime, like.mtime);
      // oxlint-disable-next-line no-await-in-loop
      await chmod(folder, like.mode & 0o7777);
    }
  }
}
