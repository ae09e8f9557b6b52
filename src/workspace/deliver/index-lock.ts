// The lock of the person's index, held by us as git holds it, so that no git of theirs changes the index while
// a delivery works on a copy of it. It is a second name of a file of ours: so it is known to be ours by
// whoever finds it after a kill, and the lock of another is never removed.
import { linkSync, mkdirSync, renameSync, rmSync, unlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { writePlainly } from "../base/durable-file.ts";
import type { PersonRepository } from "../base/person-repository.ts";
import { factsOf, looksOf } from "../base/raw-path.ts";
import { copyIndex } from "../tree/session-git.ts";

export interface IndexLock {
  readonly path: string;
  /** The file whose second name it is. */
  readonly ours: string;
  /** The copy that is worked on. */
  readonly copy: string;
  readonly index: string;
}

export function indexLock({ folder }: PersonRepository, project: string): IndexLock {
  const own = join(folder.own, `stint-index-${project}`);
  return {
    path: `${folder.index}.lock`,
    ours: join(own, "lock"),
    copy: join(own, "index"),
    index: folder.index,
  };
}

/** Made anew of the index as it is now. */
export function workOnCopy(lock: IndexLock): void {
  const { ours, copy, index } = lock;
  dropCopy(lock);
  mkdirSync(dirname(ours), { mode: 0o700 });
  writePlainly(ours, "Stint delivers: see stint status\n");
  copyIndex(index, copy);
}

/** @returns false where another holds it */
export function takeIndex({ path, ours }: IndexLock): boolean {
  try {
    linkSync(ours, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

export function isIndexOurs({ path, ours }: IndexLock): boolean {
  const there = looksOf(path);
  return there !== null && there === looksOf(ours);
}

/** The copy becomes the index; only while the lock is ours. */
export function installIndex({ copy, index }: IndexLock): void {
  if (factsOf(copy) !== null) renameSync(copy, index);
}

export function releaseIndex(lock: IndexLock): void {
  if (isIndexOurs(lock)) unlinkSync(lock.path);
  dropCopy(lock);
}

export function dropCopy({ ours }: IndexLock): void {
  rmSync(dirname(ours), { recursive: true, force: true });
}
