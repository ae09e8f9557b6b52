// A project of four revisions, and what the doctor says of it after something happened to it.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { ProjectId } from "../../src/core/ids.ts";
import type { ProjectState } from "../../src/core/schema/project.ts";
import type { Finding } from "../../src/store/doctor/doctor.ts";
import type { Repair } from "../../src/store/doctor/repair-project.ts";
import { parseLines, readJournal } from "../../src/store/journal.ts";
import { decodeState } from "../../src/store/state-codec.ts";
import type { RegistryEntry } from "../../src/store/store.ts";
import { FileBench } from "./file-bench.ts";

export class DoctorBench extends FileBench {
  readonly entry: RegistryEntry = this.create(4);
  readonly id: ProjectId = this.entry.project_id;

  findings(severity: Finding["severity"]): Finding[] {
    return this.process()
      .doctor.examine(this.id)
      .findings.filter((finding) => finding.severity === severity);
  }

  repair(rebuild: (entry: RegistryEntry) => ProjectState = this.refuseRebuild): Repair {
    const { doctor, claim } = this.process();
    return doctor.repair(this.id, claim, rebuild);
  }

  journalKinds(): string[] {
    return parseLines(readFileSync(this.shadow(this.id).journal)).map((line) => line.kind);
  }

  copyOfState(): ProjectState {
    const decoded = decodeState(readFileSync(this.layout(this.entry).state));
    if (!decoded.ok) throw new Error(decoded.reason);
    return decoded.state;
  }
}

/** Opens, everything verified, the next commit works, and a second repair changes nothing. */
export function expectSound(bench: DoctorBench, revision: number): void {
  const { id, entry } = bench;
  expect(bench.findings("problem")).toEqual([]);
  const { store } = bench.process();
  expect(store.read(id)).toMatchObject({ state: { revision }, folder: "same" });
  expect(store.journal(id)).toHaveLength(revision);
  expect(bench.repair()).toEqual({ project_id: id, revision, inferred: [] });
  const holder = bench.acquire(id);
  expect(holder.healed).toEqual([]);
  expect(bench.commit(holder, "next").revision).toBe(revision + 1);
  holder.release();
  const { journal } = bench.shadow(id);
  expect(readJournal(readFileSync(journal))).toMatchObject({ ok: true, torn: 0 });
  expect(readFileSync(bench.layout(entry).journal)).toEqual(readFileSync(journal));
}

export function everyFile(folder: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((each) => each.isFile())
      .map((each) => join(each.parentPath, each.name))
      .map((path) => [path, readFileSync(path, "base64")]),
  );
}
