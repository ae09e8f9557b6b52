// Whether a commit is what was meant to be committed, whatever hooks did on its way.
import { runGit } from "./run-git.ts";

/** It changes these paths and exempt ones alone, and has these as they are in the work tree. */
export async function holdsJust(
  root: string,
  commit: string,
  paths: readonly string[],
  isExempt: (path: string) => boolean,
): Promise<boolean> {
  const listing = ["--root", "--no-commit-id", "--no-renames", "-r", "-z", "--name-only"];
  const { stdout } = await runGit(root, ["diff-tree", ...listing, commit]);
  const wanted = new Set(paths);
  const changed = stdout.split("\0").filter((path) => path !== "");
  if (changed.some((path) => !wanted.has(path) && !isExempt(path))) return false;
  if (paths.length === 0) return true;
  const literal = paths.map((path) => `:(literal)${path}`);
  const quiet = ["--quiet", "--no-ext-diff", "--no-textconv"];
  const { code } = await runGit(root, ["diff", ...quiet, commit, "--", ...literal], {
    accept: [0, 1],
  });
  return code === 0;
}
