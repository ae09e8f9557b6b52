// Rebuilds state and journal of a project from every copy there is, and says what it inferred.
import { basename, join } from "node:path";
import type { ProjectId } from "../../core/ids.ts";
import { instantFromMs } from "../../core/instant.ts";
import { type JournalEntry, type ProjectState, projectState } from "../../core/schema/project.ts";
import type { Sha256 } from "../../core/schema/scalar.ts";
import { StintError } from "../../core/stint-error.ts";
import { sha256Of } from "../digest.ts";
import type { Disk } from "../disk.ts";
import type { FileStore } from "../file-store.ts";
import { judgeJournal, lineOf, sealRevision } from "../journal.ts";
import { pendingPath, readPending } from "../pending-log.ts";
import { readCopy } from "../project-folder.ts";
import {
  type Carried,
  decodeRevision,
  encodeRevision,
  NOTHING_CARRIED,
  stateIn,
} from "../revision-codec.ts";
import { ofAnotherVersion, type RevisionFiles } from "../revision-files.ts";
import { StateEncoder, withoutDerived } from "../state-codec.ts";
import type { Claim, Happening, RegistryEntry } from "../store.ts";
import { keepManifest, manifestPath, type ProjectFiles, type StoreFiles } from "../store-files.ts";
import { takeBackCopies, takeBackFolders } from "./kept-files.ts";
import { kindOf } from "./kept-tree.ts";
import { repairByState } from "./repair-registry.ts";
import { findMisplaced, setAsideMisplacedLeases, toldAside } from "./misplaced.ts";
import { highestTrace, readableLines, rebuildJournal } from "./salvage-journal.ts";

/** What the doctor works on: the files, and the store that heals what it has written. */
export interface DoctorFiles {
  readonly all: StoreFiles;
  readonly store: FileStore;
}

export interface Repair {
  readonly project_id: ProjectId;
  readonly revision: number;
  readonly inferred: readonly string[];
}

const EMPTY = Buffer.alloc(0);

/** A state found somewhere, with how far it can be trusted. */
interface Candidate {
  readonly state: ProjectState;
  readonly carried: Carried;
  readonly from: string;
  readonly sealed: boolean;
}

export function repairProject(
  { all, store }: DoctorFiles,
  id: ProjectId,
  claim: Claim,
  rebuild: (entry: RegistryEntry) => ProjectState,
): Repair {
  const inferred: string[] = [];
  refuseAnotherVersion(all.find(id));
  // First of all: what it says leads to everything else.
  const byState = repairByState(all, all.registry.get(id));
  inferred.push(...byState.inferred);
  const project = all.of(byState.entry);
  const { entry, disk, shadow, revisions, leases } = project;
  inferred.push(...project.registry.repairReservation(entry));
  const misplaced = setAsideMisplacedLeases(project);
  inferred.push(...misplaced.inferred);
  const damagedLease = leases.setAsideDamaged(shadow.foreign);
  if (damagedLease > 0) inferred.push("the record of the last lease was damaged; it was set aside");
  const floor = Math.max(damagedLease, misplaced.fence, bestCandidate(project)?.state.fence ?? 0);
  const { lease } = leases.take(claim, floor);
  const others = findMisplaced(project);
  inferred.push(...others.map((each) => toldAside(project, each)));
  bringForward(revisions);

  const chosen = bestCandidate(project) ?? {
    state: { ...rebuild(entry), project_id: id, slug: entry.slug },
    carried: NOTHING_CARRIED,
    from: join(entry.root, entry.manifest),
    sealed: false,
  };
  const { state, carried } = chosen;
  const { lines, highest } = traces(project, chosen);
  const journal = disk.read(shadow.journal) ?? EMPTY;
  const isHealthy =
    chosen.sealed &&
    chosen.from === revisions.path(highest) &&
    judgeJournal(journal, state, carried.lines).kind !== "broken";
  inferred.push(...setAsidePending(project));
  if (!isHealthy) {
    inferred.push(...explain(chosen, highest));
    setAside(project, highest, chosen);
    const happening = doctored(all, "state-repaired", claim, inferred);
    const { fence } = lease;
    inferred.push(
      ...writeRepaired(project, { state, kept: carried.files, lines, highest, fence }, happening),
    );
  }
  inferred.push(...keepLastText(project, store, state));
  // Before the project is opened, which brings the copies in its folder in line with the shadow.
  inferred.push(...takeBackCopies(project, store, state));
  inferred.push(...takeBackFolders(project, [...misplaced.aside, ...others]));
  inferred.push(...project.folder.clearTheWay(Object.keys(project.pages(state))));
  leases.release(lease);
  return healed(store, id, claim, inferred);
}

/** Lets the store bring every copy forward to what was written. */
export function healed(
  store: FileStore,
  id: ProjectId,
  claim: Claim,
  inferred: readonly string[],
): Repair {
  const holder = store.acquire(id, claim);
  holder.release();
  const { revision } = holder.state;
  return { project_id: id, revision, inferred: [...inferred, ...holder.healed] };
}

/** A line of the journal that says what was inferred. */
export function doctored(
  { host }: StoreFiles,
  kind: string,
  claim: Claim,
  inferred: readonly string[],
): Happening {
  return {
    at: instantFromMs(host.nowMs()),
    kind,
    by: claim.owner,
    summary: inferred.join("; "),
    data: { inferred: [...inferred] },
  };
}

/** A revision whose number was lost with the power counts as every other; a damaged one is judged below. */
function bringForward(revisions: RevisionFiles): void {
  try {
    const top = revisions.top();
    if (top !== undefined) revisions.bringForward(top);
  } catch (error) {
    if (!(error instanceof StintError) || error.code !== "state-corrupt") throw error;
  }
}

/**
 * The best state there is. The shadow outranks the project folder, which anybody can write: a copy
 * there counts only when the shadow's own journal knows its last line, or when there is no shadow.
 */
function bestCandidate(project: ProjectFiles): Candidate | undefined {
  const { disk, shadow, layout, revisions } = project;
  const numbers = revisions.numbers();
  const own = numbers.map((number) => find(project, revisions.path(number)));
  const copy = find(project, layout.state);
  const top = own[0];
  if (top?.sealed) return top;
  const journal = readableLines([disk.read(shadow.journal) ?? EMPTY]);
  if (copy?.sealed && copy.state.revision === numbers[0]) {
    const line = journal.get(copy.state.revision);
    if (line !== undefined && lineOf(line).equals(lineOf(copy.state.last_event ?? line)))
      return copy;
  }
  const known = own.filter((each) => each !== undefined);
  const ranked = numbers.length === 0 && copy !== undefined ? [copy] : known;
  return ranked.find((each) => each.sealed) ?? ranked[0];
}

/** What is left of the journal, and the highest revision that left a trace in the shadow. */
function traces(
  { disk, shadow, layout, revisions }: ProjectFiles,
  { state: chosen, carried }: Candidate,
): { lines: Map<number, JournalEntry>; highest: number } {
  const journal = disk.read(shadow.journal) ?? EMPTY;
  const copy = readCopy(disk, layout.journal) ?? EMPTY;
  const known = Math.max(chosen.revision, revisions.numbers()[0] ?? 0);
  const highest = highestTrace(known, readableLines([journal]));
  // A copy that the last event of the state proves in whole outranks a journal that it does not.
  const isProven = (bytes: Buffer): boolean =>
    judgeJournal(bytes, chosen, carried.lines).kind !== "broken";
  const sources = isProven(copy) && !isProven(journal) ? [copy, journal] : [journal, copy];
  const lines = readableLines(sources);
  for (const line of carried.lines) lines.set(line.revision, line);
  if (chosen.last_event !== null) lines.set(chosen.revision, chosen.last_event);
  return { lines, highest };
}

function explain(chosen: Candidate, highest: number): string[] {
  const { revision } = chosen.state;
  const trust = chosen.sealed
    ? `revision ${revision} was taken from ${chosen.from}, which is undamaged`
    : `no undamaged copy of the state was found; its content was taken from ${chosen.from}, which could not be verified`;
  const lost =
    highest > revision && revision > 0
      ? [`what revision ${highest} changed beyond revision ${revision} is lost`]
      : [];
  return [trust, ...lost];
}

function setAside(project: ProjectFiles, highest: number, chosen: Candidate): void {
  const { disk, shadow, revisions } = project;
  for (const path of [revisions.path(highest), shadow.journal]) {
    const bytes = path === chosen.from && chosen.sealed ? undefined : disk.read(path);
    if (bytes !== undefined) keepDamaged(project, bytes, basename(path));
  }
}

/** A log of kept files that cannot be read is of no use to the next owner. */
function setAsidePending(project: ProjectFiles): string[] {
  const { disk, shadow, entry } = project;
  try {
    readPending(disk, shadow.pending, entry.project_id);
    return [];
  } catch (error) {
    if (!(error instanceof StintError) || error.code !== "state-corrupt") throw error;
  }
  const path = pendingPath(disk, shadow.pending);
  const bytes = path === undefined ? undefined : disk.read(path);
  if (path === undefined || bytes === undefined) return [];
  keepDamaged(project, bytes, `pending-${basename(path)}`);
  disk.remove(path);
  return ["the log of kept files was damaged; it was set aside"];
}

/**
 * The text that the state was made from. Where it is lost, the manifest itself is the last place where it may stand: as
 * it is after a creation that was cut short, or put back by a person. Otherwise looking says what is missing.
 */
function keepLastText(project: ProjectFiles, store: FileStore, state: ProjectState): string[] {
  const { disk, shadow, entry } = project;
  const { digest } = state.manifest;
  const place = join(entry.root, entry.manifest);
  if (isTextKept(store, entry.project_id, digest)) return [];
  const text = readCopy(disk, place);
  if (text === undefined || !isTextOf(disk, place, digest)) return [];
  const path = join(shadow.folder, manifestPath(digest));
  const damaged = disk.read(path);
  if (damaged !== undefined) {
    keepDamaged(project, damaged, basename(path));
    disk.remove(path);
  }
  keepManifest(disk, shadow, text);
  return [`the last known text of the manifest was lost; it was taken from ${place}`];
}

/** Whole, under its digest. */
export function isTextKept(store: FileStore, id: ProjectId, digest: Sha256): boolean {
  try {
    store.manifestText(id, digest);
    return true;
  } catch (error) {
    if (!(error instanceof StintError) || error.code !== "state-corrupt") throw error;
    return false;
  }
}

export function isTextOf(disk: Disk, path: string, digest: Sha256): boolean {
  const text = readCopy(disk, path);
  return text !== undefined && sha256Of(text) === digest;
}

function keepDamaged({ disk, shadow }: ProjectFiles, bytes: Buffer, name: string): void {
  disk.ensureFolder(shadow.foreign);
  disk.create(join(shadow.foreign, `damaged-${sha256Of(bytes).slice(0, 12)}-${name}`), bytes);
}

/** A sealed state, or content that at least has the shape of one. */
function find({ disk, entry }: ProjectFiles, path: string): Candidate | undefined {
  const bytes = readCopy(disk, path);
  if (bytes === undefined) return undefined;
  const decoded = decodeRevision(bytes);
  const state = decoded.ok ? shaped(decoded.state) : unsealed(stateIn(bytes));
  if (state?.project_id !== entry.project_id) return undefined;
  const carried = decoded.ok ? decoded.carried : NOTHING_CARRIED;
  return { state, carried, from: path, sealed: decoded.ok };
}

/** A seal can be forged over anything; what a repair goes on with has the shape of a state. */
function shaped(state: ProjectState): ProjectState | undefined {
  return projectState.safeParse(state).success ? state : undefined;
}

/** What a newer Stint wrote is whole; going back to what this one can read would lose it. */
function refuseAnotherVersion({ disk, layout, revisions, shadow }: ProjectFiles): void {
  // What is no folder holds none, and is set aside later.
  const isFolder = kindOf(disk, shadow.states) === "folder";
  const own = isFolder ? revisions.numbers().map((number) => revisions.path(number)) : [];
  for (const path of own.length > 0 ? own : [layout.state]) {
    const bytes = readCopy(disk, path);
    const decoded = bytes && decodeRevision(bytes);
    if (decoded?.ok === false && decoded.kind === "unknown-version") {
      throw ofAnotherVersion(path, decoded.reason);
    }
  }
}

function unsealed(bytes: Buffer): ProjectState | undefined {
  try {
    const value = JSON.parse(bytes.toString("utf8")) as Record<string, unknown>;
    return projectState.safeParse(value).success ? withoutDerived(value) : undefined;
  } catch {
    return undefined;
  }
}

export interface Rewriting {
  /** The content to go on with. */
  readonly state: ProjectState;
  /** What it carries. */
  readonly kept: ReadonlyMap<string, Buffer>;
  /** Journal lines that are left, by revision. */
  readonly lines: ReadonlyMap<number, JournalEntry>;
  /** The highest revision that ever left a trace; the repaired one comes after it. */
  readonly highest: number;
  readonly fence: number;
}

/**
 * The one write of the doctor: a revision above every other, with a journal that leads up to it.
 * @returns what was lost on the way, one line each
 */
export function writeRepaired(
  { entry, disk, shadow, revisions }: ProjectFiles,
  { state, kept, lines, highest, fence }: Rewriting,
  happening: Happening,
): string[] {
  const journal = rebuildJournal(lines, highest, happening.at);
  const repaired = sealRevision(journal.tail, state, { type: "fact", fence }, happening);
  disk.ensureFolder(shadow.states);
  const encoded = new StateEncoder().encode(repaired.state);
  const bytes = encodeRevision(encoded, { files: kept, lines: [] });
  if (!revisions.create(repaired.state, bytes)) {
    throw new StintError(
      "state-changed",
      `${entry.project_id} was written by another owner while it was being repaired`,
      `Look again: stint doctor ${entry.project_id}`,
    );
  }
  disk.replace(shadow.journal, Buffer.concat([journal.bytes, repaired.line.bytes]));
  if (journal.lost.length === 0) return [];
  return [`the journal lines of ${ranges(journal.lost)} are lost; each is marked so`];
}

/** "revision 3" or "revisions 3–7, 9". */
function ranges(numbers: readonly number[]): string {
  const parts: string[] = [];
  for (let i = 0; i < numbers.length; i += 1) {
    const start = numbers[i];
    while (numbers[i + 1] === (numbers[i] ?? 0) + 1) i += 1;
    parts.push(start === numbers[i] ? `${start}` : `${start}–${numbers[i]}`);
  }
  return `revision${numbers.length === 1 ? "" : "s"} ${parts.join(", ")}`;
}
