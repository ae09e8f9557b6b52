// Which project a person means: an id, the beginning of one, a slug, a manifest, or the only project
// of this work tree.
import { existsSync, lstatSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { parseProjectId, type ProjectId } from "../core/ids.ts";
import { shellWord } from "../core/written/commands.ts";
import { INBOX_VARIABLE } from "../core/session-words.ts";
import { StintError } from "../core/stint-error.ts";
import { errnoOf } from "../core/words/system-error.ts";
import { orFault, SeveralProjects } from "./faults.ts";
import { openManifest, USUAL_MANIFEST } from "./manifest-file.ts";
import { findRepository } from "../store/repository.ts";
import type { Adoptable } from "../store/doctor/adopt-project.ts";
import type { RegistryEntry } from "../store/store.ts";
import type { System } from "./system.ts";
import type { ProjectState } from "../core/schema/project.ts";

export async function resolveProject(
  system: System,
  reference: string | undefined,
): Promise<ProjectId> {
  const exact = reference === undefined ? undefined : parseProjectId(reference);
  if (exact !== undefined && system.store.find(exact) !== undefined) return exact;
  const entries = system.store.list();
  const here = findRepository(system.cwd).root;
  const found =
    reference === undefined
      ? oneThatIsMeant(
          system,
          entries.filter((entry) => entry.root === here),
        )
      : matching(system, entries, reference, here);
  const [only, ...others] = found;
  if (only === undefined) throw await nothingFound(system, reference, here);
  if (others.length > 0) throw new SeveralProjects(reference, found, here);
  return only.project_id;
}

/** Where all but one are abandoned, nobody has to say which. */
function oneThatIsMeant(
  { store }: System,
  entries: readonly RegistryEntry[],
): readonly RegistryEntry[] {
  if (entries.length < 2) return entries;
  const live = entries.filter(({ project_id }) => !isAbandoned(store, project_id));
  return live.length === 1 ? live : entries;
}

/** What cannot be read may be anything. */
function isAbandoned(store: System["store"], id: ProjectId): boolean {
  const read = orFault(() => store.read(id));
  return read.ok && read.value.state.status === "Abandoned";
}

/**
 * The manifest that is meant where none is named: prompt.md of the current folder, if the work tree has no project. Else
 * undefined: then a project is meant.
 */
export function usualManifest({ cwd, store }: System): string | undefined {
  const here = findRepository(cwd).root;
  const hasProject = store.list().some(({ root }) => root === here);
  return !hasProject && isFileThere(resolve(cwd, USUAL_MANIFEST)) ? USUAL_MANIFEST : undefined;
}

/** The narrowest reading that finds something wins: manifest, slug here, slug anywhere, id prefix. */
function matching(
  system: System,
  entries: readonly RegistryEntry[],
  reference: string,
  here: string,
): RegistryEntry[] {
  const named = resolve(system.cwd, reference);
  // A link that was put in a manifest's place later leads to another file, not to another project.
  const place = join(realPath(dirname(named)), basename(named));
  const path = realPath(named);
  const readings = [
    (entry: RegistryEntry) => resolve(entry.root, entry.manifest) === place,
    (entry: RegistryEntry) => resolve(entry.root, entry.manifest) === path,
    (entry: RegistryEntry) => entry.slug === reference && entry.root === here,
    (entry: RegistryEntry) => entry.slug === reference,
    (entry: RegistryEntry) => reference.length >= 3 && entry.project_id.startsWith(reference),
  ];
  for (const reading of readings) {
    const found = entries.filter(reading);
    if (found.length > 0) return found;
  }
  return [];
}

async function nothingFound(
  system: System,
  reference: string | undefined,
  here: string,
): Promise<StintError> {
  const path = reference === undefined ? undefined : realPath(resolve(system.cwd, reference));
  if (isHidden(system)) throw hiddenHere();
  // Nothing is missing: what is meant cannot be read.
  const damaged = system.store
    .damaged()
    .find(({ project_id, root }) =>
      reference === undefined
        ? root === here
        : root === here || (reference.length >= 3 && project_id.startsWith(reference)),
    );
  if (damaged !== undefined) throw damaged.fault;
  const copies = await unknownCopies(system, here);
  const copy = copies.find(
    ({ state }) =>
      path === undefined ||
      reference === state.slug ||
      reference === state.project_id ||
      path === resolve(here, state.manifest.path),
  );
  if (copy !== undefined) return withoutShadow(here, copy);
  if (reference === undefined || path === undefined) {
    const manifest = usualManifest(system);
    return new StintError(
      "not-found",
      `${here} has no project`,
      manifest === undefined
        ? "Create one: stint new <manifest.md>; or name one: stint list"
        : `Create it: ${creating(system.cwd, manifest)}; or name another one: stint list`,
    );
  }
  if (isFileThere(path)) {
    const shown = relative(system.cwd, path).split(sep).join("/");
    return new StintError(
      "not-found",
      `${shown} has no project`,
      `Create it: ${creating(system.cwd, shown)}`,
    );
  }
  const isFile = reference.endsWith(".md");
  return new StintError(
    "not-found",
    isFile
      ? `there is no file ${reference} here (${system.cwd}), and no project of that name`
      : `there is no project "${reference}": not an id, a slug or a manifest`,
    "See all projects: stint list",
  );
}

/** A manifest in no repository is refused as long as nobody says which work tree it is about. */
function creating(cwd: string, manifest: string): string {
  const command = `stint new ${shellWord(manifest)}`;
  const opened = orFault(() => openManifest(cwd, manifest));
  if (!opened.ok || opened.value.repository.gitFolder !== null) return command;
  const here = findRepository(cwd);
  const dir = here.gitFolder === null ? dirname(manifest) : here.root;
  return `${command} --dir ${shellWord(dir)}`;
}

/** What cannot be a path is a name; a disk that fails is not an answer. @throws what the disk says */
export function isFileThere(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
  } catch (error) {
    if (["ENOTDIR", "ENAMETOOLONG", "ELOOP", "EACCES"].includes(errnoOf(error) ?? "")) return false;
    throw error;
  }
}

/** Whatever it is, a link that leads nowhere too. */
export function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

/** A manifest belongs to its real file, whatever link leads to it. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/**
 * A project that lies in a work tree but that this user's state folder has no shadow of: a fresh clone, another machine, a
 * lost state folder. It is never believed, and never created over.
 */
export interface UnknownCopy {
  readonly folder: string;
  readonly state: ProjectState;
  /** Why this machine does not know it at this place. */
  readonly why: string;
}

export async function unknownCopies(system: System, root: string): Promise<UnknownCopy[]> {
  // A project that is found needs no settings.
  const { readConfig } = await import("./run/read-config.ts");
  const folder = (await readConfig(root)).root ?? "agents";
  // Where nothing can lie, nobody who judges copies is loaded.
  if (!existsSync(join(root, folder))) return [];
  const physician = await system.doctor();
  return physician
    .adoptables(root, folder)
    .flatMap(({ folder: copy, verdict }) =>
      verdict.kind === "refused"
        ? []
        : [{ folder: copy, state: verdict.state, why: whyUnknown(verdict) }],
    );
}

function whyUnknown(verdict: Exclude<Adoptable["verdict"], { kind: "refused" }>): string {
  if (verdict.kind === "moved") {
    return `this machine knows it in ${verdict.from}, which is gone`;
  }
  return verdict.hasShadow
    ? "its registration on this machine is lost; its shadow is there"
    : "this machine has no shadow of it (another machine, a fresh clone, a moved work tree, a lost state folder). Stint trusts nothing of it";
}

/** The refusal of every verb that would need to believe such a copy. */
export function withoutShadow(root: string, { folder, state, why }: UnknownCopy): StintError {
  return new StintError(
    "state-corrupt",
    `${folder} holds ${state.project_id} at revision ${state.revision}, but ${why}.`,
    `See what would be trusted: stint doctor; then, in ${root}: stint doctor --adopt`,
  );
}

/** In a session with isolation the state folder is not shown: then it seems that there is no project at all. */
function isHidden({ env, store }: System): boolean {
  return (env[INBOX_VARIABLE] ?? "") !== "" && store.list().length === 0;
}

function hiddenHere(): StintError {
  return new StintError(
    "refused",
    "Stint's state is hidden from this session, so only a person can use this verb here",
    "See where the project of this session stands: stint status; what is to be done: stint brief",
  );
}
