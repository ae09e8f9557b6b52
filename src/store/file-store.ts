// The store on files. The shadow under the state folder is the authority; the project folder in the
// work tree is a copy that is brought forward from it.
import { basename, join } from "node:path";
import { instantFromMs } from "../core/instant.ts";
import type { ProjectId, Slug } from "../core/ids.ts";
import type { JournalEntry, ProjectState } from "../core/schema/project.ts";
import type { Sha256 } from "../core/schema/scalar.ts";
import { StintError } from "../core/stint-error.ts";
import {
  createDurably,
  ensureFolder,
  flushFolder,
  listIfPresent,
  readIfPresent,
  removeIfPresent,
  removeTemps,
  removeTempsBelow,
  replaceAllDurably,
} from "./durable.ts";
import { NOTHING_CARRIED } from "./revision/carried.ts";
import { sha256Of } from "./digest.ts";
import { FileHolder, type HolderParts, keepManifest, manifestPath } from "./file-holder.ts";
import type { Files } from "./files.ts";
import type { Host } from "./host.ts";
import { EMPTY_JOURNAL, parseLines, readJournal, sealLine } from "./journal-codec.ts";
import { projectLayout, shadowLayout } from "./layout.ts";
import { LeaseFiles } from "./lease/lease-files.ts";
import { readPending } from "./revision/pending-log.ts";
import {
  folderCondition,
  isFolderOnlyClaimed,
  makeProjectFolder,
  readCopy,
  ProjectFolder,
} from "./project-folder.ts";
import { Registry } from "./registry.ts";
import { corrupt, RevisionFiles, type StoredRevision } from "./revision/revision-files.ts";
import { judgeJournal, openJournal } from "./shadow-journal.ts";
import { StateEncoder } from "./state-codec.ts";
import type {
  Claim,
  Holder,
  KeptCopy,
  KeptPath,
  NewProject,
  RegistryEntry,
  Snapshot,
  Store,
} from "./store.ts";
import { orHardStop } from "./unwritable.ts";

export interface FileStoreOptions {
  readonly files: Files;
  readonly host: Host;
  /** `<XDG state>/stint`. */
  readonly stateHome: string;
  /** Generated pages of the project folder by file name, made from a state. */
  readonly pages: (state: ProjectState) => Readonly<Record<string, string>>;
}

export class FileStore implements Store {
  readonly #options: FileStoreOptions;
  readonly #registry: Registry;
  /** Names the temp files of this store alone: two processes must never share one. */
  readonly #tag: string;
  /** Who owns here, and knows what is pending. */
  readonly #holders = new Map<ProjectId, FileHolder>();

  constructor(options: FileStoreOptions) {
    this.#options = options;
    this.#tag = Buffer.from(options.host.randomBytes(8)).toString("hex");
    this.#registry = new Registry(options.files, options.stateHome, this.#tag);
  }

  create(project: NewProject): Snapshot {
    const { files } = this.#options;
    const { root, manifest } = project.entry;
    const id = this.#registry.reserve(root, manifest, project.entry.project_id);
    const known = this.#registry.find(id);
    const entry = known === undefined ? this.#claimFolder(project, id) : this.#registry.add(known);
    const parts = this.#parts(entry);
    if (parts.revisions.numbers().length > 0) throw alreadyThere(entry);

    ensureFolder(files, parts.shadow.states);
    keepManifest(files, parts.shadow, project.manifestText, this.#tag);
    // A creation that a crash cut short may have left its first line.
    const line = sealLine(EMPTY_JOURNAL, { ...project.happening, type: "event" });
    const state: ProjectState = {
      ...project.firstState(entry.slug),
      project_id: id,
      revision: 1,
      fence: 0,
      updated_at: project.happening.at,
      last_event: line.entry,
    };
    const bytes = new StateEncoder().encode(state);
    if (!parts.revisions.create(1, bytes, 0)) throw alreadyThere(entry);
    const first: StoredRevision = { state, bytes, carried: NOTHING_CARRIED };
    const journal = openJournal(files, parts.shadow.journal, first, id);
    parts.folder.heal({ revision: 1, state: bytes, journal: journal.bytes });
    parts.folder.writePages(state.revision, parts.pages(state));
    return this.#snapshot(entry, first);
  }

  list(): RegistryEntry[] {
    return this.#registry.list();
  }

  find(id: ProjectId): RegistryEntry | undefined {
    return this.#registry.find(id);
  }

  forget(id: ProjectId): void {
    const entry = this.#registry.find(id);
    if (entry !== undefined) this.#registry.remove(entry);
  }

  wasCutShort(id: ProjectId): boolean {
    const entry = this.#entry(id);
    if (this.#parts(entry).revisions.numbers().length > 0) return false;
    return isFolderOnlyClaimed(this.#options.files, projectLayout(entry));
  }

  read(id: ProjectId): Snapshot {
    const entry = this.#entry(id);
    return this.#snapshot(entry, this.#top(entry));
  }

  journal(id: ProjectId, count = Number.POSITIVE_INFINITY): JournalEntry[] {
    const entry = this.#entry(id);
    const { journal: path } = shadowLayout(this.#options.stateHome, id);
    for (let tries = 1; ; tries += 1) {
      // The state is read first: a journal that was read later misses its last line at most.
      const lines = linesUpTo(this.#top(entry), this.#read(path) ?? Buffer.alloc(0));
      if (Array.isArray(lines)) return lines.slice(Math.max(0, lines.length - count));
      // A line that is being written while we read may look like a broken one.
      if (tries === 3) throw corrupt(`${path} cannot be trusted: ${lines.reason}`, id);
    }
  }

  manifestText(id: ProjectId, digest: Sha256): string {
    const path = join(shadowLayout(this.#options.stateHome, id).folder, manifestPath(digest));
    const text = this.#readKept(id, manifestPath(digest))?.toString("utf8");
    if (text === undefined) throw corrupt(`${path} is missing`, id);
    if (sha256Of(text) !== digest) throw corrupt(`${path} is not the text of its digest`, id);
    return text;
  }

  kept(id: ProjectId, path: KeptPath): Buffer | undefined {
    return this.#readKept(id, `kept/${path}`);
  }

  /** Pending first: what is in a file of its own is older. */
  #readKept(id: ProjectId, path: string): Buffer | undefined {
    const { folder } = shadowLayout(this.#options.stateHome, id);
    const holder = this.#holders.get(id);
    const pending =
      holder === undefined || holder.isOver
        ? this.#pendingOf(this.#entry(id)).get(path)
        : holder.pending(path);
    return pending ?? this.#read(join(folder, path));
  }

  /** As the last owner left it, or leaves it just now: what the state carries, and what was kept since. */
  #pendingOf(entry: RegistryEntry): ReadonlyMap<string, Buffer> {
    const id = entry.project_id;
    const { pending } = shadowLayout(this.#options.stateHome, id);
    const { revisions } = this.#parts(entry);
    for (;;) {
      const top = revisions.top();
      // It is being created.
      if (top === undefined) return new Map();
      const { revision } = top.state;
      const log = readPending(this.#options.files, pending, id);
      const found = new Map(log.settled < revision ? top.carried.files : []);
      for (const { after, path, bytes } of log.records) {
        if (after === revision) found.set(path, bytes);
      }
      if ((revisions.numbers()[0] ?? 0) <= revision) return found;
      // A revision came in between; look again.
    }
  }

  keptPlace(id: ProjectId, path: KeptPath): string {
    return join(shadowLayout(this.#options.stateHome, id).kept, path);
  }

  keptCopies(id: ProjectId, path: KeptPath): readonly KeptCopy[] {
    const { foreign } = shadowLayout(this.#options.stateHome, id);
    const name = basename(path);
    // What opening found in the project folder in its place was kept aside, under a number.
    const aside = listIfPresent(this.#options.files, foreign)
      .filter((each) => each.replace(/^\d+-/, "") === name)
      .toSorted((one, other) => Number.parseInt(other, 10) - Number.parseInt(one, 10))
      .map((each) => join(foreign, each));
    return [join(projectLayout(this.#entry(id)).folder, path), ...aside].flatMap((place) => {
      const bytes = readCopy(this.#options.files, place);
      return bytes === undefined ? [] : [{ place, bytes }];
    });
  }

  acquire(id: ProjectId, claim: Claim): Holder {
    const entry = this.#entry(id);
    const parts = this.#parts(entry);
    // Before the lease is looked at: see LeaseFiles.take.
    const floor = this.#top(entry).state.fence;
    const taken = parts.leases.take(claim, floor);
    for (let tries = 1; ; tries += 1) {
      try {
        const holder = this.#open(entry, parts, taken.lease);
        if (taken.fencedOff !== null) {
          const folders = removeTempsBelow(this.#options.files, parts.shadow.kept);
          parts.folder.removeTempsIn(folders);
          this.#fenceOff(holder, taken.fencedOff.run_id);
        }
        return holder;
      } catch (error) {
        if (isAboutContent(error)) {
          // Overtaken while it stood still: what it read before is not what it reads now.
          parts.leases.assertHeld(taken.lease);
          // A predecessor that only stood still may finish the one write it had begun.
          if (taken.fencedOff !== null && tries < 3) continue;
        }
        releaseIfPossible(parts, taken.lease);
        throw error;
      }
    }
  }

  /** Brings everything forward to the last durable revision. Only under the lease. */
  #open(entry: RegistryEntry, parts: HolderParts, lease: Holder["lease"]): FileHolder {
    const { files } = this.#options;
    const { shadow } = parts;
    for (const folder of [shadow.folder, shadow.states, shadow.manifests, shadow.answers]) {
      removeTemps(files, folder);
    }
    this.#settle(entry, parts, lease);
    const texts = orHardStop("list", shadow.manifests, () =>
      listIfPresent(files, shadow.manifests),
    );
    const top = this.#top(entry);
    parts.revisions.bringForward(top);
    flushFolder(files, shadow.states);
    const journal = openJournal(files, shadow.journal, top, entry.project_id);
    const healedFolder = parts.folder.heal({
      revision: top.state.revision,
      state: top.bytes,
      journal: journal.bytes,
    });
    parts.leases.showInFolder(lease);
    const pages = parts.pages(top.state);
    const edited = parts.folder.keepEditedPages(Object.keys(pages));
    parts.folder.writePages(top.state.revision, pages);
    parts.revisions.prune(top.state.revision);
    parts.revisions.removeEarlierSpares(lease.fence);
    // Whoever overtook this process later keeps texts that are not in the list.
    parts.leases.assertHeld(lease);
    this.#pruneManifests(shadow.manifests, texts, top.state);
    const healed = [...journal.healed, ...healedFolder, ...edited];
    const holder = new FileHolder(parts, entry, lease, {
      state: top.state,
      journal: journal.tail,
      healed,
    });
    this.#holders.set(entry.project_id, holder);
    if (healed.length > 0) {
      holder.note({
        at: instantFromMs(this.#options.host.nowMs()),
        kind: "copies-healed",
        by: lease.owner,
        summary: healed.join("; "),
      });
    }
    return holder;
  }

  /** What the owner before had kept and not settled gets its own files. Repeated by the next one if it is cut. */
  #settle(entry: RegistryEntry, { shadow, leases }: HolderParts, lease: Holder["lease"]): void {
    const { files } = this.#options;
    const pending = this.#pendingOf(entry);
    leases.assertHeld(lease);
    const contents = new Map(
      [...pending].map(([path, bytes]) => [join(shadow.folder, path), bytes]),
    );
    replaceAllDurably(files, contents, this.#tag);
  }

  /**
   * One revision under the new number. A predecessor that only stood still can no longer write:
   * the revision it was about to make exists.
   */
  #fenceOff(holder: Holder, predecessor: string): void {
    holder.note({
      at: instantFromMs(this.#options.host.nowMs()),
      kind: "lease-taken-over",
      by: holder.lease.owner,
      summary: `${predecessor} ended without giving its lease back; ${holder.lease.run_id} took over`,
      data: { predecessor, fence: holder.lease.fence },
    });
  }

  /** Finds a free slug and claims its folder by the exclusive creation of manifest.md. */
  #claimFolder(project: NewProject, id: ProjectId): RegistryEntry {
    const { files, host } = this.#options;
    for (let tries = 0; ; tries += 1) {
      const suffix = Buffer.from(host.randomBytes(2)).toString("hex");
      const slug = (tries === 0 ? project.slug : `${project.slug}-${suffix}`) as Slug;
      const entry: RegistryEntry = {
        ...project.entry,
        project_id: id,
        slug,
        folder: join(project.projectsFolder, slug),
      };
      const layout = projectLayout(entry);
      const pointer = Buffer.from(manifestPointer(entry), "utf8");
      const path = join(layout.folder, "manifest.md");
      makeProjectFolder(files, layout);
      if (createDurably(files, path, pointer, this.#tag) || this.#read(path)?.equals(pointer)) {
        return this.#registry.add(entry);
      }
    }
  }

  #parts(entry: RegistryEntry): HolderParts {
    const { files, host, stateHome, pages } = this.#options;
    const id = entry.project_id;
    const shadow = shadowLayout(stateHome, id);
    const layout = projectLayout(entry);
    return {
      files,
      tag: this.#tag,
      shadow,
      registry: this.#registry,
      leases: new LeaseFiles(files, host, shadow, layout, this.#tag, id),
      revisions: new RevisionFiles(files, shadow.states, this.#tag, id),
      folder: new ProjectFolder(files, layout, shadow, manifestPointer(entry), this.#tag),
      pages,
    };
  }

  #snapshot(entry: RegistryEntry, stored: StoredRevision): Snapshot {
    const parts = this.#parts(entry);
    const durable = { revision: stored.state.revision, state: stored.bytes };
    return {
      entry,
      state: stored.state,
      folder: folderCondition(this.#options.files, projectLayout(entry), durable),
      lease: parts.leases.view(),
    };
  }

  #entry(id: ProjectId): RegistryEntry {
    const entry = this.#registry.find(id);
    if (entry !== undefined) return entry;
    throw new StintError("not-found", `there is no project ${id}`, "See what there is: stint list");
  }

  #top(entry: RegistryEntry): StoredRevision {
    const id = entry.project_id;
    const { states } = shadowLayout(this.#options.stateHome, id);
    const top = new RevisionFiles(this.#options.files, states, this.#tag, id).top();
    if (top !== undefined) return top;
    throw new StintError(
      "state-corrupt",
      `${id} has no state in ${states}: its shadow is gone, or its creation was cut short`,
      `To finish a creation: stint run ${entry.manifest} (in ${entry.root}); to trust the copy in the work tree: stint doctor ${id} --adopt`,
    );
  }

  #read(path: string): Buffer | undefined {
    return orHardStop("read", path, () => readIfPresent(this.#options.files, path));
  }

  #pruneManifests(folder: string, names: readonly string[], state: ProjectState): void {
    const { files } = this.#options;
    const { manifest, plan } = state;
    const wanted = new Set([manifest.digest, manifest.seen, plan?.digest]);
    orHardStop("clean", folder, () => {
      for (const name of names) {
        if (!wanted.has(name.replace(/\.md$/, "") as Sha256)) {
          removeIfPresent(files, join(folder, name));
        }
      }
    });
  }
}

/** The lines that lead up to a state. Its own and those that it carries may be lost; it knows the words. */
function linesUpTo(
  { state, carried }: StoredRevision,
  bytes: Buffer,
): JournalEntry[] | { reason: string } {
  const reading = readJournal(bytes);
  if (reading.ok && reading.tail.revision >= state.revision) {
    return parseLines(bytes.subarray(0, reading.tail.size));
  }
  const verdict = judgeJournal(bytes, state, carried.lines);
  if (verdict.kind === "broken") return verdict;
  if (verdict.kind === "whole") return parseLines(bytes);
  return [...parseLines(bytes.subarray(0, verdict.before.size)), ...parseLines(verdict.lines)];
}

function manifestPointer(entry: RegistryEntry): string {
  const up = entry.folder
    .split("/")
    .map(() => "..")
    .join("/");
  return `The manifest is [${entry.manifest}](${up}/${entry.manifest}). <!-- stint project ${entry.project_id} -->\n`;
}

function alreadyThere(entry: RegistryEntry): StintError {
  return new StintError(
    "bad-input",
    `${entry.manifest} already has a project: ${entry.project_id}, created ${entry.created_at}. It was not created again.`,
    `Look at it: stint status ${entry.project_id}`,
  );
}

function isAboutContent(error: unknown): boolean {
  return (
    error instanceof StintError &&
    (error.code === "state-changed" || error.code === "state-corrupt")
  );
}

/** A project that cannot be opened is not kept from others; a disk that fails keeps its own error. */
function releaseIfPossible(parts: HolderParts, lease: Holder["lease"]): void {
  try {
    parts.leases.release(lease);
  } catch (error) {
    if (!(error instanceof StintError)) throw error;
  }
}
