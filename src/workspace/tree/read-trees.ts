// Questions about trees, answered by Stint's own git.
import {
  ABSENT,
  type EntryChange,
  parseRawDiff,
  SUBMODULE,
  type TreeEntry,
} from "../../git/diff-trees.ts";
import type { Change } from "../../git/changed-paths.ts";
import { ownEntriesOf, ownPathsOf } from "./own-entries.ts";
import { entriesBelow, listEntries } from "./own-index.ts";
import type { Place } from "../repository/place.ts";
import { isBelow, type RawPath, toRaw, toText } from "../disk/raw-path.ts";

/** Larger ones are nothing that a person reads, and would fill the memory. */
const LARGEST_BYTES = 1024 * 1024;
const MOST_NAMES = 500;

const KINDS: Readonly<Record<string, Change["change"]>> = { A: "added", D: "deleted", R: "moved" };

export async function readChanges(place: Place, before: string, after: string): Promise<Change[]> {
  if (before === after) return [];
  const args = ["diff-tree", "-r", "-z", "--raw", "-M", "-l1000", before, after];
  const entries = parseRawDiff((await place.git.run(args)).stdout);
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
