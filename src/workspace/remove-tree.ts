// Removes whatever a session left: folders without permissions are opened first, links are never
// followed. Only for paths inside a folder of Stint's own, or that git named in the person's.
import {
  accessSync,
  chmodSync,
  constants,
  lstatSync,
  readdirSync,
  rmdirSync,
  rmSync,
  type BigIntStats,
} from "node:fs";
import { foldersAbove, onDisk, type RawPath } from "./raw-path.ts";

export function factsOf(path: string | Buffer): BigIntStats | null {
  try {
    return lstatSync(path, { bigint: true });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    throw error;
  }
}

export function removeTree(path: string | Buffer): void {
  try {
    // Without a file system call in between, rm looks at each entry itself and follows no link.
    rmSync(path, { recursive: true, force: true });
  } catch {
    openFolders(path);
    rmSync(path, { recursive: true, force: true });
  }
}

/** Gives the owner all rights in every folder below, links not followed. */
export function openFolders(path: string | Buffer): void {
  if (!openFolder(path)) return;
  for (const entry of readdirSync(path, { withFileTypes: true, encoding: "buffer" })) {
    const name = entry.name as unknown as Buffer;
    if (entry.isDirectory()) {
      openFolders(Buffer.concat([Buffer.from(path), Buffer.from("/"), name]));
    }
  }
}

/** The same for a path of any kind; throws where the rights are not the owner's to give. */
export function openPath(path: string | Buffer): void {
  if (factsOf(path)?.isFile() === true) chmodSync(path, Number(factsOf(path)?.mode ?? 0) | 0o600);
  else openFolders(path);
  accessSync(path, constants.R_OK);
}

/** @returns whether it is a folder */
export function openFolder(path: string | Buffer): boolean {
  const facts = factsOf(path);
  if (facts?.isDirectory() !== true) return false;
  const mode = Number(facts.mode) & 0o7777;
  if ((mode & 0o700) !== 0o700) chmodSync(path, mode | 0o700);
  return true;
}

/** A path inside a folder, and the folders above it that are empty then. */
export function removeInside(folder: string, path: RawPath): void {
  const plain = path.replace(/\/$/, "");
  if (!isReallyInside(folder, plain)) return;
  removeTree(onDisk(folder, plain));
  for (const above of foldersAbove(plain)) {
    try {
      rmdirSync(onDisk(folder, above));
    } catch {
      return;
    }
  }
}

/** No part of the way to it is a link, so that what is done there is done inside the folder. */
export function isReallyInside(folder: string, path: RawPath): boolean {
  if (path.split("/").some((part) => part === "" || part === "." || part === "..")) return false;
  return foldersAbove(path).every(
    (above) => factsOf(onDisk(folder, above))?.isDirectory() === true,
  );
}
