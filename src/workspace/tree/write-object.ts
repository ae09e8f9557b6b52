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
import { syncFolder } from "../disk/durable-file.ts";

/** `idLength` tells the repository's object format. @returns its id */
export function writeObject(
  gitDir: string,
  kind: "blob" | "commit",
  content: Uint8Array,
  idLength: number,
): string {
  const object = Buffer.concat([Buffer.from(`${kind} ${content.length}\0`), content]);
  const id = objectId(kind, content, idLength);
  const folder = join(gitDir, "objects", id.slice(0, 2));
  const path = join(folder, id.slice(2));
  if (existsSync(path)) return id;
  mkdirSync(folder, { recursive: true });
  const draft = join(folder, `tmp_obj_${randomBytes(6).toString("hex")}`);
  const fd = openSync(draft, "wx", 0o444);
  try {
    const bytes = deflateSync(object);
    for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  renameSync(draft, path);
  syncFolder(folder);
  return id;
}
