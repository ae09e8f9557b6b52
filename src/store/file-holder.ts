// The only object that writes a project, and the one place where the order of a write stands:
//
//   1. fence       the lease is still ours                    else lease-lost, nothing written
//                  what others did to the copies meanwhile    kept aside, restored, a line of its own
//   2. state       shadow/state/<revision>, exclusively       THE COMMIT POINT; else state-changed
//                  written into a spare, whose name is        one flush; its number is flushed later, and
//                  durable already, where there is one        healed from the spare
//                  it carries what was kept since, and lines  one flush for all of them
//   3. journal     shadow/journal.jsonl, unflushed            healed from 2, which carries its lines
//   4. folder      state.json, logs/journal.jsonl; unflushed  healed from 2 and 3
//   5. pages       README.md and the like                     made again at every revision
//   6. prune       revisions older than the previous one      repeated at every revision
//
// What a revision carries gets files of its own later (`settle`): when something is to be durable at once, when
// it has become much, while a session works, and at the end. Each of them is flushed, the journal too, and only then is it said to be
// settled, so that the next revision carries it no longer. Until then it is read from shadow/pending, or after
// a loss of power from the revision.
//
// Whatever a crash leaves between two of these, the next owner brings forward before it does
// anything else. After a failure the holder writes nothing more.
import { basename, join } from "node:path";
import type { JournalEntry, ProjectState, Lease } from "../core/schema/project.ts";
import type { Sha256 } from "../core/schema/scalar.ts";
import { StintError } from "../core/stint-error.ts";
import { type Carried, encodeRevision } from "./revision/carried.ts";
import {
  createDurably,
  ensureFolder,
  flushFile,
  flushFolder,
  readIfPresent,
  replaceAllDurably,
  replaceDurably,
  writeAtLightly,
} from "./durable.ts";
import { sha256Of } from "./digest.ts";
import type { Files } from "./files.ts";
import { type JournalTail, type SealedLine, sealLine } from "./journal-codec.ts";
import type { ShadowLayout } from "./layout.ts";
import type { LeaseFiles } from "./lease/lease-files.ts";
import { PendingLog } from "./revision/pending-log.ts";
import type { ProjectFolder } from "./project-folder.ts";
import type { Registry } from "./registry.ts";
import { corrupt, type RevisionFiles } from "./revision/revision-files.ts";
import { judgeJournal } from "./shadow-journal.ts";
import { StateEncoder } from "./state-codec.ts";
import { validationRows } from "./validation-page.ts";
import type { Happening, Holder, KeptPath, RegistryEntry } from "./store.ts";
import { orHardStop } from "./unwritable.ts";

export interface HolderParts {
  readonly files: Files;
  readonly tag: string;
  readonly shadow: ShadowLayout;
  readonly registry: Registry;
  readonly leases: LeaseFiles;
  readonly revisions: RevisionFiles;
  readonly folder: ProjectFolder;
  readonly pages: (state: ProjectState) => Readonly<Record<string, string>>;
}

export class FileHolder implements Holder {
  readonly entry: RegistryEntry;
  readonly healed: string[];
  readonly #parts: HolderParts;
  readonly #encoder = new StateEncoder();
  readonly #log: PendingLog;
  /** Kept and not settled, by path below the shadow. */
  readonly #pending = new Map<string, Buffer>();
  /** Lines that are not flushed. */
  #lines: JournalEntry[] = [];
  #lease: Lease;
  #state: ProjectState;
  #journal: JournalTail;
  #unusable: StintError | undefined;

  constructor(
    parts: HolderParts,
    entry: RegistryEntry,
    lease: Lease,
    opened: { state: ProjectState; journal: JournalTail; healed: readonly string[] },
  ) {
    this.#parts = parts;
    this.entry = entry;
    this.#lease = lease;
    this.#state = opened.state;
    this.#journal = opened.journal;
    this.healed = [...opened.healed];
    const { files, shadow, tag } = parts;
    this.#log = new PendingLog(files, shadow.pending, lease.fence, tag);
    // Opening has flushed everything there is.
    this.#log.settle(opened.state.revision);
    this.#log.removeEarlier();
  }

  get lease(): Lease {
    return this.#lease;
  }

  get state(): ProjectState {
    return this.#state;
  }

  commit(next: ProjectState, happening: Happening): ProjectState {
    return this.#write(next, "event", happening);
  }

  note(happening: Happening): void {
    this.#write(this.#state, "fact", happening);
  }

  keepManifest(text: string): Sha256 {
    return this.#orPoison(() => {
      const { leases, files, shadow } = this.#parts;
      leases.assertHeld(this.#lease);
      const digest = sha256Of(text);
      const path = manifestPath(digest);
      const own = join(shadow.folder, path);
      const isThere =
        this.#pending.has(path) || orHardStop("look at", own, () => files.stat(own)) !== undefined;
      if (!isThere) this.#add(path, Buffer.from(text, "utf8"));
      return digest;
    });
  }

  keep(path: KeptPath, content: string | Uint8Array): void {
    this.keepWithNext(path, content);
    this.#orPoison(() => this.#settle());
  }

  keepWithNext(path: KeptPath, content: string | Uint8Array): void {
    this.#orPoison(() => {
      const { leases, shadow, folder } = this.#parts;
      leases.assertHeld(this.#lease);
      const bytes = Buffer.from(content);
      this.#add(`${basename(shadow.kept)}/${path}`, bytes);
      folder.keep(path, bytes);
    });
  }

  settle(): void {
    this.#orPoison(() => {
      const { leases, revisions } = this.#parts;
      leases.assertHeld(this.#lease);
      this.#settle();
      revisions.renewSpares(this.#lease.fence);
    });
  }

  /** What was kept under a path below the shadow and is in no file of its own yet. */
  pending(path: string): Buffer | undefined {
    return this.#pending.get(path);
  }

  /** Nothing is written under it any more: what it kept is in its own files, or for others to find. */
  get isOver(): boolean {
    return this.#unusable !== undefined;
  }

  #add(path: string, bytes: Buffer): void {
    this.#log.add({ after: this.#state.revision, path, bytes });
    this.#pending.set(path, bytes);
  }

  /** Everything that is pending gets its own file, flushed. */
  #settle(): void {
    const { leases, files, shadow, tag } = this.#parts;
    if (this.#pending.size === 0 && this.#lines.length === 0) return;
    leases.assertHeld(this.#lease);
    const contents = [...this.#pending].map(([path, bytes]) => [join(shadow.folder, path), bytes]);
    replaceAllDurably(files, new Map(contents as [string, Buffer][]), tag);
    if (this.#lines.length > 0) flushFile(files, shadow.journal);
    this.#log.settle(this.#state.revision);
    this.#pending.clear();
    this.#lines = [];
  }

  renew(): void {
    this.#orPoison(() => {
      this.#lease = this.#parts.leases.renew(this.#lease);
    });
  }

  giveUp(why: StintError): void {
    this.#unusable ??= why;
  }

  release(): void {
    if (this.#unusable !== undefined) return;
    this.#orPoison(() => {
      this.#settle();
      this.#parts.revisions.endSpares();
      this.#parts.leases.release(this.#lease);
    });
    this.#unusable = new StintError(
      "lease-lost",
      `${this.entry.project_id}: this lease was given back`,
      `Open the project again: stint status ${this.entry.project_id}`,
    );
  }

  #write(next: ProjectState, type: "event" | "fact", happening: Happening): ProjectState {
    return this.#orPoison(() => {
      this.#parts.leases.assertHeld(this.#lease);
      const known = this.healed.length;
      this.#assertStateIsOurs();
      this.#restoreFolder();
      const restored = this.healed.slice(known);
      if (restored.length > 0) {
        this.#append(this.#state, "fact", {
          at: happening.at,
          kind: "copies-healed",
          by: this.#lease.owner,
          summary: restored.join("; "),
        });
      }
      return this.#append(next, type, happening);
    });
  }

  #append(next: ProjectState, type: "event" | "fact", happening: Happening): ProjectState {
    const { revisions, shadow, files, folder, pages, leases } = this.#parts;
    const line = sealLine(this.#journal, { ...happening, type });
    const state: ProjectState = {
      ...next,
      revision: line.entry.revision,
      fence: this.#lease.fence,
      updated_at: happening.at,
      last_event: line.entry,
    };
    const bytes = this.#encoder.encode(state);
    const isHistory = (): boolean => this.#isInJournal(line);
    const carried: Carried = { files: this.#pending, lines: this.#lines };
    const whole = encodeRevision(bytes, carried);
    if (!revisions.create(state.revision, whole, state.fence, isHistory)) throw this.#changed();
    const position = this.#journal.size;
    writeAtLightly(files, shadow.journal, position, line.bytes);
    // Overtaken since: written over a line that others rely on, although by the same bytes.
    if (!leases.isHighest(this.#lease)) flushFile(files, shadow.journal);
    this.#lines.push(line.entry);
    this.#state = state;
    this.#journal = line.tail;
    folder.write(bytes, line.bytes, position);
    folder.addRows(validationRows([line.entry]));
    folder.writePages(state.revision, pages(state));
    revisions.prune(state.revision);
    if (whole.length - bytes.length > MOST_CARRIED) this.#settle();
    return state;
  }

  /** Whoever builds on a revision has written its line first. */
  #isInJournal({ bytes, entry }: SealedLine): boolean {
    const { files, shadow } = this.#parts;
    const journal = orHardStop("read", shadow.journal, () => readIfPresent(files, shadow.journal));
    return journal?.subarray(entry.offset, entry.offset + bytes.length).equals(bytes) ?? false;
  }

  /** Somebody touched the copies while this run lived: what they wrote is kept aside and told. */
  #restoreFolder(): void {
    const { files, shadow, folder, leases, pages } = this.#parts;
    if (folder.wasTouched()) {
      const { journal: path } = shadow;
      const journal = orHardStop("read", path, () => readIfPresent(files, path));
      this.healed.push(
        ...folder.heal({
          revision: this.#state.revision,
          state: this.#encoder.encode(this.#state),
          journal: journal ?? Buffer.alloc(0),
        }),
      );
      leases.showInFolder(this.#lease);
    }
    this.healed.push(...folder.keepEditedPages(Object.keys(pages(this.#state))));
  }

  #assertStateIsOurs(): void {
    const highest = this.#parts.revisions.numbers()[0];
    if (highest === this.#state.revision) return;
    if (highest !== undefined && highest > this.#state.revision) throw this.#changed();
    this.#restoreShadow();
  }

  /** The shadow was wiped under a living run: its own revision outranks what is left. */
  #restoreShadow(): void {
    const { files, shadow, revisions, registry, folder, tag } = this.#parts;
    registry.restore(this.entry);
    ensureFolder(files, shadow.states);
    const bytes = this.#encoder.encode(this.#state);
    const lines = this.#lines.slice(0, -1);
    const carried = { files: this.#pending, lines };
    if (
      !revisions.create(this.#state.revision, encodeRevision(bytes, carried), this.#state.fence)
    ) {
      throw this.#changed();
    }
    const left = orHardStop("read", shadow.journal, () => readIfPresent(files, shadow.journal));
    if (left === undefined || judgeJournal(left, this.#state, lines).kind === "broken") {
      const copy = folder.journalCopy();
      if (copy === undefined || judgeJournal(copy, this.#state, []).kind !== "whole") {
        throw corrupt(`${shadow.journal} was removed and so was its copy`, this.entry.project_id);
      }
      replaceDurably(files, shadow.journal, copy, tag);
    }
    // Nothing of it is in files of its own.
    this.#log.settle(0);
    for (const [path, kept] of this.#pending) this.#add(path, kept);
    this.#keepManifestAgain();
    this.healed.push(`${shadow.folder} was wiped; restored at revision ${this.#state.revision}`);
  }

  /** The text that was last known, where the work tree still has it. */
  #keepManifestAgain(): void {
    const { files, shadow, tag } = this.#parts;
    const path = join(this.entry.root, this.entry.manifest);
    const bytes = orHardStop("read", path, () => readIfPresent(files, path));
    if (bytes === undefined || sha256Of(bytes) !== this.#state.manifest.digest) return;
    keepManifest(files, shadow, bytes.toString("utf8"), tag);
  }

  #changed(): StintError {
    const { project_id } = this.entry;
    return new StintError(
      "state-changed",
      `${project_id}: the state changed under ${this.#lease.run_id}; revision ${this.#state.revision + 1} was not written by it. Nothing of it was written and nothing is claimed.`,
      `See what is there: stint status ${project_id}; then: stint doctor ${project_id}`,
    );
  }

  #orPoison<T>(act: () => T): T {
    if (this.#unusable !== undefined) throw this.#unusable;
    try {
      return act();
    } catch (error) {
      if (error instanceof StintError) this.#unusable = error;
      throw error;
    }
  }
}

/** Carried by a revision; more than this gets files of its own at once. */
const MOST_CARRIED = 128 * 1024;

/** Below the shadow. */
export function manifestPath(digest: Sha256): string {
  return `manifests/${digest}.md`;
}

/** Keeps a manifest text under its digest; keeping it again changes nothing. */
export function keepManifest(
  files: Files,
  shadow: ShadowLayout,
  text: string,
  tag: string,
): Sha256 {
  const digest = sha256Of(text);
  const path = join(shadow.manifests, `${digest}.md`);
  ensureFolder(files, shadow.manifests);
  // Whoever made the name had made the content durable; the name itself may not be yet.
  if (orHardStop("look at", path, () => files.stat(path)) !== undefined) {
    flushFolder(files, shadow.manifests);
  } else createDurably(files, path, Buffer.from(text, "utf8"), tag);
  return digest;
}
