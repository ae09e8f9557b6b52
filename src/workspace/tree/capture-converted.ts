// The rest of a capture where git may store other bytes than the files have. Files that nobody touched keep
// their entries, the others become what a checkout of the tree gives.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { ABSENT, type EntryChange, SUBMODULE, type TreeEntry } from "../../git/diff-trees.ts";
import { rawChanges } from "./combine.ts";
import { namesAttributes } from "./conversions.ts";
import { listTree } from "./list-tree.ts";
import { compareFiles } from "./materialise.ts";
import { addAll, changedNames, setEntries, writeTree } from "./own-index.ts";
import type { Place } from "../repository/place.ts";
import { isBelow, type RawPath, toText } from "../disk/raw-path.ts";
import type { Captured, Uncommittable } from "../workspace.ts";

export async function captureConverted(
  place: Place,
  before: string | null,
  stored: string,
  except: readonly RawPath[],
): Promise<Captured> {
  const changes = before === null ? null : await rawChanges(place, before, stored);
  const untouched = before === null ? [] : await untouchedFiles(place, before, changes ?? []);
  await setEntries(place, new Map(untouched.map(({ path, before: entry }) => [path, entry])));
  const tree = untouched.length === 0 ? stored : await writeTree(place);
  const paths = await pathsToCompare(place, changes, untouched, except);
  if (paths.length === 0) return { kind: "captured", tree };
  const index = join(place.git.gitDir, "index");
  const { other } = await compareFiles(place, paths, index, "replace");
  if (other.length === 0) return { kind: "captured", tree };
  await addAll(place, [...except, ...untouched.map(({ path }) => path)]);
  const again = await writeTree(place);
  if (again === tree) return { kind: "captured", tree };
  const unstable = await changedNames(place, tree, again);
  return { kind: "uncommittable", problems: unstable.map(unstableFilter) };
}

/** All of them where attributes changed: other attributes mean other bytes. */
async function pathsToCompare(
  place: Place,
  changes: readonly EntryChange[] | null,
  untouched: readonly EntryChange[],
  except: readonly RawPath[],
): Promise<RawPath[]> {
  const skipped = new Set(untouched.map(({ path }) => path));
  const isWanted = (path: RawPath, { mode }: TreeEntry): boolean =>
    mode !== ABSENT && mode !== SUBMODULE && !skipped.has(path) && !isBelow(path, except);
  if (changes !== null && !namesAttributes(changes.map(({ path }) => path))) {
    return changes.filter(({ path, after }) => isWanted(path, after)).map(({ path }) => path);
  }
  const { tracked } = await listTree(place.git, [], "plain");
  return [...tracked].filter(([path, entry]) => isWanted(path, entry)).map(([path]) => path);
}

/**
 * A blob that a filter would store differently looks changed to git as soon as it looks at the file. Where
 * the file is what the old blob gives, nobody changed it.
 */
async function untouchedFiles(
  place: Place,
  before: string,
  changes: readonly EntryChange[],
): Promise<EntryChange[]> {
  const candidates = changes.filter(
    (change) => isFile(change.before) && change.before.mode === change.after.mode,
  );
  if (candidates.length === 0) return [];
  const index = join(place.git.gitDir, "index-before");
  try {
    const env = { GIT_INDEX_FILE: index };
    await place.git.run(["read-tree", before], { env, isStrict: true });
    const paths = candidates.map(({ path }) => path);
    const same = new Set((await compareFiles(place, paths, index, "look")).same);
    return candidates.filter(({ path }) => same.has(path));
  } finally {
    rmSync(index, { force: true });
  }
}

function isFile({ mode }: TreeEntry): boolean {
  return mode === "100644" || mode === "100755";
}

function unstableFilter(path: RawPath): Uncommittable {
  return {
    path: toText(path),
    why: "has a filter that is not stable: what git stores changes each time it is stored",
    hint: "remove the filter of this path from .gitattributes, or correct its clean and smudge commands",
  };
}
