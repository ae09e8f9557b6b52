// Objects that lie as files of their own, read without starting git, and a pack of some of them. What is not
// there, not whole or too large is null: git is asked then.
import { closeSync, openSync, readFileSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import { objectHash } from "../../git/object-id.ts";
import { constants, deflateSync, inflateSync } from "node:zlib";

export type ObjectKind = "commit" | "tree" | "blob";

export interface GitObject {
  readonly kind: ObjectKind;
  readonly content: Buffer;
}

/** Larger ones are git's to handle. */
const LARGEST_BYTES = 8 * 1024 * 1024;

const KINDS: Readonly<Record<ObjectKind, number>> = { commit: 1, tree: 2, blob: 3 };

export function objectBytes({ kind, content }: GitObject): Buffer {
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
