// Paths as git and the file system hold them: bytes, which need not be UTF-8. Inside the workspace they
// travel as strings of one character per byte, so that every name comes out as it went in. And what lies at
// one, looked at without following a link.
import { isUtf8 } from "node:buffer";
import { type BigIntStats, lstatSync, readlinkSync, type Stats } from "node:fs";
import { lookAt } from "../../process/look-at.ts";

/** One character per byte, `/` between the parts. */
export type RawPath = string;

export function toRaw(path: string): RawPath {
  return Buffer.from(path, "utf8").toString("latin1");
}

export function toText(path: RawPath): string {
  return Buffer.from(path, "latin1").toString("utf8");
}

export function isText(path: RawPath): boolean {
  return isUtf8(Buffer.from(path, "latin1"));
}

export function onDisk(folder: string, path: RawPath): Buffer {
  if (path === "") return Buffer.from(folder);
  return Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(path, "latin1")]);
}

/** The folder that holds a path; empty for the top. */
export function parentOf(path: RawPath): RawPath {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

/** Every folder above a path, nearest first, without the top. */
export function foldersAbove(path: RawPath): RawPath[] {
  const found: RawPath[] = [];
  for (let at = parentOf(path); at !== ""; at = parentOf(at)) found.push(at);
  return found;
}

/** Records that end in NUL. */
export function splitRecords(bytes: Buffer): string[] {
  return bytes
    .toString("latin1")
    .split("\0")
    .filter((record) => record !== "");
}

export function joinRecords(records: readonly string[]): Buffer {
  return Buffer.from(records.map((record) => `${record}\0`).join(""), "latin1");
}

export function isBelow(path: RawPath, folders: readonly RawPath[]): boolean {
  return folders.some((folder) => path === folder || path.startsWith(`${folder}/`));
}

export function factsOf(path: string | Buffer): BigIntStats | null {
  try {
    return lstatSync(path, { bigint: true });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    throw error;
  }
}

/** What can be known of a path; undefined where it is gone, or may not be looked at. */
export function factsIfPossible(path: string): Stats | undefined {
  try {
    return lookAt(path);
  } catch {
    return undefined;
  }
}

/** How a file looks; another one when somebody wrote to it, replaced it or changed its mode. */
export type Looks = string;

export function looksOf(path: string | Buffer): Looks | null {
  const facts = factsOf(path);
  if (facts === null) return null;
  if (facts.isSymbolicLink()) return `link ${readlinkSync(path, "latin1")}`;
  return `${facts.ino} ${facts.mode} ${facts.size} ${facts.mtimeNs}`;
}

/** No part of the way to it is a link, so that what is done there is done inside the folder. */
export function isReallyInside(folder: string, path: RawPath): boolean {
  if (path.split("/").some((part) => part === "" || part === "." || part === "..")) return false;
  return foldersAbove(path).every(
    (above) => factsOf(onDisk(folder, above))?.isDirectory() === true,
  );
}
