// What `doctor` finds out about what a run needs outside of the state folder: a git that answers, a repository and a
// project folder that can be written, a manifest that can be read. A git that hangs does not hold it up for long.
import { accessSync, closeSync, constants, openSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { FindingView } from "../../core/schema/views.ts";
import { errnoOf, ofFile } from "../../core/words/system-error.ts";
import { askGitVersion, tryRepository } from "../../engine/space/try-git.ts";
import { findRepository } from "../../store/repository.ts";
import type { RegistryEntry } from "../../store/store.ts";
import { problemOf } from "./machine-findings.ts";

/** A file system that is full may still take a few bytes. */
const TRIED_BYTES = 16 * 1024;

export async function checkoutFindings(
  root: string,
  entries: readonly RegistryEntry[],
): Promise<FindingView[]> {
  const git = await gitFinding(root, findRepository(root).gitFolder !== null);
  return [
    git,
    ...(git.severity !== "fine" ? [] : await repositoryFindings(root)),
    ...entries.flatMap((entry) => [...folderFinding(entry), ...manifestFinding(entry)]),
  ];
}

/** Without a repository a run can do without git. */
async function gitFinding(root: string, isNeeded: boolean): Promise<FindingView> {
  const severity = isNeeded ? "problem" : "notice";
  const fix = "Install git 2.31 or newer and put it on the PATH: git --version";
  try {
    const said = await askGitVersion(root);
    const [, version, major, minor] = /((\d+)\.(\d+)[\w.]*)/.exec(said) ?? [];
    if (version === undefined) {
      return { severity, what: "git answered nothing", where: root, fix };
    }
    const isNew = Number(major) > 2 || (Number(major) === 2 && Number(minor) >= 31);
    if (isNew) return { severity: "fine", what: `git ${version} answers`, where: root, fix: null };
    const what = `git ${version} is too old; 2.31 or newer is needed`;
    return { severity, what, where: root, fix };
  } catch (error) {
    return { ...problemOf(error, root), severity };
  }
}

async function repositoryFindings(root: string): Promise<FindingView[]> {
  try {
    const where = await tryRepository(root);
    if (where === null) return [];
    tryToWrite(where);
    const what = "the repository can be read and written";
    return [{ severity: "fine", what, where, fix: null }];
  } catch (error) {
    return [problemOf(error, root)];
  }
}

function folderFinding({ root, folder }: RegistryEntry): FindingView[] {
  const where = join(root, folder);
  try {
    tryToWrite(where);
    return [];
  } catch (error) {
    // One that is gone is made again.
    return errnoOf(error) === "ENOENT" ? [] : [problemOf(error, where)];
  }
}

function manifestFinding({ root, manifest }: RegistryEntry): FindingView[] {
  const where = join(root, manifest);
  try {
    ofFile(where, () => readFileSync(where));
    return [];
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === "ENOENT" || errno === "ENOTDIR") return [];
    return [problemOf(error, where)];
  }
}

/** Nothing that a kill could leave is made: the file has no name. @throws what the system says */
function tryToWrite(folder: string): void {
  const fd = openNameless(folder);
  if (fd === null) {
    ofFile(folder, () => accessSync(folder, constants.W_OK | constants.X_OK));
    return;
  }
  try {
    ofFile(folder, () => writeSync(fd, Buffer.alloc(TRIED_BYTES, 1)));
  } finally {
    closeSync(fd);
  }
}

/** Linux alone has it, as O_TMPFILE. */
const NAMELESS = 0o20_000_000 | constants.O_DIRECTORY | constants.O_RDWR;
/** How a system, or a file system, says that it has no such files. */
const UNKNOWN = new Set(["EOPNOTSUPP", "EISDIR", "EINVAL"]);

/** Null where there are no files without a name. */
function openNameless(folder: string): number | null {
  if (process.platform !== "linux") return null;
  try {
    return ofFile(folder, () => openSync(folder, NAMELESS, 0o600));
  } catch (error) {
    if (UNKNOWN.has(errnoOf(error) ?? "")) return null;
    throw error;
  }
}
