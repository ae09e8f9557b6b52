// Files that a session did not touch and a snapshot sees otherwise all the same, because the rules of
// what git ignores are others now. They are a person's: neither the session's work nor to be moved.
import { lstatSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { type Change, touchedPaths } from "./changed-paths.ts";
import { ABSENT } from "./diff-trees.ts";
import { findGitFolder } from "./git-folder.ts";
import { withPrivateFolder } from "./private-index.ts";
import { readBlobs } from "./read-blobs.ts";
import { runGit } from "./run-git.ts";

export interface IgnoreShifts {
  /** There before, ignored then, and not any more. */
  readonly appeared: readonly string[];
  /** Still there, and out of git's sight. */
  readonly vanished: readonly string[];
}

const RULES = ".gitignore";

/** `since` is a file that was written just before the session started, on the same file system. */
export async function ignoreShifts(
  root: string,
  changes: readonly Change[],
  { tree, since }: { readonly tree: string; readonly since: string },
): Promise<IgnoreShifts> {
  const present = new Set(changes.filter(({ mode }) => mode !== ABSENT).map(({ path }) => path));
  const touched = touchedPaths(changes);
  const vanished = touched.filter((path) => !present.has(path) && changedAt(root, path) !== null);
  if (!touched.some((path) => posix.basename(path) === RULES)) return { appeared: [], vanished };
  const begun = changedAt("", since) ?? Infinity;
  // Written, moved or linked during the session, a file has a younger time than the session.
  const older = changes
    .filter(({ change }) => change === "added" || change === "moved")
    .map(({ path }) => path)
    .filter((path) => (changedAt(root, path) ?? Infinity) < begun);
  return { appeared: await ignoredIn(root, tree, older), vanished };
}

/** Null where there is no file. */
function changedAt(root: string, path: string): number | null {
  const found = lstatSync(join(root, path), { throwIfNoEntry: false });
  return found === undefined || found.isDirectory() ? null : found.ctimeMs;
}

/** Those of these paths that the rules of a tree ignore. */
async function ignoredIn(root: string, tree: string, paths: readonly string[]): Promise<string[]> {
  const folder = findGitFolder(root);
  if (paths.length === 0 || folder === null) return [];
  const rules = await readBlobs(root, tree, [...new Set(paths.flatMap(rulesFor))]);
  return await withPrivateFolder(root, async (place) => {
    for (const [path, text] of rules) {
      mkdirSync(dirname(join(place, path)), { recursive: true });
      writeFileSync(join(place, path), text);
    }
    const where = ["-C", place, `--git-dir=${folder.own}`, `--work-tree=${place}`];
    const { stdout } = await runGit(
      root,
      [...where, "check-ignore", "--no-index", "-z", "--stdin"],
      { input: paths.map((path) => `${path}\0`).join(""), accept: [0, 1] },
    );
    return stdout.split("\0").filter((path) => path !== "");
  });
}

/** The files whose rules are about a path: in its folder and in all above. */
function rulesFor(path: string): string[] {
  const found: string[] = [];
  for (let folder = posix.dirname(path); ; folder = posix.dirname(folder)) {
    found.push(folder === "." ? RULES : `${folder}/${RULES}`);
    if (folder === ".") return found;
  }
}
