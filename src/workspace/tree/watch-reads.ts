// Which files a process opens or executes, told by their access times: set to the beginning of time before it, and
// looked at after it. Nothing of a shell is read for that, so it does not matter how a command comes to a file. Where
// access times are not kept (noatime), every file may have been read.
import { closeSync, lutimesSync, openSync, readSync } from "node:fs";
import { factsOf, onDisk, toRaw } from "../base/raw-path.ts";

/** Absent files, and what is no regular file, may have been looked for: nobody can tell. */
export function watchReads(folder: string, paths: readonly string[]): () => ReadonlySet<string> {
  const watched: string[] = [];
  const unknown: string[] = [];
  for (const path of paths) (forget(at(folder, path)) ? watched : unknown).push(path);
  const first = watched[0];
  const isKept = first !== undefined && isTimeKept(at(folder, first));
  if (first !== undefined) forget(at(folder, first));
  return () => {
    const read = isKept ? watched.filter((path) => hasBeenRead(at(folder, path))) : watched;
    return new Set([...unknown, ...read]);
  };
}

function at(folder: string, path: string): Buffer {
  return onDisk(folder, toRaw(path));
}

/** @returns whether it can be told from now on */
function forget(file: Buffer): boolean {
  try {
    const facts = factsOf(file);
    if (facts === null || !facts.isFile()) return false;
    lutimesSync(file, 0, Number(facts.mtimeNs) / 1e9);
    return true;
  } catch {
    return false;
  }
}

function hasBeenRead(file: Buffer): boolean {
  try {
    const facts = factsOf(file);
    // One that is gone or replaced was not left alone.
    return facts === null || facts.atimeNs !== 0n;
  } catch {
    return true;
  }
}

/** Whether reading a file shows. */
function isTimeKept(file: Buffer): boolean {
  let fd: number | undefined;
  try {
    fd = openSync(file, "r");
    readSync(fd, new Uint8Array(1));
    return hasBeenRead(file);
  } catch {
    return false;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}
