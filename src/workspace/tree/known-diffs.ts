// Differences of two trees that git told of, raw. Trees never change, so that they are not asked for again;
// only the last few are remembered.
import { ABSENT, type EntryChange, isSameEntry, type TreeEntry } from "../../git/diff-trees.ts";
import type { Place } from "../repository/place.ts";
import type { RawPath } from "../disk/raw-path.ts";

const MOST = 8;

export function rememberDiff(
  { diffs }: Pick<Place, "diffs">,
  before: string,
  after: string,
  changes: readonly EntryChange[],
): void {
  if (diffs.size >= MOST) diffs.delete([...diffs.keys()][0] ?? "");
  diffs.set(`${before} ${after}`, changes);
}

/** With moved files as one that went and one that came; null where it is not known. */
export function knownDiff(
  { diffs }: Pick<Place, "diffs">,
  before: string,
  after: string,
): EntryChange[] | null {
  const changes = diffs.get(`${before} ${after}`);
  return changes === undefined ? null : changes.flatMap(apart).toSorted(byPath);
}

function apart(change: EntryChange): EntryChange[] {
  const { path, from, before, after } = change;
  if (from === undefined) return [change];
  const none = { mode: ABSENT, oid: "0".repeat(after.oid.length) };
  return [
    { path: from, status: "D", before, after: none },
    { path, status: "A", before: none, after },
  ];
}

function byPath(one: EntryChange, other: EntryChange): number {
  return one.path < other.path ? -1 : 1;
}

/** The same difference with some entries set after it; `before` says what they were. */
export function diffWith(
  changes: readonly EntryChange[],
  entries: ReadonlyMap<RawPath, TreeEntry>,
  before: ReadonlyMap<RawPath, TreeEntry>,
): EntryChange[] {
  const others = changes.filter(({ path }) => !entries.has(path));
  const set = [...entries].flatMap(([path, after]): EntryChange[] => {
    const earlier = changes.find((change) => change.path === path)?.before ?? before.get(path);
    const was = earlier ?? { mode: ABSENT, oid: "0".repeat(after.oid.length) };
    const status = was.mode === ABSENT ? "A" : "M";
    return isSameEntry(was, after) ? [] : [{ path, status, before: was, after }];
  });
  return [...others, ...set];
}
