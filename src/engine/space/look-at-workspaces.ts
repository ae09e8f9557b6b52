// What lies in the folders of workspaces, for those who clean up and those who show it.
import { join } from "node:path";
import { StintError } from "../../core/stint-error.ts";
import type { FoundFolder, KnownProject } from "../../core/what-to-clean.ts";
import { findPersonRepository } from "../../workspace/base/person-repository.ts";
import { readRecord } from "../../workspace/base/record.ts";
import { dropRefs, keptTasksOf, ownRefsOnDisk } from "../../workspace/base/refs.ts";
import { discardFolder, removeTree } from "../../workspace/base/remove-tree.ts";
import { endCutShort } from "../../workspace/deliver/end-delivery.ts";
import { undeliveredBranches } from "../../workspace/deliver/persons-branches.ts";
import {
  dropIfEmpty,
  isOfAnother,
  type WorkspaceFolder,
  workspaceFolders,
} from "../../workspace/workspace-folders.ts";

export { diskUse as sizeOf } from "../../workspace/base/disk-use.ts";
/** Where workspaces lie as long as no settings say otherwise. */
export { workspacesFolder as workspacesIn } from "../../workspace/workspace-folders.ts";

/** In all of these folders; what another state folder knows is left to those who work with that one. */
export async function lookAtWorkspaces(
  stateHome: string,
  dirs: readonly string[],
  projects: readonly KnownProject[],
): Promise<readonly FoundFolder[]> {
  const known = new Map(projects.map((project) => [project.id, project]));
  const ours = dirs
    .flatMap((dir) => workspaceFolders(dir))
    .filter(({ path }) => !isOfAnother(path, stateHome));
  return await Promise.all(
    ours.map(async (folder) =>
      folder.kind === "litter"
        ? { ...folder, keptTasks: [], undelivered: [] }
        : await lookAtOne(folder, known.get(folder.project)),
    ),
  );
}

async function lookAtOne(
  folder: WorkspaceFolder,
  project: KnownProject | undefined,
): Promise<FoundFolder> {
  const refs = ownRefsOnDisk(join(folder.path, "git"));
  return {
    ...folder,
    keptTasks: refs === null ? null : keptTasksOf(refs),
    undelivered: project?.isRootThere === true ? await undeliveredOf(folder.path, project) : [],
  };
}

/** Commits are made in the person's repository; in a folder without git there never were any. */
async function undeliveredOf(
  home: string,
  { id, slug, root }: KnownProject,
): Promise<readonly string[]> {
  try {
    if (findPersonRepository(root) === null && readRecord(home)?.tip === null) return [];
    return await undeliveredBranches({ root, project: id, slug });
  } catch (error) {
    if (!(error instanceof StintError)) throw error;
    return [`a repository that git cannot read (${root})`];
  }
}

/**
 * What a killed delivery left in the checkout is put right first: nobody could do it afterwards.
 * @returns what keeps it from being ended
 */
export async function endDelivery(
  home: string,
  project: KnownProject | null,
): Promise<string | null> {
  if (project?.isRootThere !== true) return null;
  const place = { home, project: project.id, checkout: project.root };
  const { obstacle } = await endCutShort(place);
  return obstacle === null
    ? null
    : `a delivery was interrupted and cannot be completed or undone: ${obstacle.why}`;
}

/**
 * The refs go first: a kill in between leaves a folder, which is found again, never refs that nobody finds.
 * @param project whose refs go with it, where nothing is held by them alone
 */
export async function removeWorkspace(path: string, project: KnownProject | null): Promise<void> {
  const person = project === null ? null : findPersonRepository(project.root);
  if (project !== null && person !== null) await dropRefs(person, project.id);
  await discardFolder(path);
  dropIfEmpty(path);
}

/** A kill in between leaves the rest of them under the same name, where they are found again. */
export function removeRecords(path: string): void {
  removeTree(path);
  dropIfEmpty(path);
}
