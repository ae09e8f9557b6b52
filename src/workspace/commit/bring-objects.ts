// The objects of a commit or tree on their way from Stint's repository into the person's: packed into a file,
// unpacked there. They are durable there before this ends, and no ref names them yet.
import { closeSync, mkdirSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import type { PersonRepository } from "../repository/person-repository.ts";
import type { Place } from "../repository/place.ts";
import { removeTree } from "../disk/remove-tree.ts";

/** As many as git itself leaves unpacked after a fetch. */
const MOST_UNPACKED = 100;

/** What is packed is thrown away again. */
const UNFLUSHED = ["-c", "core.fsync=none"];

/** `known` is a commit that the person's repository holds with all that belongs to it; null for none. */
export async function bringObjects(
  place: Place,
  person: PersonRepository,
  object: string,
  known: string | null,
): Promise<void> {
  if (object === known) return;
  const folder = join(place.options.home, "outgoing");
  removeTree(folder);
  mkdirSync(folder, { mode: 0o700 });
  const input = known === null ? `${object}\n` : `${object}\n^${known}\n`;
  const args = [...UNFLUSHED, "pack-objects", "--revs", "-q", join(folder, "pack")];
  const pack = join(folder, `pack-${await place.git.id(args, { input })}.pack`);
  const isLarge = objectsIn(pack) > MOST_UNPACKED;
  const unpack = isLarge ? ["index-pack", "--stdin"] : ["unpack-objects", "-q"];
  await person.git.run(unpack, { inputFile: pack });
  removeTree(folder);
}

/** Its third word, after "PACK" and the version. */
function objectsIn(pack: string): number {
  const head = Buffer.alloc(12);
  const fd = openSync(pack, "r");
  try {
    readSync(fd, head, 0, head.length, 0);
  } finally {
    closeSync(fd);
  }
  return head.readUInt32BE(8);
}
