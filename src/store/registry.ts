// Which projects this user has: one file per id, so that an id alone finds its project from any
// folder, and one file per (root, manifest), whose exclusive creation decides who creates it.
import { parseProjectId, type ProjectId } from "../core/ids.ts";
import {
  createDurably,
  ensureFolder,
  listIfPresent,
  readIfPresent,
  removeIfPresent,
  replaceDurably,
} from "./durable.ts";
import type { Files } from "./files.ts";
import { registryLayout, type RegistryLayout } from "./layout.ts";
import type { RegistryEntry } from "./store.ts";
import { StintError } from "../core/stint-error.ts";
import { orHardStop } from "./unwritable.ts";

export class Registry {
  readonly #files: Files;
  readonly #layout: RegistryLayout;
  readonly #tag: string;

  constructor(files: Files, stateHome: string, tag: string) {
    this.#files = files;
    this.#tag = tag;
    this.#layout = registryLayout(stateHome);
  }

  /** Reserves (root, manifest) for `id`, or tells which id has it. */
  reserve(root: string, manifest: string, id: ProjectId): ProjectId {
    ensureFolder(this.#files, this.#layout.manifests);
    const path = this.#layout.manifest(root, manifest);
    const bytes = encode({ project_id: id, root, manifest });
    if (createDurably(this.#files, path, bytes, this.#tag)) return id;
    const reserved = this.#read(path)?.project_id;
    const parsed = typeof reserved === "string" ? parseProjectId(reserved) : undefined;
    if (parsed === undefined) throw damaged(path);
    return parsed;
  }

  /** The project that has (root, manifest), if there is one. */
  ownerOf(root: string, manifest: string): ProjectId | undefined {
    const reserved = this.#read(this.#layout.manifest(root, manifest))?.project_id;
    return typeof reserved === "string" ? parseProjectId(reserved) : undefined;
  }

  /** Adds a project under its id, or returns the entry that is there already. */
  add(entry: RegistryEntry): RegistryEntry {
    ensureFolder(this.#files, this.#layout.projects);
    const path = this.#layout.project(entry.project_id);
    if (createDurably(this.#files, path, encode(entry), this.#tag)) return entry;
    return this.find(entry.project_id) ?? entry;
  }

  /** Puts back both files of a project after the state folder was wiped. */
  restore(entry: RegistryEntry): void {
    this.reserve(entry.root, entry.manifest, entry.project_id);
    this.add(entry);
  }

  /** Writes both files of a project whose work tree is somewhere else now, or that had none. */
  move(entry: RegistryEntry): void {
    ensureFolder(this.#files, this.#layout.manifests);
    ensureFolder(this.#files, this.#layout.projects);
    const { project_id, root, manifest } = entry;
    const before = this.find(project_id);
    const reservation = encode({ project_id, root, manifest });
    replaceDurably(this.#files, this.#layout.manifest(root, manifest), reservation, this.#tag);
    replaceDurably(this.#files, this.#layout.project(project_id), encode(entry), this.#tag);
    // A new work tree at the old place is free to have a project of its own.
    if (before !== undefined && (before.root !== root || before.manifest !== manifest)) {
      const left = this.#layout.manifest(before.root, before.manifest);
      orHardStop("remove", left, () => removeIfPresent(this.#files, left));
    }
  }

  /** Takes a project out of the list. Its shadow stays, so that it can be adopted again. */
  remove(entry: RegistryEntry): void {
    // The entry goes last: a kill in between leaves one that is found and removed again.
    for (const path of [
      this.#layout.manifest(entry.root, entry.manifest),
      this.#layout.project(entry.project_id),
    ]) {
      orHardStop("remove", path, () => removeIfPresent(this.#files, path));
    }
  }

  find(id: ProjectId): RegistryEntry | undefined {
    const path = this.#layout.project(id);
    const entry = this.#read(path);
    if (entry === undefined) return undefined;
    if (!isEntry(entry) || entry.project_id !== id) throw damaged(path);
    return entry;
  }

  list(): RegistryEntry[] {
    const names = orHardStop("list", this.#layout.projects, () =>
      listIfPresent(this.#files, this.#layout.projects),
    );
    return names
      .map((name) => parseProjectId(name.replace(/\.json$/, "")))
      .filter((id) => id !== undefined)
      .map((id) => this.find(id))
      .filter((entry) => entry !== undefined)
      .toSorted((a, b) => a.created_at.localeCompare(b.created_at));
  }

  #read(path: string): Partial<RegistryEntry> | undefined {
    const bytes = orHardStop("read", path, () => readIfPresent(this.#files, path));
    if (bytes === undefined) return undefined;
    try {
      return JSON.parse(bytes.toString("utf8")) as Partial<RegistryEntry>;
    } catch {
      throw damaged(path);
    }
  }
}

function isEntry(value: Partial<RegistryEntry> | null): value is RegistryEntry {
  if (value === null || typeof value !== "object") return false;
  const texts = [value.slug, value.owner_agent, value.root, value.folder, value.manifest];
  return texts.every((text) => typeof text === "string") && typeof value.created_at === "string";
}

function encode(value: object): Buffer {
  return Buffer.from(`${JSON.stringify(value, null, 2)}\n`, "utf8");
}

function damaged(path: string): StintError {
  return new StintError(
    "state-corrupt",
    `${path} is damaged: it is not an entry of the registry`,
    "Move it aside, go to the work tree of the project and run: stint doctor --adopt",
  );
}
