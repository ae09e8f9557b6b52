// What is in the place of a file of the shadow and is not one: a folder, a pipe, links that lead nowhere or in a circle.
// Nobody can read or replace such a thing, so a repair moves it aside, and what it hid counts as missing.
import { basename, dirname, join } from "node:path";
import { StintError } from "../../core/stint-error.ts";
import { errnoOf } from "../../core/words/system-error.ts";
import type { Disk } from "../disk.ts";
import { freeName, numberOf } from "../layout.ts";
import type { ProjectFiles } from "../store-files.ts";

/** Paths in the shadow of a project, kept files not among them: these have copies. A name that goes meanwhile is none. */
export function findMisplaced(project: ProjectFiles): string[] {
  const { disk, shadow } = project;
  const folders = [shadow.states, shadow.pending, shadow.manifests];
  const all = [shadow.journal, ...folders.flatMap((folder) => namesIn(disk, folder))];
  return [...misplacedLeases(project), ...all.filter((path) => isMisplaced(disk, path))];
}

/** Under the lease. @returns what was done, one line each */
export function setAsideMisplaced(project: ProjectFiles): string[] {
  return findMisplaced(project).map((path) => toldAside(project, path));
}

/** Before the lease: the one that is in its place says nothing. @returns the highest number that it had, too */
export function setAsideMisplacedLeases(project: ProjectFiles): {
  inferred: string[];
  fence: number;
} {
  const paths = misplacedLeases(project);
  const numbers = paths.map((path) => numberOf(basename(path)) ?? 0);
  return {
    inferred: paths.map((path) => toldAside(project, path)),
    fence: Math.max(0, ...numbers),
  };
}

function misplacedLeases({ disk, shadow }: ProjectFiles): string[] {
  return namesIn(disk, shadow.leases).filter((path) => isMisplaced(disk, path));
}

function toldAside(project: ProjectFiles, path: string): string {
  return `${path} is not a file; it was set aside as ${setAside(project, path)}`;
}

/** Whatever it is: a rename takes a folder and a link as it takes a file. @returns where it is now */
export function setAside({ disk, shadow }: ProjectFiles, path: string): string {
  disk.ensureFolder(shadow.foreign);
  const aside = freeName(disk, shadow.foreign, `not-a-file-${basename(path)}`);
  disk.move(path, aside);
  return aside;
}

function namesIn(disk: Disk, folder: string): string[] {
  return disk.list(folder).map((name) => join(folder, name));
}

/** Kept files have an ending, and their folders have none. */
export function filesBelow(disk: Disk, folder: string): string[] {
  return namesIn(disk, folder).flatMap((path) =>
    basename(path).includes(".") || kindOf(disk, path) !== "folder"
      ? [path]
      : filesBelow(disk, path),
  );
}

export function isMisplaced(disk: Disk, path: string): boolean {
  const kind = kindOf(disk, path);
  if (kind === "file") return false;
  // A link that leads nowhere has a name and nothing else.
  return kind !== "nothing" || disk.list(dirname(path)).includes(basename(path));
}

function kindOf(disk: Disk, path: string): "file" | "folder" | "other" | "nothing" {
  try {
    return disk.stat(path)?.kind ?? "nothing";
  } catch (error) {
    if (error instanceof StintError && errnoOf(error.cause) === "ELOOP") return "other";
    throw error;
  }
}
