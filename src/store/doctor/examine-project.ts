// Looks at everything a project is made of and says what is wrong. Changes nothing.
import { join } from "node:path";
import type { ProjectId } from "../../core/ids.ts";
import { shellWord } from "../../core/written/commands.ts";
import { StintError } from "../../core/stint-error.ts";
import type { Examination, Finding } from "./doctor.ts";
import { isTemp } from "../durable.ts";
import { projectLayout, type ShadowLayout } from "../layout.ts";
import { folderCondition, isFolderOnlyClaimed } from "../project-folder.ts";
import { judgeJournal } from "../shadow-journal.ts";
import { readPending } from "../revision/pending-log.ts";
import type { RegistryEntry } from "../store.ts";
import type { DoctorFiles } from "./doctor-files.ts";

export function examineProject(doctorFiles: DoctorFiles, id: ProjectId): Examination {
  const entry = doctorFiles.entry(id);
  const findings: Finding[] = [];
  const shadow = doctorFiles.shadow(id);
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
    doctorFiles.files.stat(entry.root)?.kind === "folder"
      ? fine("the work tree is there")
      : {
          severity: "problem",
          what: "the work tree is gone",
          fix: `go to where it is now and run: stint doctor --adopt`,
        },
  );
  look("state", shadow.states, () => {
    const top = doctorFiles.revisions(id).top();
    if (top === undefined) {
      const wasCutShort = isFolderOnlyClaimed(doctorFiles.files, projectLayout(entry));
      const what = wasCutShort ? "its creation was cut short" : "the shadow holds no state";
      const next = wasCutShort ? `stint run ${shellWord(entry.manifest)}` : "stint doctor --adopt";
      return { severity: "problem", what, fix: `in ${entry.root}: ${next}` };
    }
    return fine(`revision ${top.state.revision} is whole`);
  });
  look("journal", shadow.journal, () => examineJournal(doctorFiles, id, shadow, repair));
  look("kept files", shadow.pending, () => {
    const { records } = readPending(doctorFiles.files, shadow.pending, id);
    return fine(records.length === 0 ? "none is on its way" : `${records.length} on their way`);
  });
  look("lease", shadow.leases, () => {
    const view = doctorFiles.leases(entry).view();
    return fine(view.held ? `held by ${view.lease?.run_id}: ${view.why}` : `free: ${view.why}`);
  });
  const damagedCopy = doctorFiles.leases(entry).damagedCopy();
  if (damagedCopy !== null) {
    findings.push({
      severity: "notice",
      what: `its lease.json is damaged and has no say (${damagedCopy}); the next owner writes it again`,
      where: projectLayout(entry).lease,
      fix: null,
    });
  }
  look("project folder", join(entry.root, entry.folder), () => examineFolder(doctorFiles, entry));
  const { folder, states, leases, manifests, answers } = shadow;
  const temps = [folder, states, leases, manifests, answers].flatMap((each) =>
    doctorFiles.list(each).filter(isTemp),
  );
  if (temps.length > 0) {
    const what = `${temps.length} temp file(s) of writes that a crash cut short; harmless`;
    findings.push({ severity: "notice", what, where: shadow.folder, fix: null });
  }
  return { entry, findings };
}

function examineJournal(
  doctorFiles: DoctorFiles,
  id: ProjectId,
  shadow: ShadowLayout,
  repair: string,
): Omit<Finding, "where"> {
  const top = doctorFiles.revisions(id).top();
  if (top === undefined) return fine("not judged: there is no state");
  const journal = doctorFiles.read(shadow.journal) ?? Buffer.alloc(0);
  const verdict = judgeJournal(journal, top.state, top.carried.lines);
  switch (verdict.kind) {
    case "whole":
      return fine(`all lines verified, up to revision ${top.state.revision}`);
    case "healable":
      return {
        severity: "notice",
        what: "its last line is missing or cut; the next owner writes it from the state",
        fix: repair,
      };
    case "broken":
      return { severity: "problem", what: verdict.reason, fix: repair };
    default:
      return verdict satisfies never;
  }
}

function examineFolder(doctorFiles: DoctorFiles, entry: RegistryEntry): Omit<Finding, "where"> {
  const top = doctorFiles.revisions(entry.project_id).top();
  if (top === undefined) return fine("not judged: there is no state");
  const durable = { revision: top.state.revision, state: top.bytes };
  const condition = folderCondition(doctorFiles.files, projectLayout(entry), durable);
  if (condition === "same") return fine("its state.json is the last revision");
  if (condition === "unreadable") {
    const path = projectLayout(entry).state;
    const fix = `mv ${path} ${path}.old; then: stint doctor ${entry.project_id} --repair`;
    return { severity: "problem", what: "its state.json cannot be read", fix };
  }
  const what = `its state.json is ${condition}; the next owner restores it from the shadow`;
  return { severity: "notice", what, fix: `stint doctor ${entry.project_id} --repair` };
}

function fine(what: string): Omit<Finding, "where"> {
  return { severity: "fine", what, fix: null };
}
