// Small files that must be whole or absent after a crash, and those of them that hold JSON.
import {
  closeSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { judgeKept, type KeptSchema } from "../../core/json-line.ts";
import { StintError } from "../../core/stint-error.ts";
import { ofFile } from "../../core/words/system-error.ts";
import { canBeSeen } from "../../process/look-at.ts";
import { readAtOnce } from "../../process/read-at-once.ts";

export function writeDurably(path: string, content: string | Uint8Array): void {
  const bytes = typeof content === "string" ? Buffer.from(content) : content;
  const draft = `${path}.tmp`;
  const fd = openSync(draft, "w", 0o600);
  try {
    ofFile(draft, () => {
      for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at);
      fsyncSync(fd);
    });
  } finally {
    closeSync(fd);
  }
  renameSync(draft, path);
  syncFolder(dirname(path));
}

export function removeDurably(path: string): void {
  rmSync(path, { force: true });
  syncFolder(dirname(path));
}

export function syncFolder(path: string): void {
  const fd = openSync(path, "r");
  try {
    ofFile(path, () => fsyncSync(fd));
  } finally {
    closeSync(fd);
  }
}

/** A file that may be lost, and is made again then. */
export function writePlainly(path: string, content: string | Uint8Array, mode = 0o666): void {
  ofFile(path, () => writeFileSync(path, content, { mode }));
}

/** Null where there is none, or where it is not readable. */
export function readIfPossible(path: string): Buffer | null {
  try {
    return readAtOnce(path);
  } catch {
    return null;
  }
}

/** Null where there is none; any other failure to read is thrown. */
export function readIfThere(path: string): Buffer | null {
  try {
    return readAtOnce(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    throw error;
  }
}

export const DAMAGED = "Stop the run, then set it aside: stint doctor --repair";

/** What a file of JSON holds; null where there is none. @throws state-corrupt, with what to do about it */
export function readKept<T>(path: string, schema: KeptSchema<T>, hint = DAMAGED): T | null {
  const bytes = bytesOf(path, hint);
  if (bytes === null) return null;
  const judged = judgeKept(bytes.toString("utf8"), schema);
  if (judged.ok) return judged.value;
  throw new StintError("state-corrupt", `${path} is damaged: ${judged.why}`, hint);
}

function bytesOf(path: string, hint: string): Buffer | null {
  try {
    return readIfThere(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // A circle of links above it is no damage of its own.
    if (code !== "EISDIR" && (code !== "ELOOP" || !canBeSeen(path))) throw error;
    throw new StintError("state-corrupt", `${path} is damaged: it is not a file`, hint);
  }
}
