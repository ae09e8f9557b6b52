// Where a work tree's git files lie, read from `.git` without asking git. In a linked work tree and
// a submodule `.git` is a file that names the folder.
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";

export interface GitFolder {
  /** HEAD, index and operations of this work tree. */
  readonly own: string;
  /** Refs, objects and config shared by all linked work trees. */
  readonly common: string;
  readonly index: string;
}

/** Null when `root` is not the top of a work tree. */
export function findGitFolder(root: string): GitFolder | null {
  const dotGit = join(root, ".git");
  if (!existsSync(dotGit)) return null;
  const own = statSync(dotGit).isDirectory() ? dotGit : named(dotGit);
  if (own === null) return null;
  const pointer = join(own, "commondir");
  const common = existsSync(pointer) ? resolve(own, readFileSync(pointer, "utf8").trim()) : own;
  return { own, common, index: join(own, "index") };
}

function named(dotGit: string): string | null {
  const path = /^gitdir: (.+)$/m.exec(readFileSync(dotGit, "utf8"))?.[1]?.trim();
  if (path === undefined) return null;
  return isAbsolute(path) ? path : resolve(dirname(dotGit), path);
}
