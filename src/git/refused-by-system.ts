// What the system refused to a git on this machine, read from what git said: the error code, and the path that it is
// about. A full disk may be that of the files, or another one that has the repository.
import { accessSync, constants, existsSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { errnoOf } from "../core/words/system-error.ts";
import { isFull } from "../process/meaning-at.ts";
import { findGitFolder } from "./git-folder.ts";

export interface SystemRefusal {
  readonly errno: string;
  readonly path: string;
}

const REFUSALS: readonly (readonly [RegExp, string])[] = [
  [/No space left on device|Out of diskspace/, "ENOSPC"],
  [/Disk quota exceeded/, "EDQUOT"],
  [/Read-only file system/, "EROFS"],
  [/Input\/output error/, "EIO"],
  [/Too many open files/, "EMFILE"],
  [/Cannot allocate memory|out of memory/i, "ENOMEM"],
];

/** What git could not make, without the reason: then the file system is asked. */
const UNMADE = /(?:^|[;\n] ?)(?:fatal|error): (?:[^;\n]*: )?unable to (?:create|write|append|add)/;

/** Only a line of git's own: what a hook or a filter prints is theirs. */
const DENIED = /(?:^|[;\n] ?)(?:fatal|error): [^;\n]*Permission denied/;

/** The disk, memory or files of this process: no file is to blame for it. */
export function refusalOfMachine(
  root: string,
  gitDir: string | null,
  said: string,
): SystemRefusal | null {
  const errno = REFUSALS.find(([words]) => words.test(said))?.[1];
  const mayBeFull = errno === "ENOSPC" || (errno === undefined && UNMADE.test(said));
  if (errno === undefined && !mayBeFull) return null;
  const places = [root, ...(gitDir === null ? [] : [gitDir]), ...pathsIn(said, root)];
  const full = mayBeFull ? places.find(isFull) : undefined;
  if (full !== undefined) return { errno: "ENOSPC", path: full };
  return errno === undefined ? null : { errno, path: root };
}

/** That, or an access that this user does not have. */
export function refusalOfSystem(
  root: string,
  gitDir: string | null,
  said: string,
): SystemRefusal | null {
  const ofMachine = refusalOfMachine(root, gitDir, said);
  if (ofMachine !== null) return ofMachine;
  if (DENIED.test(said)) {
    return { errno: "EACCES", path: pathsIn(said, root)[0] ?? closedPart(gitDir) ?? root };
  }
  // Git takes a repository whose folders it may not enter for none.
  const closed = said.includes("not a git repository") ? closedPart(gitDir) : null;
  return closed === null ? null : { errno: "EACCES", path: closed };
}

/** The git folder that a command works with. */
export function gitDirOf(root: string, args: readonly string[]): string | null {
  const named = args.find((arg) => arg.startsWith("--git-dir="))?.slice("--git-dir=".length);
  if (named !== undefined) return resolve(root, named);
  try {
    return findGitFolder(root)?.common ?? null;
  } catch {
    return null;
  }
}

/** What git names in quotes, or before a colon, and is there. */
function pathsIn(said: string, root: string): string[] {
  const quoted = [...said.matchAll(/["']([^"']+)["']/g)].map(([, path = ""]) => path);
  const plain = [...said.matchAll(/(?:fatal|error): ([^\s:'"]+): /g)].map(([, path = ""]) => path);
  return [...quoted, ...plain].map((path) => resolve(root, path)).filter((path) => isNamed(path));
}

function isNamed(path: string): boolean {
  return existsSync(path) || existsSync(resolve(path, ".."));
}

/** The first part of a repository that may not be read. */
function closedPart(gitDir: string | null): string | null {
  if (gitDir === null) return null;
  const parts = ["", "HEAD", "config", "objects", "refs", "index"].map((part) =>
    join(gitDir, part),
  );
  return parts.find((part) => isClosed(part)) ?? null;
}

function isClosed(path: string): boolean {
  try {
    const isFolder = statSync(path).isDirectory();
    accessSync(path, isFolder ? constants.R_OK | constants.X_OK : constants.R_OK);
    return false;
  } catch (error) {
    return errnoOf(error) === "EACCES";
  }
}
