// Which projects this user has: one file per id, so that an id alone finds its project from any
// folder, and one file per (root, manifest), whose exclusive creation decides who creates it.
import { parseProjectId, type ProjectId, type Slug } from "../core/ids.ts";
import { parseJsonLine } from "../core/json-line.ts";
import { StintError } from "../core/stint-error.ts";
import type { Disk } from "./disk.ts";
import type { Host } from "./host.ts";
import { registryLayout } from "./layout.ts";
import { stateGone } from "./revision-files.ts";
import type { RegistryEntry } from "./store.ts";

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
    // A new work tree at the old place is free to have a project of its own.
    if (before !== undefined && (before.root !== root || before.manifest !== manifest)) {
      this.#disk.remove(this.#layout.manifest(before.root, before.manifest));
    }
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

  list(): RegistryEntry[] {
    return this.#disk
      .list(this.#layout.projects)
      .map((name) => parseProjectId(name.replace(/\.json$/, "")))
      .filter((id) => id !== undefined)
      .map((id) => this.find(id))
      .filter((entry) => entry !== undefined)
      .toSorted((a, b) => a.created_at.localeCompare(b.created_at));
  }

  #read(path: string): Partial<RegistryEntry> | undefined {
    const bytes = this.#disk.read(path);
    if (bytes === undefined) return undefined;
    const entry = parseJsonLine(bytes.toString("utf8"));
    if (entry === undefined) throw damaged(path);
    return entry;
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
    "Move it aside, go to the work tree of the project and run: stint doctor --adopt",
  );
}
