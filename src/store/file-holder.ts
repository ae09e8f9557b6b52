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
import { sha256Of } from "./digest.ts";
import { type JournalTail, type SealedLine, sealRevision } from "./journal.ts";
import { leaseGivenBack } from "./lease.ts";
import { validationRows } from "./pages.ts";
import { PendingLog } from "./pending-log.ts";
import { encodeRevision } from "./revision-codec.ts";
import { StateEncoder } from "./state-codec.ts";
import { stateGone } from "./revision-files.ts";
import type { Happening, Holder, KeptPath, RegistryEntry } from "./store.ts";
import { manifestPath, type ProjectFiles } from "./store-files.ts";

/** Carried by a revision; more than this gets files of its own at once. */
const MOST_CARRIED = 128 * 1024;

export class FileHolder implements Holder {
  readonly entry: RegistryEntry;
  readonly healed: string[];
  readonly #parts: ProjectFiles;
  readonly #encoder = new StateEncoder();
  readonly #log: PendingLog;
  /** Kept and not settled, by path below the shadow. */
  readonly #pending = new Map<string, Buffer>();
  /** Lines that are not flushed. */
  #lines: JournalEntry[] = [];
  lease: Lease;
  state: ProjectState;
  #journal: JournalTail;
  #unusable: StintError | undefined;

  constructor(
    parts: ProjectFiles,
    lease: Lease,
    opened: { state: ProjectState; journal: JournalTail; healed: readonly string[] },
  ) {
    this.#parts = parts;
    this.entry = parts.entry;
    this.lease = lease;
    this.state = opened.state;
    this.#journal = opened.journal;
    this.healed = [...opened.healed];
    this.#log = new PendingLog(parts.disk, parts.shadow.pending, lease.fence);
    // Opening has flushed everything there is.
    this.#log.settle(opened.state.revision);
    this.#log.removeEarlier();
  }

  commit(next: ProjectState, happening: Happening): ProjectState {
    return this.#write(next, "event", happening);
  }

  note(happening: Happening): void {
    this.#write(this.state, "fact", happening);
  }

  keepManifest(text: string): Sha256 {
    return this.#orPoison(() => {
      const { leases, disk, shadow } = this.#parts;
      leases.assertHeld(this.lease);
      const digest = sha256Of(text);
      const path = manifestPath(digest);
      const isThere = this.#pending.has(path) || disk.stat(join(shadow.folder, path)) !== undefined;
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
      leases.assertHeld(this.lease);
      const bytes = Buffer.from(content);
      this.#add(`${basename(shadow.kept)}/${path}`, bytes);
      folder.keep(path, bytes);
    });
  }

  settle(): void {
    this.#orPoison(() => {
      const { leases, revisions } = this.#parts;
      leases.assertHeld(this.lease);
      this.#settle();
      revisions.renewSpares(this.lease.fence);
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
    this.#log.add({ after: this.state.revision, path, bytes });
    this.#pending.set(path, bytes);
  }

  /** Everything that is pending gets its own file, flushed. */
  #settle(): void {
    const { leases, disk, shadow } = this.#parts;
    if (this.#pending.size === 0 && this.#lines.length === 0) return;
    leases.assertHeld(this.lease);
    disk.replaceAll(shadow.folder, this.#pending);
    if (this.#lines.length > 0) disk.flushFile(shadow.journal);
    this.#log.settle(this.state.revision);
    this.#pending.clear();
    this.#lines = [];
  }

  renew(): void {
    this.#orPoison(() => {
      this.lease = this.#parts.leases.renew(this.lease);
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
      this.#parts.leases.release(this.lease);
    });
    this.#unusable = leaseGivenBack(this.entry.project_id);
  }

  #write(next: ProjectState, type: "event" | "fact", happening: Happening): ProjectState {
    return this.#orPoison(() => {
      this.#parts.leases.assertHeld(this.lease);
      const known = this.healed.length;
      this.#assertStateIsOurs();
      this.#restoreFolder();
      const restored = this.healed.slice(known);
      if (restored.length > 0) {
        this.#append(this.state, "fact", {
          at: happening.at,
          kind: "copies-healed",
          by: this.lease.owner,
          summary: restored.join("; "),
        });
      }
      return this.#append(next, type, happening);
    });
  }

  #append(next: ProjectState, type: "event" | "fact", happening: Happening): ProjectState {
    const { revisions, shadow, disk, folder, pages, leases } = this.#parts;
    const { fence } = this.lease;
    const { state, line } = sealRevision(this.#journal, next, { type, fence }, happening);
    const bytes = this.#encoder.encode(state);
    const whole = encodeRevision(bytes, { files: this.#pending, lines: this.#lines });
    if (!revisions.create(state, whole, () => this.#isInJournal(line))) throw this.#changed();
    const position = this.#journal.size;
    disk.writeAtLightly(shadow.journal, position, line.bytes);
    // Overtaken since: written over a line that others rely on, although by the same bytes.
    if (!leases.isHighest(this.lease)) disk.flushFile(shadow.journal);
    this.#lines.push(line.entry);
    this.state = state;
    this.#journal = line.tail;
    folder.write(bytes, line.bytes, position);
    folder.addRows(validationRows([line.entry]));
    folder.writePages(state, pages(state));
    revisions.prune(state.revision);
    if (whole.length - bytes.length > MOST_CARRIED) this.#settle();
    return state;
  }

  /** Whoever builds on a revision has written its line first. */
  #isInJournal({ bytes, entry }: SealedLine): boolean {
    const { disk, shadow } = this.#parts;
    const journal = disk.read(shadow.journal);
    return journal?.subarray(entry.offset, entry.offset + bytes.length).equals(bytes) ?? false;
  }

  /** Somebody touched the copies while this run lived: what they wrote is kept aside and told. */
  #restoreFolder(): void {
    const { disk, shadow, folder, leases, pages } = this.#parts;
    const made = pages(this.state);
    if (folder.wasTouched()) {
      this.healed.push(
        ...folder.heal({
          pages: made,
          revision: this.state.revision,
          state: this.#encoder.encode(this.state),
          journal: disk.read(shadow.journal) ?? Buffer.alloc(0),
        }),
      );
      leases.showInFolder(this.lease);
    }
    this.healed.push(...folder.keepEditedPages(this.state, Object.keys(made)));
  }

  #assertStateIsOurs(): void {
    const { disk, revisions, shadow } = this.#parts;
    const highest = revisions.numbers()[0];
    if (highest === this.state.revision) return;
    if (highest !== undefined) throw this.#changed();
    throw stateGone(disk, this.entry.project_id, shadow.states);
  }

  #changed(): StintError {
    const { project_id } = this.entry;
    return new StintError(
      "state-changed",
      `${project_id}: somebody else changed the state under ${this.lease.run_id}; revision ${this.state.revision + 1} was not written by it. Nothing was written.`,
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
