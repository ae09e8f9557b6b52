// Questions about trees, answered by Stint's own git.
import { join } from "node:path";
import type { Change } from "../../git/changed-paths.ts";
import {
  ABSENT,
  type EntryChange,
  isSameEntry,
  parseRawDiff,
  SUBMODULE,
  type TreeEntry,
} from "../../git/diff-trees.ts";
import type { Place } from "../base/place.ts";
import { isBelow, type RawPath, toRaw, toText } from "../base/raw-path.ts";
import { looseSize } from "./git-objects.ts";
import { entriesBelow, listEntries, ownEntriesOf, ownPathsOf } from "./own-index.ts";

/** Larger ones are nothing that a person reads, and would fill the memory. */
const LARGEST_BYTES = 1024 * 1024;
const MOST_NAMES = 500;

const KINDS: Readonly<Record<string, Change["change"]>> = { A: "added", D: "deleted", R: "moved" };

export async function readChanges(place: Place, before: string, after: string): Promise<Change[]> {
  if (before === after) return [];
  const args = ["diff-tree", "-r", "-z", "--raw", "-M", "-l1000", before, after];
  const { stdout, bytes } = await place.git.run(args);
  rememberDiff(place, before, after, parseRawDiff(bytes.toString("latin1")));
  const entries = parseRawDiff(stdout);
  const sizes = await sizesOf(place, entries);
  return entries.map(({ path, status, from, after: { mode, oid } }) => ({
    path,
    change: KINDS[status] ?? "modified",
    ...(from === undefined ? {} : { from }),
    mode,
    oid,
    bytes: sizes.get(oid) ?? 0,
  }));
}

async function sizesOf(
  place: Place,
  entries: readonly EntryChange[],
): Promise<ReadonlyMap<string, number>> {
  const blobs = entries
    .map(({ after }) => after)
    .filter(({ mode }) => mode !== ABSENT && mode !== SUBMODULE);
  if (blobs.length === 0) return new Map();
  const known = blobs.map(({ oid }) => [oid, looseSize(join(place.git.gitDir, "objects"), oid)]);
  if (known.every(([, size]) => size !== null)) return new Map(known as [string, number][]);
  const { stdout } = await place.git.run(
    ["cat-file", "--batch-check=%(objectname) %(objectsize)", "--buffer"],
    { input: blobs.map(({ oid }) => `${oid}\n`).join("") },
  );
  const lines = stdout.split("\n").filter((line) => line !== "");
  return new Map(lines.map((line) => [line.split(" ")[0] ?? "", Number(line.split(" ")[1])]));
}

export async function readEntries(
  place: Place,
  tree: string,
  paths: readonly string[],
): Promise<ReadonlyMap<string, TreeEntry>> {
  const found = new Map<string, TreeEntry>();
  const wanted = new Set(paths);
  for (const [path, entry] of await entriesAt(place, tree, [...wanted].map(toRaw))) {
    if (wanted.has(toText(path))) found.set(toText(path), entry);
  }
  return found;
}

/** At least what is at these paths. */
async function entriesAt(
  place: Place,
  tree: string,
  paths: readonly RawPath[],
): Promise<ReadonlyMap<RawPath, TreeEntry>> {
  const own = ownPathsOf(place);
  if (paths.every((path) => isBelow(path, own))) {
    return paths.length === 0 ? new Map() : await ownEntriesOf(place, tree);
  }
  const found = new Map<RawPath, TreeEntry>();
  for (let at = 0; at < paths.length; at += MOST_NAMES) {
    const names = paths.slice(at, at + MOST_NAMES);
    // oxlint-disable-next-line no-await-in-loop
    for (const [path, entry] of await entriesBelow(place, tree, names)) found.set(path, entry);
  }
  return found;
}

export async function findEntries(
  place: Place,
  tree: string,
  isWanted: (path: string) => boolean,
): Promise<ReadonlyMap<string, TreeEntry>> {
  const all = [...(await listEntries(place, tree))];
  return new Map(
    all.flatMap(([raw, entry]) => {
      const path = toText(raw);
      return isWanted(path) ? [[path, entry] as const] : [];
    }),
  );
}

/** Files only; what is too large or no text file is left out. */
export async function readTexts(
  place: Place,
  tree: string,
  paths: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const entries = [...(await readEntries(place, tree, paths))].filter(
    ([, { mode }]) => mode !== SUBMODULE,
  );
  const texts = new Map<string, string>();
  const sizes = await sizesOf(
    place,
    entries.map(([path, after]) => ({ path, status: "M", before: after, after })),
  );
  const wanted = entries.filter(([, { oid }]) => (sizes.get(oid) ?? Infinity) <= LARGEST_BYTES);
  if (wanted.length === 0) return texts;
  const { bytes } = await place.git.run(["cat-file", "--batch=%(objectsize)", "--buffer"], {
    input: wanted.map(([, { oid }]) => `${oid}\n`).join(""),
  });
  let at = 0;
  for (const [path] of wanted) {
    const end = bytes.indexOf(0x0a, at);
    const size = Number(bytes.toString("latin1", at, end));
    texts.set(path, bytes.toString("utf8", end + 1, end + 1 + size));
    at = end + 1 + size + 1;
  }
  return texts;
}

export async function readDiff(
  place: Place,
  before: string,
  after: string,
  paths: readonly string[],
): Promise<string> {
  if (before === after) return "";
  const plain = ["--no-ext-diff", "--no-textconv", "--no-color", "-M", "-l1000"];
  const { stdout } = await place.git.run([
    "--literal-pathspecs",
    "diff-tree",
    "-r",
    "-p",
    ...plain,
    before,
    after,
    "--",
    ...paths,
  ]);
  return stdout;
}

// Differences of two trees that git told of, raw. Trees never change, so that they are not asked for again;
// only the last few are remembered.

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
