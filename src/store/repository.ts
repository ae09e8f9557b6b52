// The work tree a manifest belongs to, found by its .git without asking git, and the private list
// of what git leaves out of commits.
import { appendFileSync, existsSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { findGitFolder } from "../git/work-tree.ts";
import { errnoOf, orHardStop } from "./files.ts";

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
  return stat?.isDirectory() === true ? existsSync(join(git, "HEAD")) : stat !== undefined;
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return "";
    throw error;
  }
}
