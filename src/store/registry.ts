// Which projects this user has: one file per id, so that an id alone finds its project from any
// folder, and one file per (root, manifest), whose exclusive creation decides who creates it.
import { basename, dirname, join } from "node:path";
import { parseProjectId, type ProjectId, type Slug } from "../core/ids.ts";
import { isWithin } from "../core/files.ts";
import { parseJsonLine } from "../core/json-line.ts";
import { StintError } from "../core/stint-error.ts";
import { errnoOf } from "../core/words/system-error.ts";
import type { Disk } from "./disk.ts";
import { inTheWayOf, unwritable } from "./files.ts";
import type { Host } from "./host.ts";
import { freeName, registryLayout } from "./layout.ts";
import { stateGone } from "./revision-files.ts";
import type { DamagedEntry, RegistryEntry } from "./store.ts";

/** Which project has a manifest. */
type Reservation = Pick<RegistryEntry, "project_id" | "root" | "manifest">;

export class Registry {
  readonly #disk: Disk;
  readonly #layout: ReturnType<typeof registryLayout>;
  /** Found before: when one of them is gone, somebody took it away. */
  readonly #known = new Set<ProjectId>();

  constructor(disk: Disk, stateHome: string) {
    this.#disk = disk;
    this.#layout = registryLayout(stateHome);
  }

  /** Reserves (root, manifest) for `id`, or tells which id has it. */
  reserve(root: string, manifest: string, id: ProjectId): ProjectId {
    this.#disk.ensureFolder(this.#layout.manifests);
    const path = this.#layout.manifest(root, manifest);
    if (this.#disk.create(path, encode({ project_id: id, root, manifest }))) return id;
    const owner = this.ownerOf(root, manifest);
    if (owner === undefined) throw damaged(path);
    return owner;
  }

  /** The project that has (root, manifest), if there is one. */
  ownerOf(root: string, manifest: string): ProjectId | undefined {
    const reserved = this.#read(this.#layout.manifest(root, manifest))?.project_id;
    return typeof reserved === "string" ? parseProjectId(reserved) : undefined;
  }

  /** Adds a project under its id, or returns the entry that is there already. */
  add(entry: RegistryEntry): RegistryEntry {
    this.#disk.ensureFolder(this.#layout.projects);
    if (this.#disk.create(this.#layout.project(entry.project_id), encode(entry))) return entry;
    return this.find(entry.project_id) ?? entry;
  }

  /** Writes both files of a project whose work tree is somewhere else now, or that had none. */
  move(entry: RegistryEntry): void {
    this.#disk.ensureFolder(this.#layout.manifests);
    this.#disk.ensureFolder(this.#layout.projects);
    const { project_id, root, manifest } = entry;
    const before = this.find(project_id);
    this.#disk.replace(
      this.#layout.manifest(root, manifest),
      encode({ project_id, root, manifest }),
    );
    this.#disk.replace(this.#layout.project(project_id), encode(entry));
    // A new work tree at the old place is free to have a project of its own, and may have one already.
    if (before === undefined || (before.root === root && before.manifest === manifest)) return;
    if (orDamage(() => this.ownerOf(before.root, before.manifest)) !== project_id) return;
    this.#disk.remove(this.#layout.manifest(before.root, before.manifest));
  }

  /** Takes a project out of the list. Its shadow stays, so that it can be adopted again. */
  remove(entry: RegistryEntry): void {
    // The entry goes last: a kill in between leaves one that is found and removed again.
    this.#disk.remove(this.#layout.manifest(entry.root, entry.manifest));
    this.#disk.remove(this.#layout.project(entry.project_id));
    this.#known.delete(entry.project_id);
  }

  find(id: ProjectId): RegistryEntry | undefined {
    const path = this.#layout.project(id);
    const entry = this.#read(path);
    if (entry === undefined) return undefined;
    if (!isEntry(entry) || entry.project_id !== id) throw damaged(path);
    this.#known.add(id);
    return entry;
  }

  /** Where the entry of a project is. */
  placeOf(id: ProjectId): string {
    return this.#layout.project(id);
  }

  /** @throws not-found; state-unwritable for one that was there */
  get(id: ProjectId): RegistryEntry {
    const entry = this.find(id);
    if (entry !== undefined) return entry;
    throw this.#known.has(id) ? stateGone(this.#disk, id, this.placeOf(id)) : notFound(id);
  }

  /** Those that can be read: a damaged one is in nobody's way but its own project's. */
  list(): RegistryEntry[] {
    return this.#look()
      .flatMap((each) => (each instanceof StintError ? [] : [each]))
      .toSorted((a, b) => a.created_at.localeCompare(b.created_at));
  }

  damaged(): DamagedEntry[] {
    return this.#ids().flatMap((project_id) => {
      const fault = this.#findOrFault(project_id);
      if (!(fault instanceof StintError)) return [];
      const { root = null } = this.reservationOf(project_id) ?? {};
      return [{ project_id, path: this.placeOf(project_id), root, fault }];
    });
  }

  /** The place that is kept for a project, whatever its entry says. */
  reservationOf(id: ProjectId): Reservation | undefined {
    const { manifests } = this.#layout;
    return this.#disk
      .list(manifests)
      .filter((name) => name.endsWith(".json"))
      .flatMap((name) => {
        const read = orDamage(() => this.#read(join(manifests, name)));
        if (read === undefined || read instanceof StintError) return [];
        const { project_id, root, manifest } = read;
        const isWhole = project_id === id && isText(root) && isText(manifest);
        return isWhole ? [{ project_id, root, manifest }] : [];
      })[0];
  }

  /** Why the reservation of a project does not count; null where it does. */
  reservationProblem({ project_id, root, manifest }: RegistryEntry): string | null {
    const path = this.#layout.manifest(root, manifest);
    const owner = orDamage(() => this.ownerOf(root, manifest));
    if (owner instanceof StintError) return owner.message;
    if (owner === project_id) return null;
    return owner === undefined
      ? `${path} does not give ${manifest} to ${project_id}`
      : `${path} gives ${manifest} to ${owner}`;
  }

  /** Whether another project has its manifest. */
  isTaken({ project_id, root, manifest }: RegistryEntry): boolean {
    const owner = orDamage(() => this.ownerOf(root, manifest));
    return typeof owner === "string" && owner !== project_id;
  }

  /** Writes a damaged or missing reservation again. @returns what was done, one line each */
  repairReservation(entry: RegistryEntry): string[] {
    const { project_id, root, manifest } = entry;
    const problem = this.reservationProblem(entry);
    // It is another project's: a person decides whose the manifest is.
    if (problem === null || this.isTaken(entry)) return [];
    const path = this.#layout.manifest(root, manifest);
    const owner = orDamage(() => this.ownerOf(root, manifest));
    const aside = owner instanceof StintError ? this.#moveAside(path) : null;
    this.#disk.ensureFolder(this.#layout.manifests);
    this.#disk.replace(path, encode({ project_id, root, manifest }));
    const kept = aside === null ? "" : `; the damaged one was set aside as ${aside}`;
    return [`the reservation of ${manifest} was written again${kept}`];
  }

  /** What is in the place of one of the folders, below the state folder. */
  misplaced(): string[] {
    const { home, projects, manifests, aside, shadows } = this.#layout;
    const found = [projects, manifests, aside, shadows].map((folder) => inTheWayOf(folder));
    const below = found.filter((at) => at !== null && at !== home && isWithin(at, home));
    return [...new Set(below.filter((at) => at !== null))];
  }

  /** Beside its place: the folder of what was set aside may be among them. @returns what was done, one line each */
  setAsideMisplaced(): string[] {
    return this.misplaced().map((path) => {
      const aside = freeName(this.#disk, dirname(path), `${basename(path)}.aside`);
      this.#disk.move(path, aside);
      return `${path} is not a folder; it was set aside as ${aside}`;
    });
  }

  /** Moves a damaged entry out of the way. @returns where it is now */
  setAside(id: ProjectId): string {
    return this.#moveAside(this.placeOf(id));
  }

  /** Whatever it is: a rename takes a folder and a link as it takes a file. */
  #moveAside(path: string): string {
    this.#disk.ensureFolder(this.#layout.aside);
    const aside = freeName(this.#disk, this.#layout.aside, basename(path));
    this.#disk.move(path, aside);
    this.#disk.flushFolder(dirname(path));
    return aside;
  }

  #look(): (RegistryEntry | StintError)[] {
    return this.#ids().flatMap((id) => this.#findOrFault(id) ?? []);
  }

  #findOrFault(id: ProjectId): RegistryEntry | StintError | undefined {
    return orDamage(() => this.find(id));
  }

  #ids(): ProjectId[] {
    const { projects } = this.#layout;
    const names = this.#disk.list(projects);
    // Nothing is there, and nothing can be: that is no empty registry.
    if (names.length === 0 && inTheWayOf(projects) !== null)
      throw unwritable("make the folder", projects, "EEXIST");
    return names
      .map((name) => (name.endsWith(".json") ? parseProjectId(name.slice(0, -5)) : undefined))
      .filter((id) => id !== undefined);
  }

  #read(path: string): Partial<RegistryEntry> | undefined {
    const bytes = this.#bytesOf(path);
    if (bytes === undefined) return undefined;
    const entry = parseJsonLine(bytes.toString("utf8"));
    if (entry === undefined) throw damaged(path);
    return entry;
  }

  #bytesOf(path: string): Buffer | undefined {
    try {
      return this.#disk.read(path);
    } catch (error) {
      // A folder or a circle of links is damage like any other; a disk that fails is not.
      const errno = error instanceof StintError ? errnoOf(error.cause) : undefined;
      if (errno === "EISDIR" || errno === "ELOOP") throw damaged(path);
      throw error;
    }
  }
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function orDamage<T>(act: () => T): T | StintError {
  try {
    return act();
  } catch (error) {
    if (error instanceof StintError && error.code === "state-corrupt") return error;
    throw error;
  }
}

function isEntry(value: Partial<RegistryEntry>): value is RegistryEntry {
  const { slug, owner_agent, root, folder, manifest, created_at } = value;
  const texts = [slug, owner_agent, root, folder, manifest, created_at];
  return texts.every((text) => typeof text === "string");
}

function encode(value: object): Buffer {
  return Buffer.from(`${JSON.stringify(value, null, 2)}\n`, "utf8");
}

export function notFound(id: ProjectId): StintError {
  return new StintError("not-found", `there is no project ${id}`, "See all projects: stint list");
}

export function alreadyThere(entry: RegistryEntry): StintError {
  return new StintError(
    "bad-input",
    `${entry.manifest} already has a project: ${entry.project_id}, created ${entry.created_at}. It was not created again.`,
    `Look at it: stint status ${entry.project_id}`,
  );
}

/** The wanted slug at first, then with four hex digits. */
export function slugTried(wanted: Slug, tries: number, host: Host): Slug {
  const suffix = Buffer.from(host.randomBytes(2)).toString("hex");
  return (tries === 0 ? wanted : `${wanted}-${suffix}`) as Slug;
}

function damaged(path: string): StintError {
  return new StintError(
    "state-corrupt",
    `${path} is damaged: it is not an entry of the registry`,
    "Set it aside and write it again: stint doctor --repair",
  );
}
