// Acts on Stint's own index, each one git command.
import { join } from "node:path";
import { ABSENT, type TreeEntry } from "../../git/diff-trees.ts";
import { failure } from "../../git/run-git.ts";
import type { Place } from "../repository/place.ts";
import { factsOf } from "../disk/remove-tree.ts";
import { joinRecords, type RawPath, splitRecords, toRaw } from "../disk/raw-path.ts";

/** What the index and the checkout of a workspace leave alone. */
export function asidePaths({ options, record }: Place): RawPath[] {
  return [...options.ownPaths, ...record.aside, ...record.nested].map((path) =>
    toRaw(path.replace(/\/+$/, "")),
  );
}

const ALSO_IGNORED = /^The following paths are ignored by one of your \.gitignore files:/;

/** The files as they are become the index, but for these paths. @returns what git said, if it failed */
export async function addAll(place: Place, except: readonly RawPath[]): Promise<string | null> {
  const specs = [":(top)", ...except.map((path) => `:(top,exclude,literal)${path}`)];
  const args = ["add", "-A", "--pathspec-from-file=-", "--pathspec-file-nul"];
  place.indexTree = null;
  const output = await place.git.run(args, {
    input: joinRecords(specs),
    accept: [0, 1, 128],
    isStrict: false,
  });
  const said = output.stderr.split("\n").filter((line) => /^(?:warning|error|fatal): /.test(line));
  // Of what is named to be left out and ignored as well, git says so, and adds everything else.
  const isFine = output.code === 0 || (output.code === 1 && ALSO_IGNORED.test(output.stderr));
  return isFine && said.length === 0 ? null : output.stderr.trim() || "git add failed";
}

export async function writeTree(place: Place): Promise<string> {
  const tree = await place.git.id(["write-tree"]);
  place.indexTree = tree;
  return tree;
}

/** Entries that are as they were keep what is known of their files. */
export async function readTree(place: Place, tree: string): Promise<void> {
  if (place.indexTree === tree) return;
  place.indexTree = null;
  const args = ["read-tree", "--reset", tree];
  const before = looksOf(place);
  await place.git.run(args, { isStrict: true });
  // It always writes the whole file anew: one that is the same was not read into.
  if (looksOf(place) === before) {
    throw failure(place.git.gitDir, args, "it left the index as it was", "");
  }
  place.indexTree = tree;
}

function looksOf({ git }: Place): string {
  const facts = factsOf(join(git.gitDir, "index"));
  return facts === null ? "none" : `${facts.ino} ${facts.mtimeNs} ${facts.size}`;
}

export async function setEntries(
  place: Place,
  entries: ReadonlyMap<RawPath, TreeEntry>,
  index?: string,
): Promise<void> {
  if (entries.size === 0) return;
  if (index === undefined) place.indexTree = null;
  // Removals first: a folder may have become a file.
  const lines = [...entries]
    .toSorted(([, one], [, other]) => Number(other.mode === ABSENT) - Number(one.mode === ABSENT))
    .map(([path, { mode, oid }]) => `${mode === ABSENT ? "0" : mode} ${oid}\t${path}`);
  await place.git.run(["update-index", "-z", "--index-info"], {
    input: joinRecords(lines),
    ...(index === undefined ? {} : { env: { GIT_INDEX_FILE: index } }),
  });
}

/** The entries of a tree at or below these paths. */
export async function entriesBelow(
  place: Place,
  tree: string,
  paths: readonly RawPath[],
): Promise<Map<RawPath, TreeEntry>> {
  return paths.length === 0 ? new Map() : await listEntries(place, tree, paths);
}

/** The entries of a tree at or below these paths; all of them where none is named. */
export async function listEntries(
  place: Place,
  tree: string,
  paths: readonly RawPath[] = [],
): Promise<Map<RawPath, TreeEntry>> {
  const names = paths.map((path) => Buffer.from(path, "latin1").toString("utf8"));
  const { bytes } = await place.git.run([
    "--literal-pathspecs",
    "ls-tree",
    "-r",
    "-z",
    "--full-tree",
    tree,
    "--",
    ...names,
  ]);
  return new Map(
    splitRecords(bytes).map((record) => {
      const tab = record.indexOf("\t");
      const [mode = "", , oid = ""] = record.slice(0, tab).split(" ");
      return [record.slice(tab + 1), { mode, oid }];
    }),
  );
}

export async function changedNames(
  place: Place,
  before: string,
  after: string,
): Promise<RawPath[]> {
  if (before === after) return [];
  const args = ["diff-tree", "-r", "-z", "--name-only", "--no-renames", before, after];
  return splitRecords((await place.git.run(args)).bytes);
}
