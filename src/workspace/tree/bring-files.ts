// Copies into a new workspace what git does not hold and work needs: dependencies, local settings, and
// whatever a person names. What is left out is named with its reason. The checkout is only read.
import { constants, copyFileSync, rmSync, statfsSync } from "node:fs";
import { dirname, join } from "node:path";
import { StintError } from "../../core/stint-error.ts";
import { dataSize, fileCount } from "../../core/words/amounts.ts";
import type { Bring } from "../../core/written/workspace-settings.ts";
import { bareOf, chooseBrought, type Skipped } from "./choose-brought.ts";
import { type BroughtEntry, copyBrought, listBrought } from "./copy-brought.ts";
import { dependencyFolder } from "./default-bring.ts";

export interface BringOptions {
  /** Real paths, both. */
  readonly checkout: string;
  readonly tree: string;
  readonly bring: Bring;
  /** Relative; never brought: project folders, whatever else Stint lays down itself. */
  readonly ownPaths: readonly string[];
  /** Told only where it takes longer than a second. */
  readonly tell: (text: string) => void;
  readonly maxBytes?: number;
  /** Of what is chosen, by its path; everything without it. */
  readonly only?: (path: string) => boolean;
}

export interface Brought {
  /** What was chosen and at least in part copied, a folder once. */
  readonly paths: readonly string[];
  readonly files: number;
  readonly bytes: number;
  readonly skipped: readonly Skipped[];
}

const MOST_BYTES = 10 * 1024 ** 3;
const BLOCK_BYTES = 4096;
const TOLD_AFTER_MS = 1_000;
const TOLD_AGAIN_MS = 5_000;
const LARGEST = 5;

export async function bringFiles(options: BringOptions): Promise<Brought> {
  const { checkout, tree } = options;
  const { only = () => true } = options;
  const { paths, ...others } = await chooseBrought(options);
  const choice = { ...others, paths: paths.filter((path) => only(bareOf(path))) };
  const list = await listBrought(checkout, tree, choice);
  refuseTooMuch(list.entries, options.maxBytes ?? MOST_BYTES);
  const sample = list.entries.find(({ bytes }) => bytes > 0);
  const room = list.entries.reduce((sum, { bytes }) => sum + onDisk(bytes), 0);
  assertRoomFor(tree, room, sample === undefined ? undefined : join(checkout, sample.path));
  const copied = progress(list.entries, options.tell);
  const done = await copyBrought({ checkout, tree, entries: list.entries, copied });
  return {
    paths: [...new Set(done.entries.map(({ root }) => root))].toSorted(),
    ...totalOf(done.entries),
    skipped: [...list.skipped, ...done.skipped],
  };
}

/** Of these paths of a checkout, those that a new workspace would get, at least in part. Copies nothing. */
export async function broughtAmong(
  checkout: string,
  asked: readonly string[],
  bring: Bring,
): Promise<ReadonlySet<string>> {
  if (asked.length === 0) return new Set();
  const choice = await chooseBrought({ checkout, bring, ownPaths: [] });
  const concerned = choice.paths.filter((path) => asked.some((each) => isOneInOther(path, each)));
  const { entries } = await listBrought(checkout, null, { ...choice, paths: concerned });
  const files = new Set(entries.filter(({ kind }) => kind !== "folder").map(({ path }) => path));
  const isBrought = (path: string): boolean =>
    files.has(path) || [...files].some((file) => file.startsWith(`${path}/`));
  return new Set(asked.filter(isBrought));
}

function isOneInOther(one: string, other: string): boolean {
  const [a, b] = [`${bareOf(one)}/`, `${bareOf(other)}/`];
  return a.startsWith(b) || b.startsWith(a);
}

function onDisk(bytes: number): number {
  return Math.ceil(bytes / BLOCK_BYTES) * BLOCK_BYTES;
}

function totalOf(entries: readonly BroughtEntry[]): { files: number; bytes: number } {
  let files = 0;
  let bytes = 0;
  for (const entry of entries) {
    if (entry.kind !== "folder") files += 1;
    bytes += entry.bytes;
  }
  return { files, bytes };
}

function refuseTooMuch(entries: readonly BroughtEntry[], most: number): void {
  const { bytes } = totalOf(entries);
  if (bytes <= most) return;
  const parts = largestParts(entries);
  const [largest] = parts;
  throw new StintError(
    "bad-input",
    `a workspace would get ${dataSize(bytes)} of files that are not in git, more than ${dataSize(most)}: ${parts
      .map((part) => `${part.path} ${dataSize(part.bytes)}`)
      .join(", ")}`,
    `Leave something out in stint.config.yaml, for example bring: [default, "!${largest?.path ?? "data"}"], or bring: none and setup: commands that install.`,
  );
}

interface Part {
  readonly path: string;
  readonly bytes: number;
}

function largestParts(entries: readonly BroughtEntry[]): Part[] {
  const sizes = new Map<string, number>();
  for (const { path, root, bytes } of entries) {
    const part = partOf(path, root);
    sizes.set(part, (sizes.get(part) ?? 0) + bytes);
  }
  return [...sizes]
    .map(([path, bytes]) => ({ path, bytes }))
    .toSorted((a, b) => b.bytes - a.bytes)
    .slice(0, LARGEST);
}

/** What a person knows it by: its dependency folder, else the folder that was chosen or that it lies in. */
function partOf(path: string, root: string): string {
  const folder = dependencyFolder(path);
  if (folder !== null) return folder;
  return root === path && path.includes("/") ? dirname(path) : root;
}

/** Says what is going on, where it takes long: first what there is, then how far it is. */
function progress(
  entries: readonly BroughtEntry[],
  tell: (text: string) => void,
): (entry: BroughtEntry) => void {
  const total = totalOf(entries);
  const [largest] = largestParts(entries);
  let files = 0;
  let tellAt = performance.now() + TOLD_AFTER_MS;
  let isFirst = true;
  return ({ kind }) => {
    if (kind !== "folder") files += 1;
    if (performance.now() < tellAt) return;
    tellAt = performance.now() + TOLD_AGAIN_MS;
    const what = `${fileCount(total.files)}, ${dataSize(total.bytes)}`;
    tell(
      isFirst
        ? `bringing ${largest?.path ?? "files"}: ${what}`
        : `bringing files: ${files} of ${what}`,
    );
    isFirst = false;
  };
}

/** Left for the session itself, and for rounding. */
const SPARE_BYTES = 256 * 1024 * 1024;

export function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

/** Asked before the first byte is copied. @param sample one of the files; what can be cloned takes no room */
export function assertRoomFor(folder: string, bytes: number, sample?: string): void {
  if (bytes === 0) return;
  const free = freeBytes(folder);
  if (bytes + SPARE_BYTES <= free) return;
  if (sample !== undefined && canClone(sample, folder)) return;
  throw new StintError(
    "state-unwritable",
    `a workspace in ${folder} needs ${dataSize(bytes + SPARE_BYTES)}, and ${dataSize(free)} are free there`,
    "Free some space (stint clean shows what is no longer needed), put workspaces on another disk (workspace.dir in stint.config.yaml), or bring less (bring: none).",
  );
}

function canClone(file: string, folder: string): boolean {
  const copy = join(folder, `.clone-${process.pid}`);
  try {
    copyFileSync(file, copy, constants.COPYFILE_FICLONE_FORCE | constants.COPYFILE_EXCL);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(copy, { force: true });
  }
}
