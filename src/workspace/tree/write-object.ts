// One object of Stint's own repository as a file, without starting git.
import { randomBytes } from "node:crypto";
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import { objectId } from "../../git/object-id.ts";
import { type GitObject, objectBytes } from "./loose-objects.ts";
import { syncFolder } from "../disk/durable-file.ts";

/** `idLength` tells the repository's object format. Unflushed, where its loss costs nothing. @returns its id */
export function writeObject(
  gitDir: string,
  object: GitObject,
  idLength: number,
  flush: "flushed" | "unflushed" = "flushed",
): string {
  const id = objectId(object.kind, object.content, idLength);
  const folder = join(gitDir, "objects", id.slice(0, 2));
  const path = join(folder, id.slice(2));
  if (existsSync(path)) return id;
  mkdirSync(folder, { recursive: true });
  const draft = join(folder, `tmp_obj_${randomBytes(6).toString("hex")}`);
  const fd = openSync(draft, "wx", 0o444);
  try {
    const bytes = deflateSync(objectBytes(object));
    for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at);
    if (flush === "flushed") fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  renameSync(draft, path);
  if (flush === "flushed") syncFolder(folder);
  return id;
}
