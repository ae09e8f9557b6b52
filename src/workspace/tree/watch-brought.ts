// What a session changed of the files that were brought into its workspace. No commit shows it, as git
// ignores most of them. How they look is noted right before a session and compared right after it, so that
// what setup and checks change is not taken for the session's. Sizes, modes and times are looked at, not
// contents: thousands of files take a moment, and a time of change cannot be set back.
//
// The note is durable before the session starts and says whose it is: a run that finds a session cut short
// by a kill can still tell what that one changed, and never tells it from the note of another.
import { createHash } from "node:crypto";
import { readdirSync, type Stats } from "node:fs";
import { dirname, join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { type BroughtNote, broughtNote, broughtPaths } from "../../core/schema/workspace-record.ts";
import { fileCount } from "../../core/words/amounts.ts";
import { readIfThere, readKept, removeDurably, writeDurably } from "../base/durable-file.ts";
import { factsIfPossible } from "../base/raw-path.ts";
import { broughtByDefault, dependencyFolder } from "./default-bring.ts";

type LooksOfFolder = BroughtNote["dependencies"][string];

/** Written by merely using what was installed. */
const WRITTEN_BY_USE = new Set(["__pycache__", ".cache", ".vite", ".vite-temp", ".vitest"]);
/** Of a folder of data with thousands of files. */
const MOST_NAMED = 100;
/** Between two turns of the event loop, so that a lease is renewed and Ctrl-C is heard meanwhile. */
const ENTRIES_A_TURN = 500;

/** What a new workspace got, as relative paths; a folder stands for all that is in it. */
export function keepBroughtPaths(home: string, paths: readonly string[]): void {
  for (const file of [noteFile(home), pathsFile(home)]) {
    if (readIfThere(file) !== null) removeDurably(file);
  }
  if (paths.length > 0) writeDurably(pathsFile(home), JSON.stringify(paths));
}

/** Before a session, once nothing else runs any more. */
export async function noteBrought(home: string, tree: string, session: number): Promise<void> {
  const paths = readKept(pathsFile(home), broughtPaths);
  if (paths === null) return;
  const note: BroughtNote = { session, ...(await lookAt(tree, paths)) };
  writeDurably(noteFile(home), JSON.stringify(note));
}

/** The files that are others than before this session, or gone; a dependency folder as one line. */
export async function changedBrought(
  home: string,
  tree: string,
  session: number,
): Promise<readonly string[]> {
  const before = readKept(noteFile(home), broughtNote);
  if (before?.session !== session) return [];
  const changed = Object.entries(before.files)
    .filter(([path, looks]) => looksOf(tree, path) !== looks)
    .map(([path]) => path);
  for (const [path, { files, digest }] of Object.entries(before.dependencies)) {
    // oxlint-disable-next-line no-await-in-loop
    const now = await looksOfFolder(tree, path);
    if (now.digest !== digest) {
      changed.push(`${path}/ (${fileCount(files)} before, ${fileCount(now.files)} now)`);
    }
  }
  const more = changed.length - MOST_NAMED;
  const named = changed.toSorted().slice(0, MOST_NAMED);
  return more > 0 ? [...named, `and ${more} more`] : named;
}

async function lookAt(
  tree: string,
  paths: readonly string[],
): Promise<Omit<BroughtNote, "session">> {
  const files: Record<string, string> = {};
  const folders = new Set<string>();
  const isThere = (path: string): boolean => factsIfPossible(join(tree, path)) !== undefined;
  const open = [...paths];
  for (let path = open.pop(), count = 1; path !== undefined; path = open.pop(), count += 1) {
    // oxlint-disable-next-line no-await-in-loop
    if (count % ENTRIES_A_TURN === 0) await nextTurn();
    const isFolder = isRealFolder(tree, path);
    const named = dependencyFolder(path);
    // A link that is named like a dependency folder is one small thing.
    if (named !== null && (named !== path || isFolder)) folders.add(named);
    else if (!isFolder) files[path] = looksOf(tree, path);
    else if (broughtByDefault({ path, isFolder }, isThere) === "dependencies") folders.add(path);
    else for (const name of namesIn(join(tree, path))) open.push(`${path}/${name}`);
  }
  const dependencies: Record<string, LooksOfFolder> = {};
  // oxlint-disable-next-line no-await-in-loop
  for (const path of folders) dependencies[path] = await looksOfFolder(tree, path);
  return { files, dependencies };
}

async function looksOfFolder(tree: string, path: string): Promise<LooksOfFolder> {
  const hash = createHash("sha256");
  let files = 0;
  let count = 0;
  const walk = async (folder: string): Promise<void> => {
    for (const name of namesIn(join(tree, folder))) {
      if (WRITTEN_BY_USE.has(name)) continue;
      count += 1;
      // oxlint-disable-next-line no-await-in-loop
      if (count % ENTRIES_A_TURN === 0) await nextTurn();
      const at = `${folder}/${name}`;
      const facts = factsIfPossible(join(tree, at));
      if (facts === undefined) continue;
      // oxlint-disable-next-line no-await-in-loop
      if (facts.isDirectory()) await walk(at);
      else {
        files += 1;
        hash.update(`${at}\0${lookedLike(facts)}\n`);
      }
    }
  };
  if (isRealFolder(tree, path)) await walk(path);
  return { files, digest: hash.digest("hex") };
}

function looksOf(tree: string, path: string): string {
  const facts = isBelowRealFolders(tree, path) ? factsIfPossible(join(tree, path)) : undefined;
  return facts === undefined ? "gone" : lookedLike(facts);
}

function lookedLike({ mode, size, mtimeMs, ctimeMs, ino }: Stats): string {
  return [mode, size, mtimeMs, ctimeMs, ino].join(" ");
}

function isRealFolder(tree: string, path: string): boolean {
  return (
    factsIfPossible(join(tree, path))?.isDirectory() === true && isBelowRealFolders(tree, path)
  );
}

/** A folder above it that became a link leads to other files. */
function isBelowRealFolders(tree: string, path: string): boolean {
  for (let at = dirname(path); at !== "."; at = dirname(at)) {
    if (factsIfPossible(join(tree, at))?.isDirectory() !== true) return false;
  }
  return true;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).toSorted();
  } catch {
    // A session may have taken its own permissions away: what cannot be read counts as gone.
    return [];
  }
}

function pathsFile(home: string): string {
  return join(home, "brought.json");
}

function noteFile(home: string): string {
  return join(home, "brought-before.json");
}
