// Whether git answers, and whether it can read a repository, tried for whoever looks. A git that hangs is ended soon.
import { findGitFolder } from "../../git/git-folder.ts";
import { runGit } from "../../git/run-git.ts";
import { NAMELESS } from "../../workspace/commit/write-commit.ts";

const GIT_MS = 5000;

/** What it says of itself; empty where it says nothing. @throws git-failed, state-unwritable */
export async function askGitVersion(root: string): Promise<string> {
  const { stdout } = await runGit(root, ["--version"], { timeoutMs: GIT_MS });
  return stdout;
}

/** Null where git knows in whose name it commits. @throws where git does not answer */
export async function tryIdentity(root: string): Promise<typeof NAMELESS | null> {
  const asked = ["var", "GIT_COMMITTER_IDENT"];
  const { code } = await runGit(root, asked, { timeoutMs: GIT_MS, accept: "any" });
  return code === 0 ? null : NAMELESS;
}

/** @returns the folder of the repository; null where there is none. @throws where git cannot read it */
export async function tryRepository(root: string): Promise<string | null> {
  const folder = findGitFolder(root);
  if (folder === null) return null;
  await runGit(root, ["rev-parse", "--git-dir"], { timeoutMs: GIT_MS });
  // Reads the index, and nothing of the files.
  await runGit(root, ["ls-files", "--cached", "--", ":(literal,top).git"], { timeoutMs: GIT_MS });
  return folder.common;
}
