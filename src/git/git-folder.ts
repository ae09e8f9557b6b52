// Where the git files of a work tree lie, read from `.git` without asking git.
import { readFileSync, statSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { ofFile } from "../core/words/system-error.ts";
import { isThere } from "../process/look-at.ts";

/** In a linked work tree and a submodule `.git` is a file that names the folder. */
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
  if (!isThere(dotGit)) return null;
  const own = statSync(dotGit).isDirectory() ? dotGit : named(dotGit);
  if (own === null) return null;
  const pointer = join(own, "commondir");
  const common = isThere(pointer) ? resolve(own, textOf(pointer).trim()) : own;
  return { own, common, index: join(own, "index") };
}

function textOf(path: string): string {
  return ofFile(path, () => readFileSync(path, "utf8"));
}

function named(dotGit: string): string | null {
  const path = /^gitdir: (.+)$/m.exec(textOf(dotGit))?.[1]?.trim();
  if (path === undefined) return null;
  return isAbsolute(path) ? path : resolve(dirname(dotGit), path);
}
