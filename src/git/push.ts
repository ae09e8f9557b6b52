// Pushes verified commits to the upstream that the branch already has; never by force, never
// anywhere else. Whatever is not plainly Stint's own to push is asked first.
import { StintError } from "../core/stint-error.ts";
import type { Upstream } from "./describe-work-tree.ts";
import { findGitFolder } from "./git-folder.ts";
import { explainPushFailure, type PushFailure } from "./push-failure.ts";
import { type GitOutput, gitLines, runGit } from "./run-git.ts";

export interface PushOptions {
  readonly policy: "auto" | "ask" | "never";
  readonly upstream: Upstream | null;
  /** The last verified commit; younger commits stay here. */
  readonly commit: string;
  /** How many commits the branch was ahead when the project's run began. */
  readonly startedAhead: number;
  /** Every commit that Stint or one of its sessions made. */
  readonly knownCommits: readonly string[];
  /** A person answered the question. */
  readonly approved?: boolean;
  /** As for a commit: the push and its hook are found, and ended, by these. */
  readonly env?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export type PushResult =
  | { readonly kind: "pushed"; readonly commits: readonly string[] }
  | { readonly kind: "not-needed" }
  | { readonly kind: "ask"; readonly why: string; readonly commits: readonly string[] }
  | { readonly kind: "refused"; readonly why: string }
  | ({ readonly kind: "failed"; readonly stderr: string } & PushFailure);

const PUSH_TIMEOUT_MS = 10 * 60_000;

export async function pushVerified(root: string, options: PushOptions): Promise<PushResult> {
  const { upstream, commit } = options;
  if (upstream === null || findGitFolder(root) === null) return { kind: "not-needed" };
  // The commit may begin with a dash only if it is no commit at all.
  if (!/^[0-9a-f]{40,64}$/.test(commit)) {
    return { kind: "refused", why: `${commit} is not the full id of a commit` };
  }
  const commits = await gitLines(root, ["rev-list", "--reverse", commit, "--not", upstream.ref]);
  if (commits.length === 0) return { kind: "not-needed" };
  if (options.policy === "never") return { kind: "refused", why: "push: never is set" };
  const why = options.approved === true ? null : reasonToAsk(options, commits);
  if (why !== null) return { kind: "ask", why, commits };
  return await push(root, upstream, options, commits);
}

function reasonToAsk(options: PushOptions, commits: readonly string[]): string | null {
  const { policy, startedAhead, knownCommits, upstream } = options;
  const target = `${upstream?.remote}/${upstream?.branch}`;
  if (policy === "ask") return `push: ask is set; ${count(commits.length)} for ${target}`;
  if (startedAhead > 0) {
    return `the branch was ${count(startedAhead)} ahead of ${target} before Stint began`;
  }
  const known = new Set(knownCommits);
  const foreign = commits.filter((commit) => !known.has(commit));
  if (foreign.length === 0) return null;
  const names = foreign.slice(0, 3).map((commit) => commit.slice(0, 10));
  return `the branch holds ${count(foreign.length)} that neither Stint nor its sessions made: ${names.join(", ")}`;
}

async function push(
  root: string,
  { remote, branch }: Upstream,
  { commit, env = {}, signal }: PushOptions,
  commits: readonly string[],
): Promise<PushResult> {
  const flags = ["--porcelain", "--no-follow-tags", "--recurse-submodules=no"];
  let output: GitOutput;
  try {
    output = await runGit(
      root,
      ["push", ...flags, "--", remote, `${commit}:refs/heads/${branch}`],
      { accept: "any", timeoutMs: PUSH_TIMEOUT_MS, env, signal },
    );
  } catch (error) {
    if (!(error instanceof StintError)) throw error;
    return { kind: "failed", stderr: error.message, why: "network", hint: error.hint };
  }
  const { code, stdout, stderr } = output;
  if (code === 0) return { kind: "pushed", commits };
  const failure = explainPushFailure(stdout, stderr, `${remote}/${branch}`);
  return { kind: "failed", stderr: stderr.trim(), ...failure };
}

function count(commits: number): string {
  return commits === 1 ? "1 commit" : `${commits} commits`;
}
