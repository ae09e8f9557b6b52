// Rebuilds state and journal of a project from every copy there is, and says what it inferred.
import { basename, join } from "node:path";
import type { ProjectId } from "../../core/ids.ts";
import { type JournalEntry, type ProjectState, projectState } from "../../core/schema/project.ts";
import { StintError } from "../../core/stint-error.ts";
import type { Repair } from "./doctor.ts";
import { type Carried, decodeRevision, NOTHING_CARRIED, stateIn } from "../revision/carried.ts";
import { createDurably, ensureFolder, removeIfPresent } from "../durable.ts";
import { pendingPath, readPending } from "../revision/pending-log.ts";
import { sha256Of } from "../digest.ts";
import { projectLayout, type ShadowLayout } from "../layout.ts";
import { lineOf } from "../journal-codec.ts";
import { ofAnotherVersion, type RevisionFiles } from "../revision/revision-files.ts";
import { highestTrace, readableLines } from "./salvage-journal.ts";
import { judgeJournal } from "../shadow-journal.ts";
import { withoutDerived } from "../state-codec.ts";
import type { Claim, RegistryEntry } from "../store.ts";
import type { DoctorFiles } from "./doctor-files.ts";
import { writeRepaired } from "./write-repaired.ts";

const EMPTY = Buffer.alloc(0);

/** A state found somewhere, with how far it can be trusted. */
interface Candidate {
  readonly state: ProjectState;
  readonly carried: Carried;
  readonly from: string;
  readonly sealed: boolean;
}

export function repairProject(
  doctorFiles: DoctorFiles,
  id: ProjectId,
  claim: Claim,
  rebuild: (entry: RegistryEntry) => ProjectState,
): Repair {
  const entry = doctorFiles.entry(id);
  const shadow = doctorFiles.shadow(id);
  const revisions = doctorFiles.revisions(id);
  const inferred: string[] = [];
  refuseAnotherVersion(doctorFiles, entry, revisions);
  const leases = doctorFiles.leases(entry);
  const damagedLease = leases.setAsideDamaged(shadow.foreign);
  if (damagedLease > 0) inferred.push("the record of the last lease was damaged; it was set aside");
  const floor = Math.max(
    damagedLease,
    bestCandidate(doctorFiles, entry, revisions)?.state.fence ?? 0,
  );
  const { lease } = leases.take(claim, floor);
  bringForward(revisions);

  const best = bestCandidate(doctorFiles, entry, revisions);
  const chosen = best ?? {
    state: { ...rebuild(entry), project_id: id, slug: entry.slug },
    carried: NOTHING_CARRIED,
    from: join(entry.root, entry.manifest),
    sealed: false,
  };
  const { lines, highest } = traces(doctorFiles, entry, revisions, chosen);
  const journal = doctorFiles.read(shadow.journal) ?? Buffer.alloc(0);
  const healthy =
    chosen.sealed &&
    chosen.from === revisions.path(highest) &&
    judgeJournal(journal, chosen.state, chosen.carried.lines).kind !== "broken";
  inferred.push(...setAsidePending(doctorFiles, id, shadow));
  if (!healthy) {
    inferred.push(...explain(chosen, highest));
    setAside(doctorFiles, shadow, revisions, highest, chosen);
    const { state, carried } = chosen;
    const { fence } = lease;
    const kept = carried.files;
    inferred.push(
      ...writeRepaired(doctorFiles, { entry, state, kept, lines, highest, fence, claim, inferred }),
    );
  }
  leases.release(lease);
  const holder = doctorFiles.store.acquire(id, claim);
  inferred.push(...holder.healed);
  holder.release();
  return { project_id: id, revision: holder.state.revision, inferred };
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
function bestCandidate(
  doctorFiles: DoctorFiles,
  entry: RegistryEntry,
  revisions: RevisionFiles,
): Candidate | undefined {
  const numbers = revisions.numbers();
  const own = numbers
    .map((number) => revisions.path(number))
    .map((path) => find(doctorFiles, entry, path));
  const copy = find(doctorFiles, entry, projectLayout(entry).state);
  const top = own[0];
  if (top?.sealed) return top;
  const journal = readableLines([
    doctorFiles.read(doctorFiles.shadow(entry.project_id).journal) ?? EMPTY,
  ]);
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
  doctorFiles: DoctorFiles,
  entry: RegistryEntry,
  revisions: RevisionFiles,
  { state: chosen, carried }: Candidate,
): { lines: Map<number, JournalEntry>; highest: number } {
  const journal = doctorFiles.read(doctorFiles.shadow(entry.project_id).journal) ?? EMPTY;
  const copy = doctorFiles.readCopy(projectLayout(entry).journal) ?? EMPTY;
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
    ? `revision ${revision} was taken from ${chosen.from}, which is whole`
    : `no whole copy of the state was found; its content was taken from ${chosen.from}, which could not be verified`;
  const lost =
    highest > revision && revision > 0
      ? [`what revision ${highest} changed beyond revision ${revision} is lost`]
      : [];
  return [trust, ...lost];
}

function setAside(
  doctorFiles: DoctorFiles,
  shadow: ShadowLayout,
  revisions: RevisionFiles,
  highest: number,
  chosen: Candidate,
): void {
  const { files } = doctorFiles;
  ensureFolder(files, shadow.foreign);
  for (const path of [revisions.path(highest), shadow.journal]) {
    const bytes = path === chosen.from && chosen.sealed ? undefined : doctorFiles.read(path);
    if (bytes === undefined) continue;
    const name = `damaged-${sha256Of(bytes).slice(0, 12)}-${basename(path)}`;
    createDurably(files, join(shadow.foreign, name), bytes, doctorFiles.tag);
  }
}

/** A log of kept files that cannot be read is of no use to the next owner. */
function setAsidePending(doctorFiles: DoctorFiles, id: ProjectId, shadow: ShadowLayout): string[] {
  const { files } = doctorFiles;
  try {
    readPending(files, shadow.pending, id);
    return [];
  } catch (error) {
    if (!(error instanceof StintError) || error.code !== "state-corrupt") throw error;
  }
  const path = pendingPath(files, shadow.pending);
  const bytes = path === undefined ? undefined : doctorFiles.read(path);
  if (path === undefined || bytes === undefined) return [];
  ensureFolder(files, shadow.foreign);
  const name = `damaged-${sha256Of(bytes).slice(0, 12)}-pending-${basename(path)}`;
  createDurably(files, join(shadow.foreign, name), bytes, doctorFiles.tag);
  removeIfPresent(files, path);
  return ["the log of kept files was damaged; it was set aside"];
}

/** A sealed state, or content that at least has the shape of one. */
function find(doctorFiles: DoctorFiles, entry: RegistryEntry, path: string): Candidate | undefined {
  const bytes = doctorFiles.readCopy(path);
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
function refuseAnotherVersion(
  doctorFiles: DoctorFiles,
  entry: RegistryEntry,
  revisions: RevisionFiles,
): void {
  const own = revisions.numbers().map((number) => revisions.path(number));
  for (const path of own.length > 0 ? own : [projectLayout(entry).state]) {
    const bytes = doctorFiles.readCopy(path);
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
