// Files that a delivery is about to replace, held by a second name meanwhile: what a person saves into one
// of them while git replaces it is found again.
import { linkSync, mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { ABSENT, type EntryChange, isSameEntry, type TreeEntry } from "../git/diff-trees.ts";
import { entryOf } from "./checkout-files.ts";
import type { PersonRepository } from "./person-repository.ts";
import { onDisk, type RawPath, toText } from "./raw-path.ts";
import { factsOf, isReallyInside, removeTree } from "./remove-tree.ts";

export interface Aside {
  readonly path: RawPath;
  readonly name: string;
  readonly looks: string;
}

export function keepAside(
  person: PersonRepository,
  project: string,
  changes: readonly EntryChange[],
): Aside[] {
  const folder = asideFolder(person, project);
  removeTree(folder);
  const replaced = replacedBy(changes);
  if (replaced.length === 0) return [];
  mkdirSync(folder, { mode: 0o700 });
  return replaced.flatMap(({ path }, at): Aside[] => {
    const there = onDisk(person.checkout, path);
    if (!isReallyInside(person.checkout, path) || factsOf(there)?.isFile() !== true) return [];
    const name = String(at);
    try {
      linkSync(there, join(folder, name));
    } catch {
      // The repository lies on another file system: then there is no second name to give.
      return [];
    }
    return [{ path, name, looks: looksOf(join(folder, name)) }];
  });
}

/** @returns the files that were saved meanwhile and are the person's again */
export function putSavedBack(
  person: PersonRepository,
  project: string,
  aside: readonly Aside[],
  delivered: ReadonlyMap<RawPath, TreeEntry>,
  idLength: number,
): string[] {
  const folder = asideFolder(person, project);
  const saved = aside.filter(({ path, name, looks }) => {
    const held = join(folder, name);
    if (looksOf(held) === looks) return false;
    const there = entryOf(person.checkout, path, idLength);
    const wanted = delivered.get(path);
    const isStillDelivered = there === null || (wanted !== undefined && isSameEntry(there, wanted));
    if (isStillDelivered && isReallyInside(person.checkout, path)) {
      renameSync(held, onDisk(person.checkout, path));
    }
    return isStillDelivered;
  });
  removeTree(folder);
  return saved.map(({ path }) => toText(path));
}

/**
 * Undoes what git replaced before it was killed: the very files, with what was saved into them meanwhile.
 * @param isNew whether what lies at a path is what was to be delivered there
 */
export function putAllBack(
  person: PersonRepository,
  project: string,
  changes: readonly EntryChange[],
  isNew: (path: RawPath) => boolean,
): void {
  replacedBy(changes).forEach(({ path }, at) => {
    const held = join(asideFolder(person, project), String(at));
    if (factsOf(held) === null || !isReallyInside(person.checkout, path)) return;
    const there = onDisk(person.checkout, path);
    if (factsOf(there) === null || isNew(path)) renameSync(held, there);
  });
}

export function dropAside(person: PersonRepository, project: string): void {
  removeTree(asideFolder(person, project));
}

/** One for each project: two of one repository may deliver at once. */
function asideFolder({ folder }: PersonRepository, project: string): string {
  return join(folder.own, `stint-aside-${project}`);
}

/** Each is held by its number in this list. */
function replacedBy(changes: readonly EntryChange[]): EntryChange[] {
  return changes.filter(({ before }) => before.mode !== ABSENT);
}

/** A second name changes the time of the entry, never that of the content. */
function looksOf(path: string): string {
  const facts = factsOf(path);
  return facts === null ? "gone" : `${facts.size} ${facts.mtimeNs}`;
}
