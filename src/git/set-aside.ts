// A person's uncommitted changes, out of the way before a run starts, as they asked for: in a stash or
// in a commit of their own. Only tracked files that differ; untracked ones are the baseline.
// Repeated, it finds nothing left to do.
import { DURABLE, runGit } from "./run-git.ts";

export interface SetAside {
  readonly how: "stash" | "commit";
  /** Where the changes are: a commit, of the stash or of the branch. */
  readonly commit: string;
}

export async function setAside(
  root: string,
  how: "stash" | "commit",
  paths: readonly string[],
): Promise<SetAside> {
  const named = ["--pathspec-from-file=-", "--pathspec-file-nul"];
  const input = paths.map((path) => `:(top,literal)${path}\0`).join("");
  if (how === "stash") {
    const message = ["-m", "uncommitted changes, set aside by stint run"];
    await runGit(root, [...DURABLE, "stash", "push", "--quiet", ...message, ...named], {
      input,
      asPerson: true,
      hasHooks: true,
    });
    return { how, commit: await nameOf(root, "refs/stash") };
  }
  await runGit(
    root,
    [...DURABLE, "commit", "--quiet", "-m", "Uncommitted changes, before stint run", ...named],
    { input, asPerson: true, hasHooks: true },
  );
  return { how, commit: await nameOf(root, "HEAD") };
}

async function nameOf(root: string, ref: string): Promise<string> {
  const { stdout } = await runGit(root, ["rev-parse", "--verify", ref]);
  return stdout.trim();
}
