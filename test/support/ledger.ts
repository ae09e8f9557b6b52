// What the clients of a store were told, kept outside it, and the judge of what is found later:
// everything told is there once and in its place, what was refused is nowhere, and nothing is there
// that nobody asked for. The journal's checksums are computed here anew, not by the store.
import { crc32 } from "node:zlib";
import type { ProjectId } from "../../src/core/ids.ts";
import type { JournalEntry } from "../../src/core/schema/project.ts";
import type { KeptPath, Snapshot, Store } from "../../src/store/store.ts";

/** Lines that the store writes on its own account when a project is opened. */
const OF_THE_STORE = new Set(["copies-healed", "lease-taken-over"]);

export class Ledger {
  projectId: ProjectId | undefined;
  /** The highest revision that somebody was told of. */
  revision = 0;
  /** The highest fencing number that somebody was told of. */
  fence = 0;
  /** Manifest texts by digest that somebody was told are kept. */
  readonly manifests = new Map<string, string>();
  /** What kept files hold, as somebody was told last. */
  readonly kept = new Map<KeptPath, string>();
  /** Summary of the line by revision. */
  readonly #told = new Map<number, string>();
  /** Begun without an answer: may be there, once. */
  readonly #open = new Set<string>();
  readonly #refused = new Set<string>();
  readonly #fences = new Set<number>();
  #named = 0;
  readonly #who: string;

  /** `who` tells the acts of several ledgers on one project apart. */
  constructor(who = "") {
    this.#who = who;
  }

  /** A summary that no other act has. */
  name(act: string): string {
    return `${act} ${this.#who}${++this.#named}`;
  }

  begin(summary: string): void {
    this.#open.add(summary);
  }

  tell(summary: string, revision: number): void {
    this.#open.delete(summary);
    const other = this.#told.get(revision) ?? summary;
    demand(
      other === summary,
      `revision ${revision} was told twice: for "${other}" and for "${summary}"`,
    );
    this.#told.set(revision, summary);
    this.tellRevision(revision);
  }

  tellRevision(revision: number): void {
    this.revision = Math.max(this.revision, revision);
  }

  /** A fencing number is given once, and is higher than those that were told before it was asked for. */
  tellFence(fence: number, before: number): void {
    demand(!this.#fences.has(fence), `fencing number ${fence} was given twice`);
    demand(fence > before, `fencing number ${fence} was given after ${before}`);
    this.#fences.add(fence);
    this.fence = Math.max(this.fence, fence);
  }

  /** The store said that it did nothing. */
  refuse(summary: string): void {
    this.#open.delete(summary);
    this.#refused.add(summary);
  }

  /** A copy, for exploring several futures from one past. */
  clone(): Ledger {
    const copy = new Ledger(this.#who);
    copy.projectId = this.projectId;
    copy.revision = this.revision;
    copy.fence = this.fence;
    copy.#named = this.#named;
    for (const [digest, text] of this.manifests) copy.manifests.set(digest, text);
    for (const [path, text] of this.kept) copy.kept.set(path, text);
    for (const [revision, summary] of this.#told) copy.#told.set(revision, summary);
    for (const summary of this.#open) copy.#open.add(summary);
    for (const summary of this.#refused) copy.#refused.add(summary);
    for (const fence of this.#fences) copy.#fences.add(fence);
    return copy;
  }

  /** Equal strings mean that the same things were told. */
  get key(): string {
    return `${this.revision}|${this.fence}|${[...this.#open].join()}|${[...this.#refused].join()}|${this.manifests.size}|${[...this.kept.values()].join()}`;
  }

  /** Judges a state and a journal as any reader finds them. The journal may miss its last line. */
  judge(snapshot: Snapshot, lines: readonly JournalEntry[]): void {
    const { state } = snapshot;
    demand(
      state.revision >= this.revision,
      `revision ${state.revision} is older than ${this.revision}, which was told`,
    );
    lines.forEach((line, i) => {
      demand(line.revision === i + 1, `line ${i + 1} has revision ${line.revision}`);
      this.#judgeLine(line);
    });
    demand(
      new Set(lines.map(({ crc }) => crc)).size === lines.length,
      "two lines have one checksum",
    );
    const missing = [...this.#told.keys()].filter((revision) => lines[revision - 1] === undefined);
    demand(missing.length === 0, `told lines are missing from the journal: ${missing.join(", ")}`);
    const written = [...lines.filter((line) => line.revision < state.revision), state.last_event];
    const summaries = written.flatMap((line) =>
      line === null || OF_THE_STORE.has(line.kind) ? [] : line.summary,
    );
    demand(new Set(summaries).size === summaries.length, "an act is in the journal twice");
    demand(
      lines.length === state.revision || lines.length === state.revision - 1,
      `the journal ends at ${lines.length}, the state is at ${state.revision}`,
    );
    if (state.last_event === null) throw new Error("the state has no last event");
    this.#judgeLine(state.last_event);
    const last = lines[state.revision - 1];
    demand(
      last === undefined || JSON.stringify(last) === JSON.stringify(state.last_event),
      "the last line is not the last event of the state",
    );
    const lastEvent = written.findLast((line) => line?.type === "event");
    demand(
      state.next_action === lastEvent?.summary,
      `the state says "${state.next_action}", its journal "${lastEvent?.summary}"`,
    );
  }

  /** What was found is from now on told; what was not found must never appear. */
  settle(lines: readonly JournalEntry[]): void {
    const found = new Set(lines.map(({ summary }) => summary));
    for (const summary of this.#open) if (!found.has(summary)) this.#refused.add(summary);
    this.#open.clear();
    for (const line of lines) {
      this.#told.set(line.revision, line.summary);
      this.tellRevision(line.revision);
    }
  }

  #judgeLine(line: JournalEntry): void {
    const told = this.#told.get(line.revision);
    if (told !== undefined) {
      demand(
        told === line.summary,
        `revision ${line.revision} is "${line.summary}"; told was "${told}"`,
      );
      return;
    }
    demand(!this.#refused.has(line.summary), `"${line.summary}" was refused and is there`);
    demand(
      this.#open.has(line.summary) || OF_THE_STORE.has(line.kind),
      `nobody asked for "${line.summary}"`,
    );
  }
}

/** Judges what readers see: no lock is taken and nothing is healed. */
export function judgeAsReader(ledger: Ledger, store: Store, id: ProjectId): Snapshot {
  const snapshot = store.read(id);
  ledger.judge(snapshot, store.journal(id));
  const { digest } = snapshot.state.manifest;
  const text = store.manifestText(id, digest);
  const kept = ledger.manifests.get(digest);
  demand(kept === undefined || kept === text, "the manifest text under a digest is another one");
  for (const [path, told] of ledger.kept) {
    const found = Number(/\d+$/.exec(store.kept(id, path)?.toString("utf8") ?? "0")?.[0]);
    const asked = Number(/\d+$/.exec(told)?.[0]);
    demand(found >= asked, `${path} holds ${found}, older than ${asked}, which was told`);
  }
  return snapshot;
}

/** Proves every line of a journal: a CRC-32 over all bytes of the file before its own field. */
export function proveJournal(bytes: Buffer): void {
  const field = /,"crc":"([0-9a-f]{8})"\}$/;
  let position = 0;
  for (const line of bytes.toString("utf8").split("\n").slice(0, -1)) {
    const crc = field.exec(line)?.[1];
    const end = position + Buffer.byteLength(line);
    const before = bytes.subarray(0, end - `,"crc":"00000000"}`.length);
    demand(
      crc === crc32(before).toString(16).padStart(8, "0"),
      `the checksum of "${line}" is wrong`,
    );
    position = end + 1;
  }
  demand(position === bytes.length, "the journal ends in a line without an end");
}

export function demand(holds: boolean, otherwise: string): void {
  if (!holds) throw new Error(otherwise);
}
