// Files that were written since the index got to know them, as far as it can tell: also those that git would store as
// before. It is read without git, which asks for content and calls such files unchanged.
import { entriesIn, isAsKnown } from "../../git/index-file.ts";
import { readIfThere } from "../base/durable-file.ts";
import type { Place } from "../base/place.ts";
import { factsOf, onDisk, type RawPath } from "../base/raw-path.ts";
import type { Listing } from "./list-tree.ts";

/** Tracked files alone; all of them where the index cannot be read here. */
export function touchedFiles({ git, folder }: Place, { tracked }: Listing): RawPath[] {
  const files = [...tracked].filter(([, { mode }]) => mode.startsWith("100"));
  const [first] = files;
  if (first === undefined) return [];
  const index = readIfThere(git.index);
  const entries = index && entriesIn(index, first[1].oid.length);
  return files
    .map(([path]) => path)
    .filter((path) => {
      const facts = factsOf(onDisk(folder, path));
      if (facts?.isFile() !== true) return false;
      const entry = entries?.get(path);
      return !index || entry === undefined || !isAsKnown(index, entry.at, facts);
    });
}
