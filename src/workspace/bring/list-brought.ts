// Every file, folder and link below the paths that were chosen, as they are in the checkout, with what
// is left out and why. Links are not followed; other file systems are not entered.
import { lstatSync, readdirSync, type Stats } from "node:fs";
import { dirname, join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Choice, Skipped } from "./choose-brought.ts";
import { CACHES_IN_DEPENDENCIES } from "./default-bring.ts";
import { bareOf } from "./path-set.ts";

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

export interface BroughtList {
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
  signal?: AbortSignal,
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
    if (count % ENTRIES_A_TURN === 0) await nextTurn(undefined, { signal });
    const { path, root } = at;
    const full = join(checkout, path);
    if (full === workspace || isLeftOut(path, choice)) continue;
    const facts = lookAt(full);
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
  const git = lstatSync(join(full, ".git"), { throwIfNoEntry: false });
  if (git?.isDirectory() !== true) return "it is a work tree of a repository elsewhere";
  return ignored.covers(`${path}/`)
    ? null
    : "it is a repository of its own that git does not ignore; no commit can hold it";
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

function lookAt(path: string): Stats | string {
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
  ["EACCES", "it may not be read"],
  ["EPERM", "it may not be read"],
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
export function whyNotRead(error: unknown): string {
  const why = NOT_READ.get((error as NodeJS.ErrnoException).code ?? "");
  if (why === undefined) throw error;
  return why;
}
