// Acts on Stint's own index, each one git command.
import { renameSync, writeFileSync } from "node:fs";
import { ABSENT, emptyTreeLike, type TreeEntry } from "../../git/diff-trees.ts";
import { withContent } from "../../git/index-file.ts";
import { objectId } from "../../git/object-id.ts";
import { failure } from "../../git/run-git.ts";
import { ofFile } from "../../core/words/system-error.ts";
import { readIfThere } from "../base/durable-file.ts";
import { answersTo, type Git, runWriting, warningsOf } from "../base/own-git.ts";
import type { Place } from "../base/place.ts";
import {
  joinRecords,
  looksOf,
  type RawPath,
  splitRecords,
  toRaw,
  toText,
} from "../base/raw-path.ts";
import { type GitObject, writeObject } from "./git-objects.ts";
import type { OwnFile } from "../workspace.ts";

/** What the index and the checkout of a workspace leave alone. */
export function asidePaths({ options, record }: Place): RawPath[] {
  return [...options.ownPaths, ...record.aside, ...record.nested].map(bare);
}

const ALSO_IGNORED = /^The following paths are ignored by one of your \.gitignore files:/;

/**
 * What is added is written out, and flushed by the tree that is written next: a blob that is new is in a tree that
 * is new. Nobody names a blob before its tree is written.
 */
const FLUSHED_WITH_TREE = ["-c", "core.fsyncMethod=writeout-only"];

interface Added {
  /** What git said, if it failed. */
  readonly said: string | null;
  /** Whether it wrote the index, as it does where there is anything to add. */
  readonly isWritten: boolean;
}

/** The files as they are become the index, but for these paths. */
export async function addAll(place: Place, except: readonly RawPath[]): Promise<Added> {
  const specs = [":(top)", ...except.map((path) => `:(top,exclude,literal)${path}`)];
  const args = [...FLUSHED_WITH_TREE, "add", "-A", "--pathspec-from-file=-", "--pathspec-file-nul"];
  place.indexTree = null;
  const before = looksOf(place.git.index);
  const output = await place.git.run(args, {
    input: joinRecords(specs),
    accept: [0, 1, 128],
  });
  const said = warningsOf(output.stderr);
  // Of what is named to be left out and ignored as well, git says so, and adds everything else.
  const isFine = output.code === 0 || (output.code === 1 && ALSO_IGNORED.test(output.stderr));
  return {
    said: isFine && said.length === 0 ? null : output.stderr.trim() || "git add failed",
    isWritten: looksOf(place.git.index) !== before,
  };
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
  await runWriting(place.git, place.git.index, args, { isStrict: true });
  place.indexTree = tree;
}

/** Into an index that is a file of its own. */
export async function readTreeInto(git: Git, index: string, tree: string): Promise<void> {
  const env = { GIT_INDEX_FILE: index };
  await runWriting(git, index, ["read-tree", tree], { env, isStrict: true });
}

/** In our own index. */
export async function setEntries(
  place: Place,
  entries: ReadonlyMap<RawPath, TreeEntry>,
): Promise<void> {
  if (entries.size > 0) place.indexTree = null;
  await setIn(place.git, place.git.index, entries);
}

/** In the index that is this file. */
export async function setIn(
  git: Git,
  index: string,
  entries: ReadonlyMap<RawPath, TreeEntry>,
): Promise<void> {
  if (entries.size === 0) return;
  // Removals first: a folder may have become a file.
  const lines = [...entries]
    .toSorted(([, one], [, other]) => Number(other.mode === ABSENT) - Number(one.mode === ABSENT))
    .map(([path, { mode, oid }]) => `${mode === ABSENT ? "0" : mode} ${oid}\t${path}`);
  const env = { GIT_INDEX_FILE: index };
  const args = ["update-index", "-z", "--index-info"];
  await runWriting(git, index, args, { input: joinRecords(lines), env });
}

/** Our index with these entries in place of those that it has there, written without git. False: it is as it was. */
export function isIndexWith(place: Place, entries: ReadonlyMap<RawPath, TreeEntry>): boolean {
  const path = place.git.index;
  let index = readIfThere(path);
  for (const [name, entry] of entries) index = index && withContent(index, name, entry);
  if (index === null) return false;
  const lock = `${path}.lock`;
  const bytes = index;
  ofFile(lock, () => writeFileSync(lock, bytes, { flag: "wx", mode: 0o600 }));
  renameSync(lock, path);
  return true;
}

/** How many paths git is asked about at once. */
const MOST_NAMES = 500;

/** The entries of a tree at or below these paths. */
export async function listEntries(
  place: Place,
  tree: string,
  paths: readonly RawPath[] | "all",
): Promise<ReadonlyMap<RawPath, TreeEntry>> {
  const found = new Map<RawPath, TreeEntry>();
  const names = paths === "all" ? ["."] : paths.map(toText);
  for (let at = 0; at < names.length; at += MOST_NAMES) {
    const some = paths === "all" ? [] : names.slice(at, at + MOST_NAMES);
    const args = ["--literal-pathspecs", "ls-tree", "-r", "-z", "--full-tree", tree, "--", ...some];
    // oxlint-disable-next-line no-await-in-loop
    const { bytes } = await place.git.run(args);
    const records = splitRecords(bytes);
    // oxlint-disable-next-line no-await-in-loop
    if (records.length === 0) await assertNoneOf(place, tree, some, args);
    for (const record of records) {
      const tab = record.indexOf("\t");
      const [mode = "", , oid = ""] = record.slice(0, tab).split(" ");
      found.set(record.slice(tab + 1), { mode, oid });
    }
  }
  return found;
}

/** Git has said nothing of these paths of a tree, or of all: it is asked in a way that has an answer. */
async function assertNoneOf(
  { git }: Place,
  tree: string,
  paths: readonly string[],
  asked: readonly string[],
): Promise<void> {
  if (tree === emptyTreeLike(tree)) return;
  const names = paths.filter((path) => !path.includes("\n"));
  const answers = await answersTo(git, names.length, ["cat-file", "--batch-check"], {
    input: names.map((path) => `${tree}:${path}\n`).join(""),
  });
  const isNothing = (line: string): boolean =>
    line.endsWith(" missing") || line.startsWith(`${emptyTreeLike(tree)} `);
  if (paths.length > 0 && answers.every(isNothing)) return;
  throw failure(git.gitDir, asked, "it said nothing of what is there", "");
}

/** Where Stint's own files lie in a tree. */
export function ownPathsOf({ options }: Place): RawPath[] {
  return options.ownPaths.map(bare);
}

/** The same with the manifest: Stint writes them itself, and anew with every commit. */
export function stintsPaths({ options }: Place): RawPath[] {
  return [...options.ownPaths, options.manifest ?? ""].filter((path) => path !== "").map(bare);
}

function bare(path: string): RawPath {
  return toRaw(path.replace(/\/+$/, ""));
}

/** At and below Stint's own paths; asked once for each tree. */
export async function ownEntriesOf(
  place: Place,
  tree: string,
): Promise<ReadonlyMap<RawPath, TreeEntry>> {
  if (place.ownEntries?.tree !== tree) {
    place.ownEntries = { tree, entries: await listEntries(place, tree, ownPathsOf(place)) };
  }
  return place.ownEntries.entries;
}

/** Stint writes in it, and so do people: the manifest, a log. */
export function isSharedText({ options }: Place, path: string): boolean {
  return path === options.manifest || options.logs?.includes(path) === true;
}

export interface OwnEntries {
  readonly entries: ReadonlyMap<RawPath, TreeEntry>;
  /** What they hold, as far as it is in no repository yet. */
  readonly objects: readonly GitObject[];
}

/** The entries that these files have in a commit; what they hold is in no repository yet, unless git put it there. */
export async function ownFilesAsEntries(
  place: Place,
  files: readonly OwnFile[],
  tree: string,
): Promise<OwnEntries> {
  const stored = new Map<RawPath, TreeEntry>();
  const objects: GitObject[] = [];
  if (files.length === 0) return { entries: stored, objects };
  const before = await ownEntriesOf(place, place.tip?.tree ?? tree);
  for (const { path, content } of files) {
    const raw = toRaw(path);
    const mode = before.get(raw)?.mode ?? "100644";
    if (content === null) stored.set(raw, { mode: ABSENT, oid: tree });
    else if (isSharedText(place, path) && place.mayConvert) {
      // A person edits it, so it is stored as their git would; the rest is stored as it is.
      const args = ["hash-object", "-w", "--stdin", `--path=${path}`];
      // oxlint-disable-next-line no-await-in-loop
      stored.set(raw, { mode, oid: await place.git.id(args, { input: content }) });
    } else {
      const blob = { kind: "blob", content: Buffer.from(content) } as const;
      objects.push(blob);
      stored.set(raw, { mode, oid: objectId(blob.kind, blob.content, tree.length) });
    }
  }
  return { entries: stored, objects };
}

/** Puts the files into Stint's objects. @returns their entries */
export async function storeOwnFiles(
  place: Place,
  files: readonly OwnFile[],
  tree: string,
): Promise<ReadonlyMap<RawPath, TreeEntry>> {
  const own = await ownFilesAsEntries(place, files, tree);
  storeObjects(place, own.objects, tree.length);
  return own.entries;
}

export function storeObjects(
  { git }: Place,
  objects: readonly GitObject[],
  idLength: number,
): void {
  for (const object of objects) writeObject(git.gitDir, object, idLength);
}
