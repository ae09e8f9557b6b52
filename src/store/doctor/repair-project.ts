// Rebuilds state and journal of a project from every copy there is, and says what it inferred.
import { basename, join } from "node:path";
import type { ProjectId } from "../../core/ids.ts";
import type { JournalEntry } from "../../core/schema/journal.ts";
import { type ProjectState, projectState } from "../../core/schema/project.ts";
import type { Repair } from "./doctor.ts";
import { createDurably, ensureFolder } from "../durable.ts";
import { sha256Of } from "../digest.ts";
import { projectLayout, type ShadowLayout } from "../layout.ts";
import { lineOf } from "../journal-codec.ts";
import { ofAnotherVersion, type RevisionFiles } from "../revision-files.ts";
import { highestTrace, readableLines } from "./salvage-journal.ts";
import { judgeJournal } from "../shadow-journal.ts";
import { decodeState, withoutDerived } from "../state-codec.ts";
import type { Claim, RegistryEntry } from "../store.ts";
import type { DoctorFiles } from "./doctor-files.ts";
import { writeRepaired } from "./write-repaired.ts";

const EMPTY = Buffer.alloc(0);

/** A state found somewhere, with how far it can be trusted. */
interface Candidate {
  readonly state: ProjectState;
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

  const best = bestCandidate(doctorFiles, entry, revisions);
  const chosen = best ?? {
    state: { ...rebuild(entry), project_id: id, slug: entry.slug },
    from: join(entry.root, entry.manifest),
    sealed: false,
  };
  const { lines, highest } = traces(doctorFiles, entry, revisions, chosen.state);
  const healthy =
    chosen.sealed &&
    chosen.from === revisions.path(highest) &&
    judgeJournal(doctorFiles.read(shadow.journal) ?? Buffer.alloc(0), chosen.state).kind !==
      "broken";
  if (!healthy) {
    inferred.push(...explain(chosen, highest));
    setAside(doctorFiles, shadow, revisions, highest, chosen);
    const { state } = chosen;
    const { fence } = lease;
    inferred.push(
      ...writeRepaired(doctorFiles, { entry, state, lines, highest, fence, claim, inferred }),
    );
  }
  leases.release(lease);
  const holder = doctorFiles.store.acquire(id, claim);
  inferred.push(...holder.healed);
  holder.release();
  return { project_id: id, revision: holder.state.revision, inferred };
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
  chosen: ProjectState,
): { lines: Map<number, JournalEntry>; highest: number } {
  const journal = doctorFiles.read(doctorFiles.shadow(entry.project_id).journal) ?? EMPTY;
  const copy = doctorFiles.readCopy(projectLayout(entry).journal) ?? EMPTY;
  const known = Math.max(chosen.revision, revisions.numbers()[0] ?? 0);
  const highest = highestTrace(known, readableLines([journal]));
  // A copy that the last event of the state proves in whole outranks a journal that it does not.
  const isProven = (bytes: Buffer): boolean => judgeJournal(bytes, chosen).kind !== "broken";
  const sources = isProven(copy) && !isProven(journal) ? [copy, journal] : [journal, copy];
  const lines = readableLines(sources);
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

/** A sealed state, or content that at least has the shape of one. */
function find(doctorFiles: DoctorFiles, entry: RegistryEntry, path: string): Candidate | undefined {
  const bytes = doctorFiles.readCopy(path);
  if (bytes === undefined) return undefined;
  const decoded = decodeState(bytes);
  const state = decoded.ok ? shaped(decoded.state) : unsealed(bytes);
  if (state?.project_id !== entry.project_id) return undefined;
  return { state, from: path, sealed: decoded.ok };
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
    const decoded = bytes && decodeState(bytes);
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
