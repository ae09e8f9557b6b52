// What decides whether a branch is a shared one: its upstream, and the default branches of the remotes.
import type { TargetFacts } from "../core/written/delivery-choice.ts";
import { runGit } from "./run-git.ts";

const FORMAT = "%(refname)%00%(symref)%00%(upstream)%00%(upstream:remotename)";

/** `branch` without refs/heads/. */
export async function targetFacts(root: string, branch: string): Promise<TargetFacts> {
  const own = `refs/heads/${branch}`;
  const args = ["for-each-ref", `--format=${FORMAT}`, own, "refs/remotes/**/HEAD"];
  const { stdout } = await runGit(root, args);
  const remoteDefaults = new Map<string, string>();
  let upstreamRemote: string | null = null;
  for (const line of stdout.split("\n")) {
    const [name = "", symref = "", upstream = "", remote = ""] = line.split("\0");
    // The remote "." means a branch of this very repository.
    if (name === own && upstream !== "" && remote !== "" && remote !== ".") upstreamRemote = remote;
    const folder = /^refs\/remotes\/(.+)\/HEAD$/.exec(name)?.[1];
    const prefix = `refs/remotes/${folder}/`;
    if (folder !== undefined && symref.startsWith(prefix)) {
      remoteDefaults.set(folder, symref.slice(prefix.length));
    }
  }
  return { branch, upstreamRemote, remoteDefaults };
}
