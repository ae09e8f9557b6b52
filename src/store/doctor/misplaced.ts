// What is in the place of a file of the shadow and is not one, or in the place of a folder: a folder, a file, a pipe, links
// that lead nowhere or in a circle. Nobody can read or replace such a thing, so a repair moves it aside, and what it hid
// counts as missing.
import { basename, dirname, join, relative } from "node:path";
import { isWithin } from "../../core/files.ts";
import type { Disk } from "../disk.ts";
import { inTheWayOf } from "../files.ts";
import { isFileByName, kindOf, misplacedBelow, namesIn } from "./kept-tree.ts";
import { freeName, numberOf } from "../layout.ts";
import type { ProjectFiles } from "../store-files.ts";

export interface Misplaced {
  readonly path: string;
  readonly wanted: "file" | "folder";
}

/** In the shadow of a project; kept files are not among them, because these have copies. A name that goes meanwhile is none. */
export function findMisplaced(project: ProjectFiles): Misplaced[] {
  const { disk, shadow } = project;
  const { folder, states, leases, manifests, answers, pending, kept, foreign } = shadow;
  const folders = [folder, foreign, leases, states, manifests, answers, pending, kept];
  const wrong = folders.map((path) => inTheWayOf(path)).filter((at) => at !== null);
  const inShadow = new Set(wrong.filter((at) => isWithin(at, folder)));
  const holding = [leases, states, pending, manifests].filter((path) => !inShadow.has(path));
  const files = [shadow.journal, ...holding.flatMap((each) => pathsIn(disk, each))];
  // Below a folder that is not one nothing is.
  const below = inShadow.has(folder) ? [] : files.filter((path) => isMisplaced(disk, path));
  const inKept = misplacedBelow(disk, kept).filter((path) => !isFileByName(relative(kept, path)));
  return [
    ...[...inShadow, ...inKept].map((path): Misplaced => ({ path, wanted: "folder" })),
    ...below.map((path): Misplaced => ({ path, wanted: "file" })),
  ];
}

/** Before the lease: the one that is in its place says nothing. @returns the highest number that it had, too */
export function setAsideMisplacedLeases(project: ProjectFiles): {
  inferred: string[];
  aside: Misplaced[];
  fence: number;
} {
  const { folder, foreign, leases } = project.shadow;
  const first = new Set([folder, foreign, leases]);
  const aside = findMisplaced(project).filter(
    ({ path }) => first.has(path) || dirname(path) === leases,
  );
  const numbers = aside.map(({ path }) => numberOf(basename(path)) ?? 0);
  return {
    inferred: aside.map((each) => toldAside(project, each)),
    aside,
    fence: Math.max(0, ...numbers),
  };
}

export function toldAside(project: ProjectFiles, { path, wanted }: Misplaced): string {
  return `${path} is not a ${wanted}; it was set aside as ${setAside(project, path, wanted)}`;
}

/** Whatever it is: a rename takes a folder and a link as it takes a file. @returns where it is now */
export function setAside(
  { disk, shadow }: ProjectFiles,
  path: string,
  wanted: Misplaced["wanted"] = "file",
): string {
  const isHome = path === shadow.folder || path === shadow.foreign;
  if (!isHome) disk.ensureFolder(shadow.foreign);
  const aside = isHome
    ? freeName(disk, dirname(path), `${basename(path)}.aside`)
    : freeName(disk, shadow.foreign, `not-a-${wanted}-${basename(path)}`);
  disk.move(path, aside);
  return aside;
}

function pathsIn(disk: Disk, folder: string): string[] {
  return namesIn(disk, folder).map((name) => join(folder, name));
}

export function isMisplaced(disk: Disk, path: string): boolean {
  const kind = kindOf(disk, path);
  if (kind === "file") return false;
  // A link that leads nowhere has a name and nothing else.
  return kind !== undefined || disk.list(dirname(path)).includes(basename(path));
}
