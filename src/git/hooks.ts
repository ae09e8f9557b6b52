// Whether a commit may run programs of the person.
import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import type { GitFolder } from "./git-folder.ts";
import { runGit } from "./run-git.ts";

const COMMIT_HOOKS = new Set(["pre-commit", "prepare-commit-msg", "commit-msg", "post-commit"]);

/** Hooks lie in a folder, and since git 2.54 also in the configuration. */
export async function mayHaveHooks(root: string, folder: GitFolder): Promise<boolean> {
  const pattern = String.raw`^(core\.hookspath|hook\..*)$`;
  const { stdout } = await runGit(root, ["config", "-z", "--type=path", "--get-regexp", pattern], {
    accept: [0, 1],
  });
  const settings = stdout.split("\0").filter((setting) => setting !== "");
  if (settings.some((setting) => setting.startsWith("hook."))) return true;
  const configured = settings.at(-1)?.split("\n").slice(1).join("\n");
  const hooks = configured === undefined ? join(folder.common, "hooks") : resolve(root, configured);
  try {
    return readdirSync(hooks).some((name) => COMMIT_HOOKS.has(name));
  } catch {
    return false;
  }
}
