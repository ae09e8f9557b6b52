// What one side changed, made in the other: path by path, and a file that both changed by its lines where
// those do not touch. What cannot come together is left as it is in `ours` and named.
import type { TreeEntry } from "../../git/diff-trees.ts";
import { combine, treeWith } from "./combine.ts";
import { mergeTrees } from "./merge-trees.ts";
import type { Place } from "../repository/place.ts";
import { type RawPath, toRaw } from "../disk/raw-path.ts";
import { readEntries } from "./read-trees.ts";
import type { Combined } from "../workspace.ts";

export async function combineByContent(
  place: Place,
  base: string,
  ours: string,
  theirs: string,
): Promise<Combined> {
  const byPath = await combine(place, base, ours, theirs);
  if (byPath.conflicts.length === 0) return byPath;
  const merged = await mergeTrees(place, { base, ours, theirs });
  const unsettled = new Set(merged.conflicts);
  const meant = byPath.conflicts.filter((path) => !unsettled.has(path));
  const trees = [base, ours, theirs, merged.tree];
  const sides = await Promise.all(trees.map((tree) => readEntries(place, tree, meant)));
  const settled = new Map<RawPath, TreeEntry>();
  for (const path of meant) {
    const entries = sides.map((side) => side.get(path));
    // One that is new, gone, moved or a link on any side is not two changes of one text.
    const entry = entries.every(isText) ? entries.at(-1) : undefined;
    if (entry !== undefined) settled.set(toRaw(path), entry);
  }
  return {
    tree: await treeWith(place, byPath.tree, settled),
    conflicts: byPath.conflicts.filter((path) => !settled.has(toRaw(path))),
  };
}

function isText(entry: TreeEntry | undefined): boolean {
  return entry?.mode.startsWith("100") === true;
}
