// Which files of the person's checkout a new workspace would not hold: no commit has them, and nothing
// brings them. Looks only; follows no link.
import { lstatSync } from "node:fs";
import { join } from "node:path";
import { type Bring, isNamedBy } from "../core/bring.ts";
import { isBroughtByDefault, isBuilt } from "../core/left-behind.ts";
import { StintError } from "../core/stint-error.ts";
import { runGit } from "../git/run-git.ts";

/** Files that say, in git's own syntax, which ignored files a copy of the work tree gets. */
const INCLUDE_FILE = ".worktreeinclude";

/** Of these paths, those that are there and would be missed; none where git gives no answer. */
export async function unseenFiles(
  root: string,
  paths: readonly string[],
  bring: Bring,
): Promise<ReadonlySet<string>> {
  if (bring === "all") return new Set();
  const there = paths.filter(
    (path) => !isBrought(path, bring) && !isBuilt(path) && isOfThisRepository(root, path),
  );
  try {
    const missing = await notInTip(root, there);
    return bring === "default" ? await withoutIncluded(root, missing) : new Set(missing);
  } catch (error) {
    // It is advice: a repository of another user, which git refuses to read, is no reason to give none.
    if (error instanceof StintError) return new Set();
    throw error;
  }
}

function isBrought(path: string, bring: Exclude<Bring, "all">): boolean {
  if (bring === "none") return false;
  return bring === "default" ? isBroughtByDefault(path) : isNamedBy(bring, path);
}

/** There, and not inside a submodule or another repository: those have their own commits. */
function isOfThisRepository(root: string, path: string): boolean {
  if (!isThere(join(root, path))) return false;
  const parts = path.split("/");
  return parts.every((_, at) => !isThere(join(root, ...parts.slice(0, at + 1), ".git")));
}

async function notInTip(root: string, paths: readonly string[]): Promise<readonly string[]> {
  if (paths.length === 0) return paths;
  const input = paths.map((path) => `HEAD:${path}\n`).join("");
  const { stdout } = await runGit(root, ["cat-file", "--batch-check=%(objecttype)"], { input });
  const answers = stdout.split("\n");
  return paths.filter((_, at) => answers[at]?.endsWith(" missing") === true);
}

async function withoutIncluded(root: string, paths: readonly string[]): Promise<Set<string>> {
  const left = new Set(paths);
  if (paths.length === 0 || !isThere(join(root, INCLUDE_FILE))) return left;
  const words = ["ls-files", "--others", "--ignored", `--exclude-from=${INCLUDE_FILE}`, "-z"];
  const { stdout } = await runGit(root, ["--literal-pathspecs", ...words, "--", ...paths]);
  for (const included of stdout.split("\0")) {
    for (const path of paths) {
      if (included === path || included.startsWith(`${path}/`)) left.delete(path);
    }
  }
  return left;
}

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}
