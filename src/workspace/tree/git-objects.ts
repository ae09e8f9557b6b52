// Git's objects without git: read and written as files of their own, as a pack of some of them, and a tree with
// one of its entries another. What is not there, not whole or too large is null: git is asked then, and what it
// answers is proven by its id.
import { randomBytes } from "node:crypto";
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  statSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { constants, deflateSync, inflateSync } from "node:zlib";
import { objectHash, objectId } from "../../git/object-id.ts";
import { ofFile } from "../../core/words/system-error.ts";
import { failure } from "../../git/run-git.ts";
import { syncFolder } from "../base/durable-file.ts";
import type { Git } from "../base/own-git.ts";

type ObjectKind = "commit" | "tree" | "blob";

export interface GitObject {
  readonly kind: ObjectKind;
  readonly content: Buffer;
}

/** Larger ones are git's to handle. */
const LARGEST_BYTES = 8 * 1024 * 1024;

const KINDS: Readonly<Record<ObjectKind, number>> = { commit: 1, tree: 2, blob: 3 };

function objectBytes({ kind, content }: GitObject): Buffer {
  return Buffer.concat([Buffer.from(`${kind} ${content.length}\0`, "latin1"), content]);
}

/** Proven by its id. */
export function readLoose(folders: readonly string[], id: string): GitObject | null {
  for (const folder of folders) {
    const found = readAt(join(folder, id.slice(0, 2), id.slice(2)), id);
    if (found !== null) return found;
  }
  return null;
}

function readAt(path: string, id: string): GitObject | null {
  try {
    if (statSync(path).size > LARGEST_BYTES) return null;
    const bytes = inflateSync(readFileSync(path), { maxOutputLength: LARGEST_BYTES });
    if (objectHash(id.length).update(bytes).digest("hex") !== id) return null;
    const end = bytes.indexOf(0);
    const [kind = ""] = bytes.toString("latin1", 0, end).split(" ");
    if (!Object.hasOwn(KINDS, kind)) return null;
    return { kind: kind as ObjectKind, content: bytes.subarray(end + 1) };
  } catch {
    return null;
  }
}

/** As git has it, in whatever form. Proven by its id. */
export async function askForObject(git: Git, kind: ObjectKind, id: string): Promise<GitObject> {
  const args = ["cat-file", kind, id];
  const { bytes, stderr } = await git.run(args);
  if (objectId(kind, bytes, id.length) === id) return { kind, content: bytes };
  throw failure(git.gitDir, args, "it answered with another content", stderr);
}

/** How many bytes it holds, told by its beginning. */
export function looseSize(folder: string, id: string): number | null {
  try {
    const fd = openSync(join(folder, id.slice(0, 2), id.slice(2)), "r");
    try {
      const start = Buffer.alloc(MOST_OF_HEAD);
      const length = readSync(fd, start, 0, start.length, 0);
      const options = { finishFlush: constants.Z_SYNC_FLUSH };
      const head = inflateSync(start.subarray(0, length), options).toString("latin1");
      const size = /^[a-z]+ (\d+)\0/.exec(head)?.[1];
      return size === undefined ? null : Number(size);
    } finally {
      closeSync(fd);
    }
  } catch {
    return null;
  }
}

const MOST_OF_HEAD = 256;

/** As `git pack-objects` would write it, none of them told as a difference to another. */
export function packOf(objects: readonly GitObject[], idLength: number): Buffer {
  const head = Buffer.from("PACK\0\0\0\x02\0\0\0\0", "latin1");
  head.writeUInt32BE(objects.length, 8);
  const pieces = objects.flatMap((object) => [packedHead(object), deflateSync(object.content)]);
  const body = Buffer.concat([head, ...pieces]);
  return Buffer.concat([body, objectHash(idLength).update(body).digest()]);
}

/** Its kind and size: four bits of it first, then seven at a time, the lowest first. */
function packedHead({ kind, content }: GitObject): Buffer {
  const bytes: number[] = [];
  let rest = Math.floor(content.length / 16);
  let byte = (KINDS[kind] << 4) | (content.length & 15);
  for (; rest > 0; rest = Math.floor(rest / 128)) {
    bytes.push(byte | 0x80);
    byte = rest & 0x7f;
  }
  return Buffer.from([...bytes, byte]);
}

/**
 * Puts an object into Stint's own repository. `idLength` tells the repository's object format. Unflushed, where its
 * loss costs nothing. @returns its id
 */
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
    ofFile(draft, () => {
      for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at);
      if (flush === "flushed") fsyncSync(fd);
    });
  } finally {
    closeSync(fd);
  }
  renameSync(draft, path);
  if (flush === "flushed") syncFolder(folder);
  return id;
}

interface StoredEntry {
  /** Without leading zeros, as git writes it there. */
  readonly mode: string;
  /** One character per byte. */
  readonly name: string;
  readonly oid: string;
}

export const FOLDER = "40000";

export function parseTree(content: Buffer, idLength: number): StoredEntry[] {
  const entries: StoredEntry[] = [];
  for (let at = 0; at < content.length;) {
    const space = content.indexOf(0x20, at);
    const nul = content.indexOf(0, space);
    const end = nul + 1 + idLength / 2;
    entries.push({
      mode: content.toString("latin1", at, space),
      name: content.toString("latin1", space + 1, nul),
      oid: content.toString("hex", nul + 1, end),
    });
    at = end;
  }
  return entries;
}

/** An entry that is there gets another content. Null where it is not there. */
export function withEntry(content: Buffer, entry: StoredEntry): Buffer | null {
  const entries = parseTree(content, entry.oid.length);
  const at = entries.findIndex(({ name }) => name === entry.name);
  if (at < 0 || entries[at]?.mode === FOLDER) return null;
  return Buffer.concat(entries.with(at, entry).map(storedBytes));
}

/** A tree with an entry set, whether it had one of that name or not. */
export function setEntry(content: Buffer, entry: StoredEntry): Buffer {
  const others = parseTree(content, entry.oid.length).filter(({ name }) => name !== entry.name);
  const inOrder = [...others, entry].toSorted((one, other) =>
    orderOf(one) < orderOf(other) ? -1 : 1,
  );
  return Buffer.concat(inOrder.map(storedBytes));
}

/** Git sorts a folder as if its name ended with a slash. */
function orderOf({ mode, name }: StoredEntry): string {
  return mode === FOLDER ? `${name}/` : name;
}

function storedBytes({ mode, name, oid }: StoredEntry): Buffer {
  return Buffer.concat([Buffer.from(`${mode} ${name}\0`, "latin1"), Buffer.from(oid, "hex")]);
}
