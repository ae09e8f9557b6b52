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
import { failure } from "../../git/run-git.ts";
import { answersTo } from "../base/own-git.ts";
import type { Place } from "../base/place.ts";
import { isBelow, type RawPath, toRaw, toText } from "../base/raw-path.ts";
import { looseSize } from "./git-objects.ts";
import { listEntries, ownEntriesOf, ownPathsOf } from "./own-index.ts";

/** Larger ones are nothing that a person reads, and would fill the memory. */
const LARGEST_BYTES = 1024 * 1024;

const KINDS: Readonly<Record<string, Change["change"]>> = { A: "added", D: "deleted", R: "moved" };

export async function readChanges(place: Place, before: string, after: string): Promise<Change[]> {
  return await asChanges(place, await diffOf(place, before, after));
}

/** Also of the first commit that there is. */
export async function readCommit(place: Place, commit: string): Promise<Change[]> {
  const args = ["diff-tree", "--root", "--no-commit-id", ...RAW, commit];
  const { bytes } = await place.git.run(args);
  return await asChanges(place, parseRawDiff(bytes.toString("latin1")));
}

async function asChanges(place: Place, entries: readonly EntryChange[]): Promise<Change[]> {
  const sizes = await sizesOf(
    place,
    entries.map((entry) => entry.after),
  );
  return entries.map(({ path, status, from, before, after: { mode, oid } }) => ({
    path: toText(path),
    change: KINDS[status] ?? "modified",
    ...(from === undefined ? {} : { from: toText(from) }),
    ...(isSwitched(before.mode, mode) && { switched: true as const }),
    mode,
    oid,
    bytes: sizes.get(oid) ?? 0,
  }));
}

function isSwitched(before: string, after: string): boolean {
  return before !== after && [before, after].every((mode) => /^100(?:644|755)$/.test(mode));
}

/** The same with raw paths, and moved files as one that went and one that came. */
export async function rawChanges(
  place: Place,
  before: string,
  after: string,
): Promise<EntryChange[]> {
  const changes = (await diffOf(place, before, after)).flatMap(apart);
  return changes.toSorted((one, other) => (one.path < other.path ? -1 : 1));
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

const RAW = ["-r", "-z", "--raw", "-M", "-l1000"];

/** As git tells it. Trees never change, so that the last few answers are remembered. */
async function diffOf(
  place: Place,
  before: string,
  after: string,
): Promise<readonly EntryChange[]> {
  if (before === after) return [];
  const known = place.diffs.get(`${before} ${after}`);
  if (known !== undefined) return known;
  const args = ["diff-tree", ...RAW, before, after];
  const { bytes, stderr } = await place.git.run(args);
  const changes = parseRawDiff(bytes.toString("latin1"));
  if (changes.length === 0 && !(await haveSameEntries(place, before, after))) {
    throw failure(place.git.gitDir, args, "it found no difference between two trees", stderr);
  }
  rememberDiff(place, before, after, changes);
  return changes;
}

/** Two trees may hold the same and have other ids: some programs write them differently than git. */
async function haveSameEntries(place: Place, one: string, other: string): Promise<boolean> {
  const [first, second] = [
    await listEntries(place, one, "all"),
    await listEntries(place, other, "all"),
  ];
  return (
    first.size === second.size &&
    [...first].every(([path, entry]) => {
      const there = second.get(path);
      return there !== undefined && isSameEntry(entry, there);
    })
  );
}

const MOST_DIFFS = 8;

export function rememberDiff(
  { diffs }: Place,
  before: string,
  after: string,
  changes: readonly EntryChange[],
): void {
  if (diffs.size >= MOST_DIFFS) diffs.delete([...diffs.keys()][0] ?? "");
  diffs.set(`${before} ${after}`, changes);
}

async function sizesOf(
  place: Place,
  entries: readonly TreeEntry[],
): Promise<ReadonlyMap<string, number>> {
  const blobs = entries.filter(({ mode }) => mode !== ABSENT && mode !== SUBMODULE);
  if (blobs.length === 0) return new Map();
  const known = blobs.map(({ oid }) => [oid, looseSize(join(place.git.gitDir, "objects"), oid)]);
  if (known.every(([, size]) => size !== null)) return new Map(known as [string, number][]);
  const lines = await answersTo(
    place.git,
    blobs.length,
    ["cat-file", "--batch-check=%(objectname) %(objectsize)", "--buffer"],
    { input: blobs.map(({ oid }) => `${oid}\n`).join("") },
  );
  return new Map(lines.map((line) => [line.split(" ")[0] ?? "", Number(line.split(" ")[1])]));
}

export async function readEntries(
  place: Place,
  tree: string,
  paths: readonly string[],
): Promise<ReadonlyMap<string, TreeEntry>> {
  const wanted = new Set(paths);
  const raw = [...wanted].map(toRaw);
  const isOwn = raw.every((path) => isBelow(path, ownPathsOf(place)));
  const found = isOwn ? await ownEntriesOf(place, tree) : await listEntries(place, tree, raw);
  return inText(found, (path) => wanted.has(path));
}

export async function findEntries(
  place: Place,
  tree: string,
  isWanted: (path: string) => boolean,
): Promise<ReadonlyMap<string, TreeEntry>> {
  return inText(await listEntries(place, tree, "all"), isWanted);
}

function inText(
  entries: ReadonlyMap<RawPath, TreeEntry>,
  isWanted: (path: string) => boolean,
): Map<string, TreeEntry> {
  const named = [...entries].map(([raw, entry]) => [toText(raw), entry] as const);
  return new Map(named.filter(([path]) => isWanted(path)));
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
    entries.map(([, entry]) => entry),
  );
  const wanted = entries.filter(([, { oid }]) => (sizes.get(oid) ?? Infinity) <= LARGEST_BYTES);
  if (wanted.length === 0) return texts;
  const args = ["cat-file", "--batch=%(objectsize)", "--buffer"];
  const { bytes, stderr } = await place.git.run(args, {
    input: wanted.map(([, { oid }]) => `${oid}\n`).join(""),
  });
  let at = 0;
  for (const [path] of wanted) {
    const end = bytes.indexOf(0x0a, at);
    const size = bytes.toString("latin1", at, Math.max(at, end));
    if (!/^\d+$/.test(size)) {
      throw failure(place.git.gitDir, args, `it did not give the text of ${path}`, stderr);
    }
    texts.set(path, bytes.toString("utf8", end + 1, end + 1 + Number(size)));
    at = end + 1 + Number(size) + 1;
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
