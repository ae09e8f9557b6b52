// Where everything lies. Ids and slugs were parsed before they came here, so no name can leave its
// folder.
import { join } from "node:path";
import type { ProjectId } from "../core/ids.ts";
import { sha256Of } from "./digest.ts";
import type { Disk } from "./disk.ts";
import type { RegistryEntry } from "./store.ts";

const NUMBER_WIDTH = 12;

export function numberedName(n: number): string {
  return `${String(n).padStart(NUMBER_WIDTH, "0")}.json`;
}

/** The number in a numbered file name, or undefined for any other name. */
export function numberOf(name: string): number | undefined {
  return /^\d{12}\.json$/.test(name) ? Number(name.slice(0, NUMBER_WIDTH)) : undefined;
}

export type ShadowLayout = Readonly<ReturnType<typeof shadowLayout>>;

export function shadowLayout(stateHome: string, id: ProjectId) {
  const folder = join(stateHome, "shadows", id);
  return {
    folder,
    /** One file per revision; the highest is the state. */
    states: join(folder, "state"),
    journal: join(folder, "journal.jsonl"),
    /** One file per fencing number; the highest rules. */
    leases: join(folder, "lease"),
    manifests: join(folder, "manifests"),
    /** Evidence and session records, by their path in the project folder. */
    kept: join(folder, "kept"),
    /** Kept files on their way there: one log per fencing number. */
    pending: join(folder, "pending"),
    /** Answers that wait for the run that holds the lease. */
    answers: join(folder, "answers"),
    /** Copies from the project folder that Stint did not write. */
    foreign: join(folder, "foreign"),
  };
}

export type ProjectLayout = Readonly<ReturnType<typeof projectLayout>>;

export function projectLayout({ root, folder: relative }: Pick<RegistryEntry, "root" | "folder">) {
  const folder = join(root, relative);
  return {
    root,
    folder,
    state: join(folder, "state.json"),
    logs: join(folder, "logs"),
    journal: join(folder, "logs", "journal.jsonl"),
    validation: join(folder, "validation.md"),
    lease: join(folder, "lease.json"),
  };
}

export function registryLayout(stateHome: string) {
  const projects = join(stateHome, "registry", "projects");
  const manifests = join(stateHome, "registry", "manifests");
  return {
    home: stateHome,
    shadows: join(stateHome, "shadows"),
    projects,
    manifests,
    /** Damaged ones that a repair moved out of the way. */
    aside: join(stateHome, "registry", "damaged"),
    project: (id: ProjectId): string => join(projects, `${id}.json`),
    /** One name per (root, manifest): its exclusive creation reserves the manifest. */
    manifest: (root: string, manifest: string): string =>
      join(manifests, `${sha256Of(`${root}\0${manifest}`)}.json`),
  };
}

/** Where something can be moved without replacing what was moved before. */
export function freeName(disk: Disk, folder: string, name: string): string {
  const taken = new Set(disk.list(folder));
  let free = name;
  for (let n = 2; taken.has(free); n += 1) free = `${n}-${name}`;
  return join(folder, free);
}
