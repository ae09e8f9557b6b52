// Branches as people say them, what they follow, and names below refs/stint/: what Stint keeps from git's
// garbage collection. Nobody pushes those.
import { StintError } from "../core/stint-error.ts";
import type { TargetFacts } from "../core/written/delivery-choice.ts";
import { runGit } from "./run-git.ts";
import { findGitFolder } from "./git-folder.ts";

/** What an attempt left behind when another task began. */
export function parkRef(project: string, task: string, attempt: number): string {
  return checked(`refs/stint/${project}/${task}/${attempt}`);
}

export function checked(ref: string): string {
  if (/^refs\/stint(?:\/[\w][\w-]*)+$/.test(ref)) return ref;
  throw new StintError(
    "bad-input",
    `${ref} is not a ref that Stint may write`,
    "Refs of Stint look like refs/stint/<project>/<task>/<attempt>.",
  );
}

/** A branch as people say it: `main` for `refs/heads/main`. */
export function branchName(ref: string): string {
  return ref.replace(/^refs\/heads\//, "");
}

export interface Upstream {
  readonly remote: string;
  /** The branch there, without refs/heads/. */
  readonly branch: string;
  /** Our last knowledge of it, as refs/remotes/…. */
  readonly ref: string;
}

/** Of the branch that is checked out; null also where none is, or where there is no repository. */
export async function checkedOutUpstream(root: string): Promise<Upstream | null> {
  if (findGitFolder(root) === null) return null;
  const args = ["symbolic-ref", "--quiet", "HEAD"];
  const { stdout } = await runGit(root, args, { accept: [0, 1] });
  const ref = stdout.trim();
  return ref.startsWith("refs/heads/") ? await upstreamOf(root, branchName(ref)) : null;
}

/** Of any branch, without refs/heads/; null also where the upstream branch is not there. */
export async function upstreamOf(root: string, branch: string): Promise<Upstream | null> {
  const format = "%(upstream)%00%(upstream:remotename)%00%(upstream:remoteref)%00%(upstream:track)";
  const { stdout } = await runGit(root, [
    "for-each-ref",
    `--format=${format}`,
    `refs/heads/${branch}`,
  ]);
  const [ref = "", remote = "", remoteRef = "", track = ""] = stdout.trimEnd().split("\0");
  if (track === "[gone]") return null;
  // The remote "." means a branch of this very repository: nothing to push to.
  if (ref === "" || remote === "" || remote === "." || !remoteRef.startsWith("refs/heads/")) {
    return null;
  }
  return { remote, branch: remoteRef.slice("refs/heads/".length), ref };
}

const FORMAT = "%(refname)%00%(symref)%00%(upstream)%00%(upstream:remotename)";

/** The upstream of a branch, without refs/heads/, and the default branches of the remotes. */
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
