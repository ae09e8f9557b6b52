// Which files of the person's checkout a new workspace would not hold: no commit has them, and nothing
// brings them. What is brought is decided by the same code that copies it. Looks only; follows no link.
import { lstatSync } from "node:fs";
import { join } from "node:path";
import type { Bring } from "../../core/written/workspace-settings.ts";
import { isBuilt } from "../../core/files.ts";
import { StintError } from "../../core/stint-error.ts";
import { runGit } from "../../git/run-git.ts";
import { broughtAmong } from "../../workspace/bring/bring-files.ts";

/** Of these paths, those that are there and would be missed; none where git gives no answer. */
export async function unseenFiles(
  root: string,
  paths: readonly string[],
  { bring, includesChanges }: { readonly bring: Bring; readonly includesChanges: boolean },
): Promise<ReadonlySet<string>> {
  const there = paths.filter((path) => !isBuilt(path) && isOfThisRepository(root, path));
  try {
    const missing = includesChanges ? await ignored(root, there) : await notInTip(root, there);
    const brought = await broughtAmong(root, missing, bring);
    return new Set(missing.filter((path) => !brought.has(path)));
  } catch (error) {
    // It is advice: a repository of another user, which git refuses to read, is no reason to give none.
    if (error instanceof StintError) return new Set();
    throw error;
  }
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

async function ignored(root: string, paths: readonly string[]): Promise<readonly string[]> {
  const input = paths.map((path) => `${path}\0`).join("");
  const args = ["check-ignore", "-z", "--stdin"];
  const { stdout } = await runGit(root, args, { input, accept: [0, 1] });
  return stdout.split("\0").filter((path) => path !== "");
}

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}
