// Objects into the person's repository: durable there when this ends, and read back. A git that cannot look into its
// own temporary folder on the way loses some of them, and says that all went well.
import { closeSync, existsSync, openSync, readFileSync, readSync } from "node:fs";
import { join } from "node:path";
import { objectId } from "../../git/object-id.ts";
import { failure } from "../../git/run-git.ts";
import { answersTo } from "../base/own-git.ts";
import type { PersonRepository } from "../base/person-repository.ts";
import { type GitObject, packOf } from "../tree/git-objects.ts";

/** As many as git itself leaves unpacked after a fetch. */
const MOST_UNPACKED = 100;

const UNPACK = ["unpack-objects", "-q"];
/** One file, with whatever is in it. */
const KEEP = ["index-pack", "--stdin"];

export async function storeObjectsIn(
  person: PersonRepository,
  objects: readonly GitObject[],
): Promise<void> {
  const isLarge = objects.length > MOST_UNPACKED;
  const idLength = person.idLength();
  await person.git.run(isLarge ? KEEP : UNPACK, { input: packOf(objects, idLength) });
  await assertThere(
    person,
    objects.map(({ kind, content }) => objectId(kind, content, idLength)),
  );
}

/** @param pack without its ending; its index is beside it */
export async function storePackIn(person: PersonRepository, pack: string): Promise<void> {
  const isLarge = objectsIn(`${pack}.pack`) > MOST_UNPACKED;
  await person.git.run(isLarge ? KEEP : UNPACK, { inputFile: `${pack}.pack` });
  await assertThere(person, idsIn(readFileSync(`${pack}.idx`), person.idLength()));
}

/** Each is mostly a file of its own; git is asked for the others. */
async function assertThere(person: PersonRepository, ids: readonly string[]): Promise<void> {
  const isLoose = (id: string): boolean =>
    person.objects.some((folder) => existsSync(join(folder, id.slice(0, 2), id.slice(2))));
  const others = ids.filter((id) => !isLoose(id));
  if (others.length === 0) return;
  const args = ["cat-file", "--batch-check=%(objectname)"];
  const input = others.map((id) => `${id}\n`).join("");
  const answers = await answersTo(person.git, others.length, args, { input });
  const lost = others.filter((id, index) => answers[index] !== id);
  if (lost.length === 0) return;
  const why = `it lost ${lost.length} of ${ids.length} objects without a word`;
  throw failure(person.checkout, UNPACK, why, "");
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

/** The form in which `storePackIn` reads an index. */
export const READABLE_INDEX = ["-c", "pack.indexVersion=2"];

const IDX_HEAD = 8;
const FANOUT = 256 * 4;

/** Of an index of version 2: its head, how many ids begin with at most which byte, then the ids. */
function idsIn(index: Buffer, idLength: number): string[] {
  const count = index.readUInt32BE(IDX_HEAD + FANOUT - 4);
  const size = idLength / 2;
  return Array.from({ length: count }, (_, at) => {
    const from = IDX_HEAD + FANOUT + at * size;
    return index.toString("hex", from, from + size);
  });
}
