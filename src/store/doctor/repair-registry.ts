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

/** The entry as the state has it, which a seal protects. The root and the folder of all projects are in no state. */
function entryByState(entry: RegistryEntry, state: ProjectState): RegistryEntry {
  const { slug, owner_agent } = state;
  const folder = posix.join(entry.folder, "../../..", owner_agent, "projects", slug);
  return { ...entry, slug, owner_agent, folder, manifest: state.manifest.path };
}

/** What an entry that can be read says otherwise than the state of its project; null where they agree. */
export function entryProblem(all: StoreFiles, entry: RegistryEntry): string | null {
  const state = stateOf(all, entry.project_id);
  if (state === null) return null;
  const meant = entryByState(entry, state);
  const wrong = (["manifest", "folder", "slug", "owner_agent"] as const).find(
    (key) => entry[key] !== meant[key],
  );
  if (wrong === undefined) return null;
  return `its entry says ${wrong} ${entry[wrong]}, its state says ${meant[wrong]}`;
}

/** The state's word counts, unless it would take the manifest from another project. @returns the entry from now on */
export function repairByState(
  all: StoreFiles,
  entry: RegistryEntry,
): { readonly entry: RegistryEntry; readonly inferred: readonly string[] } {
  const problem = entryProblem(all, entry);
  const state = stateOf(all, entry.project_id);
  if (problem === null || state === null) return { entry, inferred: [] };
  const meant = entryByState(entry, state);
  if (all.registry.isTaken(meant)) return { entry, inferred: [] };
  all.registry.move(meant);
  return { entry: meant, inferred: [`${problem}; it was written again as the state says`] };
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
