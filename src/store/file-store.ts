// The store on files. The shadow under the state folder is the authority; the project folder in the
// work tree is a copy that is brought forward from it.
import { basename, join } from "node:path";
import { instantFromMs } from "../core/instant.ts";
import type { ProjectId } from "../core/ids.ts";
import type { JournalEntry, Lease } from "../core/schema/project.ts";
import type { Sha256 } from "../core/schema/scalar.ts";
import { StintError } from "../core/stint-error.ts";
import { sha256Of } from "./digest.ts";
import { FileHolder } from "./file-holder.ts";
import { EMPTY_JOURNAL, linesUpTo, openJournal, sealRevision } from "./journal.ts";
import { projectLayout } from "./layout.ts";
import { takeOver } from "./lease.ts";
import { readPending } from "./pending-log.ts";
import {
  folderCondition,
  isFolderOnlyClaimed,
  makeProjectFolder,
  readCopy,
  workTreeGone,
} from "./project-folder.ts";
import { withoutState } from "./doctor/no-state.ts";
import { alreadyThere, slugTried } from "./registry.ts";
import { NOTHING_CARRIED } from "./revision-codec.ts";
import { corrupt, readWhole, type StoredRevision, stateGone } from "./revision-files.ts";
import { StateEncoder } from "./state-codec.ts";
import type {
  Claim,
  DamagedEntry,
  Holder,
  KeptCopy,
  KeptPath,
  NewProject,
  RegistryEntry,
  Snapshot,
  Store,
} from "./store.ts";
import {
  type FileStoreOptions,
  keepManifest,
  manifestPath,
  manifestPointer,
  namedManifests,
  type ProjectFiles,
  StoreFiles,
} from "./store-files.ts";

export type { FileStoreOptions } from "./store-files.ts";

export class FileStore implements Store {
  readonly #files: StoreFiles;
  /** Who owns here, and knows what is pending. */
  readonly #holders = new Map<ProjectId, FileHolder>();

  constructor(options: FileStoreOptions) {
    this.#files = new StoreFiles(options);
  }

  create(project: NewProject): Snapshot {
    const { registry } = this.#files;
    const { root, manifest, project_id } = project.entry;
    const id = registry.reserve(root, manifest, project_id);
    const known = registry.find(id);
    const entry = known === undefined ? this.#claimFolder(project, id) : registry.add(known);
    const parts = this.#files.of(entry);
    const { disk, shadow, revisions, folder } = parts;
    if (revisions.numbers().length > 0) throw alreadyThere(entry);

    disk.ensureFolder(shadow.states);
    keepManifest(disk, shadow, project.manifestText);
    const { state } = sealRevision(
      EMPTY_JOURNAL,
      { ...project.firstState(entry.slug), project_id: id },
      { type: "event", fence: 0 },
      project.happening,
    );
    const bytes = new StateEncoder().encode(state);
    if (!revisions.create(state, bytes)) throw alreadyThere(entry);
    const first: StoredRevision = { state, bytes, carried: NOTHING_CARRIED };
    // A creation that a crash cut short may have left its first line.
    const journal = openJournal(disk, shadow.journal, first, id);
    const pages = parts.pages(state);
    folder.heal({ revision: 1, state: bytes, journal: journal.bytes, pages });
    folder.writePages(state, pages);
    return this.#snapshot(parts, first);
  }

  list(): RegistryEntry[] {
    return this.#files.registry.list();
  }

  damaged(): DamagedEntry[] {
    return this.#files.registry.damaged();
  }

  find(id: ProjectId): RegistryEntry | undefined {
    return this.#files.registry.find(id);
  }

  forget(id: ProjectId): void {
    const entry = this.find(id);
    if (entry !== undefined) this.#files.registry.remove(entry);
  }

  wasCutShort(id: ProjectId): boolean {
    const { disk, layout, revisions } = this.#files.find(id);
    return revisions.numbers().length === 0 && isFolderOnlyClaimed(disk, layout);
  }

  loss(id: ProjectId): StintError | null {
    const { disk, registry } = this.#files;
    const { states } = this.#files.shadow(id);
    if (this.#files.revisions(id).numbers().length === 0) return stateGone(disk, id, states);
    const entry = registry.find(id);
    if (entry === undefined) return stateGone(disk, id, registry.placeOf(id));
    return workTreeGone(disk, entry.root);
  }

  read(id: ProjectId): Snapshot {
    const parts = this.#files.find(id);
    return this.#snapshot(parts, topOf(parts));
  }

  journal(id: ProjectId, count = Number.POSITIVE_INFINITY): JournalEntry[] {
    const parts = this.#files.find(id);
    const { journal: path } = parts.shadow;
    for (let tries = 1; ; tries += 1) {
      // The state is read first: a journal that was read later misses its last line at most.
      const lines = linesUpTo(topOf(parts), readWhole(parts.disk, path, id) ?? Buffer.alloc(0));
      if (Array.isArray(lines)) return lines.slice(Math.max(0, lines.length - count));
      // A line that is being written while we read may look like a broken one.
      if (tries === 3) throw corrupt(`${path} cannot be trusted: ${lines.reason}`, id);
    }
  }

  manifestText(id: ProjectId, digest: Sha256): string {
    const path = join(this.#files.shadow(id).folder, manifestPath(digest));
    const text = this.#readKept(id, manifestPath(digest))?.toString("utf8");
    if (text === undefined) throw corrupt(`${path} is missing`, id);
    if (sha256Of(text) !== digest) throw corrupt(`${path} does not match its digest`, id);
    return text;
  }

  kept(id: ProjectId, path: KeptPath): Buffer | undefined {
    return this.#readKept(id, `kept/${path}`);
  }

  /** Pending first: what is in a file of its own is older. */
  #readKept(id: ProjectId, path: string): Buffer | undefined {
    const holder = this.#holders.get(id);
    const pending =
      holder === undefined || holder.isOver
        ? pendingOf(this.#files.find(id)).get(path)
        : holder.pending(path);
    const { disk } = this.#files;
    return pending ?? readWhole(disk, join(this.#files.shadow(id).folder, path), id);
  }

  keptPlace(id: ProjectId, path: KeptPath): string {
    return join(this.#files.shadow(id).kept, path);
  }

  keptCopies(id: ProjectId, path: KeptPath): readonly KeptCopy[] {
    const { disk, shadow, layout } = this.#files.find(id);
    const name = basename(path);
    // What opening found in the project folder in its place was kept aside, under a number.
    const aside = disk
      .list(shadow.foreign)
      .filter((each) => each.replace(/^\d+-/, "") === name)
      .toSorted((one, other) => Number.parseInt(other, 10) - Number.parseInt(one, 10))
      .map((each) => join(shadow.foreign, each));
    return [join(layout.folder, path), ...aside].flatMap((place) => {
      const bytes = readCopy(disk, place);
      return bytes === undefined ? [] : [{ place, bytes }];
    });
  }

  acquire(id: ProjectId, claim: Claim): Holder {
    const parts = this.#files.find(id);
    const { disk, leases, shadow, folder } = parts;
    // Before the lease is looked at: see LeaseFiles.take.
    const floor = topOf(parts).state.fence;
    const { lease, fencedOff } = leases.take(claim, floor);
    for (let tries = 1; ; tries += 1) {
      try {
        const holder = this.#open(parts, lease);
        if (fencedOff !== null) {
          folder.removeTempsIn(disk.removeTempsBelow(shadow.kept));
          // One revision under the new number. A predecessor that only stood still can no longer
          // write: the revision it was about to make exists.
          holder.note(takeOver(fencedOff, lease, this.#files.host.nowMs()));
        }
        return holder;
      } catch (error) {
        if (isAboutContent(error)) {
          // Overtaken while it stood still: what it read before is not what it reads now.
          leases.assertHeld(lease);
          // A predecessor that only stood still may finish the one write it had begun.
          if (fencedOff !== null && tries < 3) continue;
        }
        releaseIfPossible(parts, lease);
        throw error;
      }
    }
  }

  /** Brings everything forward to the last durable revision. Only under the lease. */
  #open(parts: ProjectFiles, lease: Lease): FileHolder {
    const { disk, shadow, revisions, folder, leases, entry } = parts;
    for (const each of [shadow.folder, shadow.states, shadow.manifests, shadow.answers]) {
      disk.removeTemps(each);
    }
    // What the owner before had kept and not settled gets its own files. Repeated by the next one if it is cut.
    const pending = pendingOf(parts);
    leases.assertHeld(lease);
    disk.replaceAll(shadow.folder, pending);
    const texts = disk.list(shadow.manifests);
    const top = topOf(parts);
    const { state } = top;
    revisions.bringForward(top);
    disk.flushFolder(shadow.states);
    const journal = openJournal(disk, shadow.journal, top, entry.project_id);
    const { revision } = state;
    const pages = parts.pages(state);
    const content = { revision, state: top.bytes, journal: journal.bytes, pages };
    const healedFolder = folder.heal(content);
    leases.showInFolder(lease);
    const edited = folder.keepEditedPages(state, Object.keys(pages));
    folder.writePages(state, pages);
    revisions.prune(revision);
    revisions.removeEarlierSpares(lease.fence);
    // Whoever overtook this process later keeps texts that are not in the list.
    leases.assertHeld(lease);
    const named = namedManifests(state);
    const isUnnamed = (name: string): boolean => !named.has(name.replace(/\.md$/, "") as Sha256);
    disk.clean(shadow.manifests, isUnnamed, texts);
    const healed = [...journal.healed, ...healedFolder, ...edited];
    const holder = new FileHolder(parts, lease, { state, journal: journal.tail, healed });
    this.#holders.set(entry.project_id, holder);
    if (healed.length > 0) {
      holder.note({
        at: instantFromMs(this.#files.host.nowMs()),
        kind: "copies-healed",
        by: lease.owner,
        summary: healed.join("; "),
      });
    }
    return holder;
  }

  /** Finds a free slug and claims its folder by the exclusive creation of manifest.md. */
  #claimFolder(project: NewProject, id: ProjectId): RegistryEntry {
    const { disk, host, registry } = this.#files;
    for (let tries = 0; ; tries += 1) {
      const slug = slugTried(project.slug, tries, host);
      const folder = join(project.projectsFolder, slug);
      const entry: RegistryEntry = { ...project.entry, project_id: id, slug, folder };
      const layout = projectLayout(entry);
      const pointer = manifestPointer(entry);
      const path = join(layout.folder, "manifest.md");
      makeProjectFolder(disk, layout);
      if (disk.create(path, pointer) || disk.read(path)?.equals(pointer)) {
        return registry.add(entry);
      }
    }
  }

  #snapshot({ entry, disk, layout, leases }: ProjectFiles, stored: StoredRevision): Snapshot {
    const { state, bytes } = stored;
    const durable = { revision: state.revision, state: bytes };
    const folder = folderCondition(disk, layout, durable);
    return { entry, state, folder, lease: leases.view() };
  }
}

/** As the last owner left it, or leaves it just now: what the state carries, and what was kept since. */
function pendingOf({ disk, shadow, revisions, entry }: ProjectFiles): ReadonlyMap<string, Buffer> {
  for (;;) {
    const top = revisions.top();
    // It is being created.
    if (top === undefined) return new Map();
    const { revision } = top.state;
    const log = readPending(disk, shadow.pending, entry.project_id);
    const found = new Map(log.settled < revision ? top.carried.files : []);
    for (const { after, path, bytes } of log.records) {
      if (after === revision) found.set(path, bytes);
    }
    if ((revisions.numbers()[0] ?? 0) <= revision) return found;
    // A revision came in between; look again.
  }
}

function topOf({ entry, disk, shadow, layout, revisions }: ProjectFiles): StoredRevision {
  const top = revisions.top();
  if (top !== undefined) return top;
  const { what, fix } = withoutState(disk, entry, layout);
  throw new StintError(
    "state-corrupt",
    `${entry.project_id} has no state in ${shadow.states}: ${what}`,
    `To make it again: ${fix}`,
  );
}

function isAboutContent(error: unknown): boolean {
  return (
    error instanceof StintError &&
    (error.code === "state-changed" || error.code === "state-corrupt")
  );
}

/** A project that cannot be opened is not kept from others; a disk that fails keeps its own error. */
function releaseIfPossible({ leases }: ProjectFiles, lease: Lease): void {
  try {
    leases.release(lease);
  } catch (error) {
    if (!(error instanceof StintError)) throw error;
  }
}
