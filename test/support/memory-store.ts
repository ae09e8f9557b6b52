// The store in memory: the same promises without a disk. For the simulation of months of runs,
// and as the second opinion that keeps the contract honest.
import { join } from "node:path";
import { instantFromMs } from "../../src/core/instant.ts";
import type { ProjectId, Slug } from "../../src/core/ids.ts";
import type { JournalEntry, ProjectState, Lease } from "../../src/core/schema/project.ts";
import type { Sha256 } from "../../src/core/schema/scalar.ts";
import { StintError } from "../../src/core/stint-error.ts";
import { sha256Of } from "../../src/store/digest.ts";
import type { Host } from "../../src/store/host.ts";
import { EMPTY_JOURNAL, type JournalTail, sealRevision } from "../../src/store/journal.ts";
import {
  leaseGivenBack,
  leaseLost,
  newLease,
  refuseIfHeld,
  takeOver,
  viewLease,
} from "../../src/store/lease.ts";
import { alreadyThere, notFound, slugTried } from "../../src/store/registry.ts";
import { namedManifests } from "../../src/store/store-files.ts";
import type {
  Claim,
  Happening,
  Holder,
  KeptCopy,
  KeptPath,
  NewProject,
  RegistryEntry,
  Snapshot,
  Store,
} from "../../src/store/store.ts";

interface StoredProject {
  readonly entry: RegistryEntry;
  readonly manifests: Map<Sha256, string>;
  readonly kept: Map<KeptPath, Buffer>;
  state: ProjectState;
  readonly journal: JournalEntry[];
  tail: JournalTail;
  lease: Lease | null;
}

/** What the stores of several processes share: the disk, so to speak. */
export class MemoryShelf {
  readonly projects = new Map<ProjectId, StoredProject>();
}

export class MemoryStore implements Store {
  readonly #shelf: MemoryShelf;
  readonly #host: Host;

  constructor(shelf: MemoryShelf, host: Host) {
    this.#shelf = shelf;
    this.#host = host;
  }

  create(project: NewProject): Snapshot {
    const taken = this.list().find(
      (entry) => entry.root === project.entry.root && entry.manifest === project.entry.manifest,
    );
    if (taken !== undefined) throw alreadyThere(taken);
    const slug = this.#freeSlug(project);
    const entry = { ...project.entry, slug, folder: join(project.projectsFolder, slug) };
    const { state, line } = sealRevision(
      EMPTY_JOURNAL,
      { ...project.firstState(slug), project_id: entry.project_id },
      { type: "event", fence: 0 },
      project.happening,
    );
    this.#shelf.projects.set(entry.project_id, {
      entry,
      manifests: new Map([[sha256Of(project.manifestText), project.manifestText]]),
      kept: new Map(),
      state,
      journal: [line.entry],
      tail: line.tail,
      lease: null,
    });
    return this.read(entry.project_id);
  }

  list(): RegistryEntry[] {
    return [...this.#shelf.projects.values()]
      .map((project) => project.entry)
      .toSorted((a, b) => a.created_at.localeCompare(b.created_at));
  }

  /** What is in memory is not damaged. */
  damaged(): [] {
    return [];
  }

  find(id: ProjectId): RegistryEntry | undefined {
    return this.#shelf.projects.get(id)?.entry;
  }

  forget(id: ProjectId): void {
    this.#shelf.projects.delete(id);
  }

  wasCutShort(): boolean {
    return false;
  }

  /** What is in memory is not taken away. */
  loss(): null {
    return null;
  }

  read(id: ProjectId): Snapshot {
    const project = this.#project(id);
    return {
      entry: project.entry,
      state: project.state,
      folder: "same",
      lease: viewLease(this.#host, project.lease),
    };
  }

  journal(id: ProjectId, count = Number.POSITIVE_INFINITY): JournalEntry[] {
    const { journal } = this.#project(id);
    return count < journal.length ? journal.slice(-count) : [...journal];
  }

  manifestText(id: ProjectId, digest: Sha256): string {
    const text = this.#project(id).manifests.get(digest);
    if (text !== undefined) return text;
    throw new StintError(
      "state-corrupt",
      `the manifest ${digest} of ${id} is missing`,
      `See what can be saved: stint doctor ${id}`,
    );
  }

  kept(id: ProjectId, path: KeptPath): Buffer | undefined {
    return this.#project(id).kept.get(path);
  }

  keptPlace(id: ProjectId, path: KeptPath): string {
    return `${id}/${path}`;
  }

  keptCopies(): readonly KeptCopy[] {
    return [];
  }

  acquire(id: ProjectId, claim: Claim): Holder {
    const project = this.#project(id);
    const previous = project.lease;
    refuseIfHeld(id, viewLease(this.#host, previous));
    const fence = Math.max(previous?.fence ?? 0, project.state.fence) + 1;
    const lease = newLease(this.#host, claim, fence);
    project.lease = lease;
    // As on disk: only the texts that the state names are promised to the next owner.
    const named = namedManifests(project.state);
    for (const known of project.manifests.keys()) {
      if (!named.has(known)) project.manifests.delete(known);
    }
    const holder = new MemoryHolder(project, this.#host, lease);
    if (previous !== null && previous.released_at === null) {
      holder.note(takeOver(previous, lease, this.#host.nowMs()));
    }
    return holder;
  }

  #project(id: ProjectId): StoredProject {
    const project = this.#shelf.projects.get(id);
    if (project === undefined) throw notFound(id);
    return project;
  }

  #freeSlug(project: NewProject): Slug {
    const { root } = project.entry;
    const taken = new Set(
      this.list()
        .filter((entry) => entry.root === root)
        .map((entry) => entry.slug),
    );
    for (let tries = 0; ; tries += 1) {
      const slug = slugTried(project.slug, tries, this.#host);
      if (!taken.has(slug)) return slug;
    }
  }
}

class MemoryHolder implements Holder {
  readonly entry: RegistryEntry;
  readonly healed: readonly string[] = [];
  readonly #project: StoredProject;
  readonly #host: Host;
  lease: Lease;
  state: ProjectState;
  #unusable: StintError | undefined;

  constructor(project: StoredProject, host: Host, lease: Lease) {
    this.#project = project;
    this.#host = host;
    this.lease = lease;
    this.state = project.state;
    this.entry = project.entry;
  }

  commit(next: ProjectState, happening: Happening): ProjectState {
    return this.#write(next, "event", happening);
  }

  note(happening: Happening): void {
    this.#write(this.state, "fact", happening);
  }

  keepManifest(text: string): Sha256 {
    this.#assertHeld();
    const digest = sha256Of(text);
    this.#project.manifests.set(digest, text);
    return digest;
  }

  keep(path: KeptPath, content: string | Uint8Array): void {
    this.#assertHeld();
    this.#project.kept.set(path, Buffer.from(content));
  }

  keepWithNext(path: KeptPath, content: string | Uint8Array): void {
    this.keep(path, content);
  }

  settle(): void {
    this.#assertHeld();
  }

  renew(): void {
    this.#assertHeld();
    this.lease = { ...this.lease, heartbeat_at: instantFromMs(this.#host.nowMs()) };
    this.#project.lease = this.lease;
  }

  giveUp(why: StintError): void {
    this.#unusable ??= why;
  }

  release(): void {
    if (this.#unusable !== undefined) return;
    this.#assertHeld();
    this.#project.lease = { ...this.lease, released_at: instantFromMs(this.#host.nowMs()) };
    this.#unusable = leaseGivenBack(this.entry.project_id);
  }

  #write(next: ProjectState, type: "event" | "fact", happening: Happening): ProjectState {
    this.#assertHeld();
    const { fence } = this.lease;
    const { state, line } = sealRevision(this.#project.tail, next, { type, fence }, happening);
    this.state = state;
    this.#project.state = this.state;
    this.#project.journal.push(line.entry);
    this.#project.tail = line.tail;
    return this.state;
  }

  #assertHeld(): void {
    if (this.#unusable !== undefined) throw this.#unusable;
    const current = this.#project.lease;
    if (current?.fence === this.lease.fence) return;
    this.#unusable = leaseLost(this.entry.project_id, this.lease, current?.fence);
    throw this.#unusable;
  }
}
