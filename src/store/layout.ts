// Where everything lies. Ids and slugs were parsed before they came here, so no name can leave its
// folder.
import { join } from "node:path";
import type { ProjectId } from "../core/ids.ts";
import { sha256Of } from "./digest.ts";
import type { RegistryEntry } from "./store.ts";

const NUMBER_WIDTH = 12;

export function numberedName(n: number): string {
  return `${String(n).padStart(NUMBER_WIDTH, "0")}.json`;
}

/** The number in a numbered file name, or undefined for any other name. */
export function numberOf(name: string): number | undefined {
  return /^\d{12}\.json$/.test(name) ? Number(name.slice(0, NUMBER_WIDTH)) : undefined;
}

export interface ShadowLayout {
  readonly folder: string;
  /** One file per revision; the highest is the state. */
  readonly states: string;
  readonly journal: string;
  /** One file per fencing number; the highest rules. */
  readonly leases: string;
  readonly manifests: string;
  /** Evidence and session records, by their path in the project folder. */
  readonly kept: string;
  /** Kept files on their way there: one log per fencing number. */
  readonly pending: string;
  /** Answers that wait for the run that holds the lease. */
  readonly answers: string;
  /** Copies from the project folder that Stint did not write. */
  readonly foreign: string;
}

export function shadowLayout(stateHome: string, id: ProjectId): ShadowLayout {
  const folder = join(stateHome, "shadows", id);
  return {
    folder,
    states: join(folder, "state"),
    journal: join(folder, "journal.jsonl"),
    leases: join(folder, "lease"),
    manifests: join(folder, "manifests"),
    kept: join(folder, "kept"),
    pending: join(folder, "pending"),
    answers: join(folder, "answers"),
    foreign: join(folder, "foreign"),
  };
}

export interface ProjectLayout {
  readonly root: string;
  readonly folder: string;
  readonly state: string;
  readonly logs: string;
  readonly journal: string;
  readonly validation: string;
  readonly lease: string;
}

export function projectLayout(entry: Pick<RegistryEntry, "root" | "folder">): ProjectLayout {
  const folder = join(entry.root, entry.folder);
  return {
    root: entry.root,
    folder,
    state: join(folder, "state.json"),
    logs: join(folder, "logs"),
    journal: join(folder, "logs", "journal.jsonl"),
    validation: join(folder, "validation.md"),
    lease: join(folder, "lease.json"),
  };
}

export interface RegistryLayout {
  readonly projects: string;
  readonly manifests: string;
  project(id: ProjectId): string;
  /** One name per (root, manifest): its exclusive creation reserves the manifest. */
  manifest(root: string, manifest: string): string;
}

export function registryLayout(stateHome: string): RegistryLayout {
  const projects = join(stateHome, "registry", "projects");
  const manifests = join(stateHome, "registry", "manifests");
  return {
    projects,
    manifests,
    project: (id) => join(projects, `${id}.json`),
    manifest(root, manifest) {
      const key = sha256Of(`${root}\0${manifest}`);
      return join(manifests, `${key}.json`);
    },
  };
}
