// What `stint doctor` asks of the file store: look, repair, adopt. Looking changes nothing; the other two
// say what they inferred, because what they write was not told by a run.
import type { ProjectId } from "../../core/ids.ts";
import type { ProjectState } from "../../core/schema/project.ts";
import { StintError } from "../../core/stint-error.ts";
import { shellWord } from "../../core/written/commands.ts";
import { join } from "node:path";
import { isTemp } from "../disk.ts";
import type { FileStore } from "../file-store.ts";
import { judgeJournal } from "../journal.ts";
import { readPending } from "../pending-log.ts";
import { withoutState } from "./no-state.ts";
import { folderCondition } from "../project-folder.ts";
import type { Claim, DamagedEntry, RegistryEntry } from "../store.ts";
import { type FileStoreOptions, type ProjectFiles, StoreFiles } from "../store-files.ts";
import { type Adoptable, adoptProject, findAdoptables } from "./adopt-project.ts";
import {
  type DoctorFiles,
  isTextKept,
  isTextOf,
  type Repair,
  repairProject,
} from "./repair-project.ts";
import { lostFiles, wayOut } from "./kept-files.ts";
import { namesIn } from "./kept-tree.ts";
import { findMisplaced } from "./misplaced.ts";
import { entryProblem, repairEntry, type RepairedEntry, type WorkTree } from "./repair-registry.ts";

export interface Finding {
  /** `problem`: a run would stop here. `notice`: the next run heals it by itself. */
  readonly severity: "fine" | "notice" | "problem";
  readonly what: string;
  readonly where: string;
  /** What to run, when something is to be done. */
  readonly fix: string | null;
}

export interface Examination {
  readonly entry: RegistryEntry;
  readonly findings: readonly Finding[];
}

export class Doctor {
  readonly #files: DoctorFiles;

  constructor(options: FileStoreOptions, store: FileStore) {
    this.#files = { store, all: new StoreFiles(options) };
  }

  examine(id: ProjectId): Examination {
    const { all, store } = this.#files;
    return examineProject(all, all.find(id), store);
  }

  /**
   * Rebuilds state and journal from every copy there is. `rebuild` makes a state from the manifest
   * alone, for when no copy of the state can be read.
   */
  repair(id: ProjectId, claim: Claim, rebuild: (entry: RegistryEntry) => ProjectState): Repair {
    return repairProject(this.#files, id, claim, rebuild);
  }

  /** What is in the place of a folder of the registry, or of the shadows. */
  misplaced(): string[] {
    return this.#files.all.registry.misplaced();
  }

  /** Moves it aside. @returns what was done, one line each */
  clearRegistry(): string[] {
    return this.#files.all.registry.setAsideMisplaced();
  }

  /** Sets a damaged entry of the registry aside and writes it again, if the shadow and one of these trees tell it. */
  repairEntry(damaged: DamagedEntry, trees: readonly WorkTree[]): RepairedEntry {
    return repairEntry(this.#files.all, damaged, trees);
  }

  /** Project folders below `<root>/<projectsRoot>` that could be adopted. Changes nothing. */
  adoptables(root: string, projectsRoot: string): Adoptable[] {
    return findAdoptables(this.#files.all, root, projectsRoot);
  }

  /** Trusts the copy in one project folder and makes the shadow from it. */
  adopt(root: string, folder: string, claim: Claim): Repair {
    return adoptProject(this.#files, root, folder, claim);
  }
}

/** Looks at everything a project is made of and says what is wrong. Changes nothing. */
function examineProject(all: StoreFiles, project: ProjectFiles, store: FileStore): Examination {
  const { entry, disk, registry, shadow, layout, leases, revisions } = project;
  const id = entry.project_id;
  const findings: Finding[] = [];
  const repair = `stint doctor ${id} --repair`;
  const look = (what: string, where: string, run: () => Omit<Finding, "where">): void => {
    try {
      findings.push({ ...run(), where });
    } catch (error) {
      if (!(error instanceof StintError)) throw error;
      findings.push({
        severity: "problem",
        what: `${what}: ${error.message}`,
        where,
        // A state of a newer Stint, or a file that may not be read, is nothing to repair.
        fix: error.hint.includes("--repair") ? repair : error.hint,
      });
    }
  };
  look("work tree", entry.root, () =>
    disk.files.stat(entry.root)?.kind === "folder"
      ? fine("the work tree is there")
      : {
          severity: "problem",
          what: "the work tree is gone",
          fix: `go to its new place and run: stint doctor --adopt`,
        },
  );
  look("registry", registry.placeOf(id), () => {
    const problem = entryProblem(all, entry) ?? registry.reservationProblem(entry);
    if (problem === null) return fine("the registry knows the project and its manifest");
    return { severity: "problem", what: problem, fix: repair };
  });
  look("state", shadow.states, () => {
    const top = revisions.top();
    if (top === undefined) return { severity: "problem", ...withoutState(disk, entry, layout) };
    return fine(`revision ${top.state.revision} is whole`);
  });
  look("journal", shadow.journal, () => examineJournal(project, repair));
  look("kept files", shadow.pending, () => {
    const { records } = readPending(disk, shadow.pending, id);
    return fine(
      records.length === 0
        ? "no record waits for the next revision"
        : `records that wait for the next revision: ${records.length}`,
    );
  });
  look("manifest text", shadow.manifests, () => examineText(project, store, repair));
  look("lease", shadow.leases, () => {
    const view = leases.view();
    return fine(view.held ? `held by ${view.lease?.run_id}: ${view.why}` : `free: ${view.why}`);
  });
  const damagedCopy = leases.damagedCopy();
  if (damagedCopy !== null) {
    findings.push({
      severity: "notice",
      what: `its lease.json is damaged and does not count (${damagedCopy}); the next run writes it again`,
      where: layout.lease,
      fix: null,
    });
  }
  look("records", shadow.kept, () => {
    const top = revisions.top();
    const lost = top === undefined ? [] : lostFiles(project, store, top.state);
    for (const { path, what, copy, of } of lost) {
      findings.push({
        severity: "problem",
        what: copy === undefined ? `${what}, and no undamaged copy is left` : what,
        where: path,
        fix: copy === undefined ? wayOut(of) : repair,
      });
    }
    const whole = lost.length === 0 ? "all records are whole" : "the other records are whole";
    return fine(whole);
  });
  look("files", shadow.folder, () => {
    for (const { path, wanted } of findMisplaced(project)) {
      findings.push({
        severity: "problem",
        what: `this is not a ${wanted}`,
        where: path,
        fix: repair,
      });
    }
    return fine("no folder or link is where a file should be");
  });
  look("project folder", layout.folder, () => {
    for (const path of inTheWayHere(project)) {
      const what = "this is in the way; the next run moves it aside";
      findings.push({ severity: "notice", what, where: path, fix: repair });
    }
    return examineFolder(project);
  });
  const temps = [
    shadow.folder,
    shadow.states,
    shadow.leases,
    shadow.manifests,
    shadow.answers,
  ].flatMap((each) => namesIn(disk, each).filter(isTemp));
  if (temps.length > 0) {
    const what = `${temps.length} temp file(s) of writes that a crash interrupted; harmless`;
    findings.push({ severity: "notice", what, where: shadow.folder, fix: null });
  }
  return { entry, findings };
}

function inTheWayHere({ folder, pages, revisions }: ProjectFiles): string[] {
  const top = revisions.top();
  return folder.inTheWay(top === undefined ? [] : Object.keys(pages(top.state)));
}

function examineJournal(
  { disk, shadow, revisions }: ProjectFiles,
  repair: string,
): Omit<Finding, "where"> {
  const top = revisions.top();
  if (top === undefined) return fine("not checked: there is no state");
  const journal = disk.read(shadow.journal) ?? Buffer.alloc(0);
  const verdict = judgeJournal(journal, top.state, top.carried.lines);
  switch (verdict.kind) {
    case "whole":
      return fine(`all lines verified, up to revision ${top.state.revision}`);
    case "healable":
      return {
        severity: "notice",
        what: "its last line is missing or cut; the next run writes it from the state",
        fix: repair,
      };
    case "broken":
      return { severity: "problem", what: verdict.reason, fix: repair };
    default:
      return verdict satisfies never;
  }
}

/** Without it nobody knows what a person changed since. */
function examineText(
  { entry, disk, revisions }: ProjectFiles,
  store: FileStore,
  repair: string,
): Omit<Finding, "where"> {
  const top = revisions.top();
  if (top === undefined) return fine("not checked: there is no state");
  const { digest } = top.state.manifest;
  if (isTextKept(store, entry.project_id, digest))
    return fine("a copy of the manifest as last read is there");
  const place = join(entry.root, entry.manifest);
  const what = `the text of ${entry.manifest} that was last known (sha256 ${digest.slice(0, 12)}) is lost`;
  if (isTextOf(disk, place, digest)) return { severity: "problem", what, fix: repair };
  const putBack = `put ${entry.manifest} back as it was then (git log -p -- ${shellWord(entry.manifest)})`;
  return { severity: "problem", what, fix: `${putBack}, then: ${repair}` };
}

function examineFolder({ entry, disk, layout, revisions }: ProjectFiles): Omit<Finding, "where"> {
  const top = revisions.top();
  if (top === undefined) return fine("not checked: there is no state");
  const durable = { revision: top.state.revision, state: top.bytes };
  const condition = folderCondition(disk, layout, durable);
  if (condition === "same") return fine("its state.json is the last revision");
  if (condition === "unreadable" && disk.stat(layout.state)?.kind === "file") {
    const path = layout.state;
    const fix = `mv ${path} ${path}.old; then: stint doctor ${entry.project_id} --repair`;
    return { severity: "problem", what: "its state.json cannot be read", fix };
  }
  const is = condition === "unreadable" ? "not a file" : condition;
  const what = `its state.json is ${is}; the next run restores it from the shadow`;
  return { severity: "notice", what, fix: `stint doctor ${entry.project_id} --repair` };
}

function fine(what: string): Omit<Finding, "where"> {
  return { severity: "fine", what, fix: null };
}
