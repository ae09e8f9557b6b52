// The work tree a manifest belongs to, found by its .git without asking git, and the private list
// of what git leaves out of commits; and whether a path below it is really there, and no link on the way.
import { appendFileSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { findGitFolder } from "../git/git-folder.ts";
import type { Disk } from "./disk.ts";
import { errnoOf, ofFile } from "../core/words/system-error.ts";
import { orHardStop } from "./files.ts";
import { isThere } from "../process/look-at.ts";

export interface Repository {
  readonly root: string;
  /** Where git keeps info/exclude, or null outside a repository. */
  readonly gitFolder: string | null;
}

/** The work tree around `folder`; outside any repository it is the folder itself. */
export function findRepository(folder: string): Repository {
  for (let at = resolve(folder); ; at = dirname(at)) {
    if (isRepository(join(at, ".git"))) {
      return { root: at, gitFolder: findGitFolder(at)?.common ?? null };
    }
    if (dirname(at) === at) return { root: resolve(folder), gitFolder: null };
  }
}

/** The folder in which git keeps a repository, where `folder` is in one: bare, or the `.git` of a work tree. */
export function gitFolderAround(folder: string): string | null {
  for (let at = resolve(folder); ; at = dirname(at)) {
    if (["HEAD", "objects", "refs"].every((name) => isThere(join(at, name)))) return at;
    if (isRepository(join(at, ".git")) || dirname(at) === at) return null;
  }
}

/** Keeps a path out of commits without touching a tracked file. Safe to repeat. */
export function excludeFromCommits(repository: Repository, pattern: string): void {
  if (repository.gitFolder === null) return;
  const path = join(repository.gitFolder, "info", "exclude");
  orHardStop("write", path, () => {
    const before = readText(path);
    if (before.split(/\r?\n/).includes(pattern)) return;
    mkdirSync(dirname(path), { recursive: true });
    const newline = before === "" || before.endsWith("\n") ? "" : "\n";
    appendFileSync(path, `${newline}${pattern}\n`);
  });
}

/** Git passes over a folder of that name that holds no repository. */
function isRepository(git: string): boolean {
  const stat = statSync(git, { throwIfNoEntry: false });
  return stat?.isDirectory() === true ? isThere(join(git, "HEAD")) : stat !== undefined;
}

function readText(path: string): string {
  try {
    return ofFile(path, () => readFileSync(path, "utf8"));
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return "";
    throw error;
  }
}

/** The first folder below the root that is a link, as far as the way is there. */
export function linkOnTheWay(disk: Disk, root: string, folder: string): string | undefined {
  if (folder === root) return undefined;
  const exists = disk.stat(folder) !== undefined;
  // What really is at its place has no link above it either.
  if (exists && disk.realPath(folder) === realPlace(disk, root, folder)) return undefined;
  return linkOnTheWay(disk, root, dirname(folder)) ?? (exists ? folder : undefined);
}

/** Where a path below the root really is when only the way to the root has links. */
export function realPlace(disk: Disk, root: string, path: string): string {
  return join(disk.realPath(root), relative(root, path));
}
