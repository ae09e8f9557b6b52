// What `doctor` finds out about what a run needs outside of the state folder: a git that answers, a repository and a
// project folder that can be written, a manifest that can be read. A git that hangs does not hold it up for long.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { FindingView } from "../../core/schema/views.ts";
import { errnoOf, ofFile } from "../../core/words/system-error.ts";
import { askGitVersion, tryIdentity, tryRepository } from "../../engine/space/try-git.ts";
import { findRepository } from "../../store/repository.ts";
import type { RegistryEntry } from "../../store/store.ts";
import { problemOf, tryToWrite } from "./machine-findings.ts";

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
    return [{ severity: "fine", what, where, fix: null }, ...(await identityFinding(root, where))];
  } catch (error) {
    return [problemOf(error, root)];
  }
}

/** Whether it can also sign is tried by a run: a signer may ask for something. */
async function identityFinding(root: string, where: string): Promise<FindingView[]> {
  const nameless = await tryIdentity(root);
  if (nameless === null) return [];
  const { why, hint } = nameless;
  return [{ severity: "problem", what: `${why}, so nothing can be committed`, where, fix: hint }];
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
