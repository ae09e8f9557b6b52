// A damaged entry of the registry: it is set aside, and written again where the shadow of its project and the
// reservation of its manifest, or the work tree itself, say what it said. Nothing else is believed.
import { join, posix } from "node:path";
import type { ProjectState } from "../../core/schema/project.ts";
import { StintError } from "../../core/stint-error.ts";
import { projectLayout } from "../layout.ts";
import { readCopy } from "../project-folder.ts";
import type { DamagedEntry, RegistryEntry } from "../store.ts";
import { manifestPointer, type StoreFiles } from "../store-files.ts";

/** A work tree that may be the project's, with the folder of projects that its settings name. */
export interface WorkTree {
  readonly root: string;
  readonly projectsRoot: string;
}

export interface RepairedEntry {
  /** Where the damaged one is now. */
  readonly aside: string;
  /** Null where nothing says enough to write it again. */
  readonly entry: RegistryEntry | null;
}

/** A kill after the entry was set aside leaves a project without one, which `doctor --adopt` finds. */
export function repairEntry(
  all: StoreFiles,
  damaged: DamagedEntry,
  trees: readonly WorkTree[],
): RepairedEntry {
  const entry = entryFrom(all, damaged, trees);
  const aside = all.registry.setAside(damaged.project_id);
  if (entry !== null) all.registry.move(entry);
  return { aside, entry };
}

function entryFrom(
  all: StoreFiles,
  { project_id }: DamagedEntry,
  trees: readonly WorkTree[],
): RegistryEntry | null {
  const state = stateOf(all, project_id);
  if (state === null) return null;
  const reserved = all.registry.reservationOf(project_id);
  const found = trees.map(({ root, projectsRoot }): RegistryEntry => {
    const { slug, owner_agent, manifest, created_at } = state;
    const folder = posix.join(projectsRoot, owner_agent, "projects", slug);
    return { project_id, slug, owner_agent, root, folder, manifest: manifest.path, created_at };
  });
  return (
    found.find(({ root, manifest }) => root === reserved?.root && manifest === reserved.manifest) ??
    found.find((entry) => isFolderOf(all, entry)) ??
    null
  );
}

/** Null where the shadow has none that can be trusted: then its work tree has to be adopted. */
function stateOf(all: StoreFiles, id: DamagedEntry["project_id"]): ProjectState | null {
  try {
    return all.revisions(id).top()?.state ?? null;
  } catch (error) {
    if (!(error instanceof StintError)) throw error;
    return null;
  }
}

function isFolderOf({ disk }: StoreFiles, entry: RegistryEntry): boolean {
  const pointer = join(projectLayout(entry).folder, "manifest.md");
  return readCopy(disk, pointer)?.equals(manifestPointer(entry)) ?? false;
}
