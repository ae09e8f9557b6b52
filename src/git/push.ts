// Pushes verified commits to the upstream that the branch has, or Stint's own branch as a new one; never by
// force, never anywhere else. Whatever is not plainly Stint's own to push is asked first, and pushed only as
// it was shown.
import type { PushPolicy } from "../core/written/delivery-choice.ts";
import { shownAddress } from "../core/written/address.ts";
import { StintError } from "../core/stint-error.ts";
import { failure, gitLines, type GitOptions, type GitOutput, runGit } from "./run-git.ts";
import { notesHere, pushNotes } from "./push-notes.ts";
import { NOTES_REF } from "./read-notes.ts";
import type { Upstream } from "./refs.ts";
import { findGitFolder } from "./git-folder.ts";

export interface PushTarget extends Upstream {
  /** Where the remote's name led when the run began, without passwords. */
  readonly url: string;
  /** The branch of ours that has no upstream yet, and gets this one with its first push. */
  readonly newFor?: string;
  /** Why the upstream is not plainly the branch's own: it is asked about then. */
  readonly doubt?: string;
}

export interface PushOptions {
  readonly policy: PushPolicy;
  readonly target: PushTarget | null;
  /** The last verified commit; younger commits stay here. */
  readonly commit: string;
  /** Every commit that Stint or one of its sessions made. */
  readonly knownCommits: readonly string[];
  /** Whether a person said yes to exactly this. */
  readonly isAllowed?: (subject: string) => boolean;
  /** As for a commit: the push and its hook are found, and ended, by these. */
  readonly env?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** False where the remote is known to refuse evidence. */
  readonly withNotes?: boolean;
  /** In place of the pre-push hook, which git does not run. */
  readonly hook?: (push: HookedPush) => Promise<HookAnswer>;
}

export interface HookedPush {
  readonly remote: string;
  /** Without passwords. */
  readonly url: string;
  readonly commit: string;
  readonly ref: string;
  /** What the branch is there, as far as is known here; null where it is new. */
  readonly there: string | null;
}

export type HookAnswer =
  | { readonly kind: "passed"; readonly sendsLargeFiles: boolean }
  | { readonly kind: "refused"; readonly said: string };

export type PushResult =
  /** `unsent`: why the evidence did not come along. */
  | { readonly kind: "pushed"; readonly commits: readonly string[]; readonly unsent?: string }
  | { readonly kind: "not-needed" }
  /** `subject` is what a person is shown: the exact act, where it leads, what it takes there. */
  | { readonly kind: "ask"; readonly why: string; readonly subject: string }
  | { readonly kind: "refused"; readonly why: string }
  /** `commits` are here and not there, the oldest first, as a person knows them. */
  | ({ readonly kind: "failed"; readonly commits: readonly string[] } & PushFailure);

const PUSH_TIMEOUT_MS = 10 * 60_000;
const LOOK_TIMEOUT_MS = 60_000;
/** Commits that a question names one by one. */
const MOST_SHOWN = 50;

export async function pushTarget(root: string, upstream: Upstream): Promise<PushTarget> {
  return { ...upstream, url: await pushUrl(root, upstream.remote) };
}

async function pushUrl(root: string, remote: string): Promise<string> {
  const args = ["remote", "get-url", "--push", "--all", "--", remote];
  const { code, stdout } = await runGit(root, args, { accept: "any" });
  if (code !== 0) return "nowhere";
  return stdout.trim().split("\n").map(shownAddress).join(" and ");
}

export async function pushVerified(root: string, options: PushOptions): Promise<PushResult> {
  const { target, commit } = options;
  if (target === null || findGitFolder(root) === null) return { kind: "not-needed" };
  // The commit may begin with a dash only if it is no commit at all.
  if (!/^[0-9a-f]{40,64}$/.test(commit)) {
    return { kind: "refused", why: `${commit} is not the full id of a commit` };
  }
  const commits = await gitLines(root, ["rev-list", "--reverse", commit, ...notThere(target)]);
  if (commits.length === 0) {
    await assertNone(root, commit, target);
    return { kind: "not-needed" };
  }
  if (options.policy === "never") return { kind: "refused", why: "push: never is set" };
  const url = await pushUrl(root, target.remote);
  const why = reasonToAsk(options, target, url, commits);
  if (why === null) return await push(root, target, options, commits);
  const subject = await describePush(root, target, url, { commit, total: commits.length });
  return options.isAllowed?.(subject) === true
    ? await push(root, target, options, commits)
    : { kind: "ask", why, subject };
}

/** Git named no commit that the remote lacks: it is asked in a way that has an answer. */
async function assertNone(root: string, commit: string, target: PushTarget): Promise<void> {
  const args = ["rev-list", "--count", commit, ...notThere(target)];
  const { stdout, stderr } = await runGit(root, args);
  if (stdout.trim() !== "0") throw failure(root, args, "it named none of the commits", stderr);
}

/** The commits of a branch that the remote does not have, the youngest first. */
export async function notPushed(
  root: string,
  branch: string,
  target: PushTarget,
): Promise<readonly string[]> {
  return await gitLines(root, ["rev-list", "--topo-order", branch, ...notThere(target)]);
}

/** Whether the remote can go forward to it, as far as is known here. */
export async function mayFollow(
  root: string,
  { ref, newFor }: PushTarget,
  commit: string,
): Promise<boolean> {
  if (newFor !== undefined) return true;
  const args = ["merge-base", "--is-ancestor", ref, commit];
  return (await runGit(root, args, { accept: [0, 1] })).code === 0;
}

/** What the remote has of it, as far as is known here. */
function notThere({ remote, ref, newFor }: PushTarget): string[] {
  return ["--not", newFor === undefined ? ref : `--remotes=${remote}`];
}

function reasonToAsk(
  { policy, knownCommits }: PushOptions,
  { remote, branch, url: before, newFor, doubt }: PushTarget,
  url: string,
  commits: readonly string[],
): string | null {
  if (url !== before)
    return `${remote} pointed to ${before} when the run began, and points to ${url} now`;
  if (policy === "ask") return `push: ask is set; ${count(commits.length)} for ${remote}/${branch}`;
  if (doubt !== undefined) return doubt;
  if (policy === "default" && newFor !== undefined) {
    return `${branch} would be a new branch on ${remote}; ${count(commits.length)} for it`;
  }
  const known = new Set(knownCommits);
  const foreign = commits.filter((commit) => !known.has(commit));
  if (foreign.length === 0) return null;
  const names = foreign.slice(0, 3).map((commit) => commit.slice(0, 10));
  const more = foreign.length > names.length ? " …" : "";
  return `the branch has ${count(foreign.length)} that neither Stint nor its sessions made: ${names.join(", ")}${more}`;
}

async function describePush(
  root: string,
  target: PushTarget,
  url: string,
  { commit, total }: { readonly commit: string; readonly total: number },
): Promise<string> {
  const { remote, branch, newFor } = target;
  const lines = await subjects(root, target, commit);
  const notes = (await notesHere(root)) === null ? "" : ` ${NOTES_REF}`;
  return [
    `git push ${remote} ${commit}:refs/heads/${branch}${notes}`,
    newFor === undefined ? `to ${url}` : `to ${url}, as a new branch`,
    ...lines,
    ...(total > lines.length ? [`and ${count(total - lines.length)} before them`] : []),
  ].join("\n");
}

/** The commits that are not there, the youngest first, each with its first line. */
async function subjects(root: string, target: PushTarget, commit: string): Promise<string[]> {
  const how = ["--no-show-signature", `--max-count=${MOST_SHOWN}`, "--format=%H %s"];
  const lines = await gitLines(root, ["log", ...how, commit, ...notThere(target)]);
  return lines.map((line) => line.replace(/^(.{10})\S*/, "$1"));
}

async function push(
  root: string,
  target: PushTarget,
  { commit, env = {}, signal, withNotes = true, hook }: PushOptions,
  commits: readonly string[],
): Promise<PushResult> {
  const { remote, branch } = target;
  const to = `${remote}/${branch}`;
  const ref = `refs/heads/${branch}`;
  const failed = async (reason: PushFailure): Promise<PushResult> => ({
    kind: "failed",
    ...reason,
    commits: (await subjects(root, target, commit)).toReversed(),
  });
  const flags = ["--porcelain", "--no-verify", "--no-follow-tags", "--recurse-submodules=no"];
  const options = { timeoutMs: PUSH_TIMEOUT_MS, env, signal };
  const send = async (...refs: string[]): Promise<GitOutput> =>
    await runGit(root, ["push", ...flags, "--", remote, ...refs], { accept: "any", ...options });
  const ours = `${commit}:${ref}`;
  const notes = withNotes ? await notesHere(root) : null;
  const there = await commitThere(root, target);
  const pushed = { remote, url: await pushUrl(root, remote), commit, ref, there };
  const answer = await hook?.(pushed);
  if (answer?.kind === "refused") return await failed({ ...HOOK_REFUSED, to, said: answer.said });
  let output: GitOutput;
  try {
    if (answer?.sendsLargeFiles === true) await sendLargeFiles(root, pushed, options);
    output = await send(ours, ...(notes === null ? [] : [`${notes}:${NOTES_REF}`]));
    // What the evidence may have brought about is tried without it.
    if (notes !== null && isRefused(output, ref)) output = await send(ours);
  } catch (error) {
    if (!(error instanceof StintError)) throw error;
    const hint = error.hint ?? "Try it yourself: git push";
    return await failed({ why: "network", to, said: error.message, hint });
  }
  const { stdout, stderr } = output;
  if (!isTaken(output, ref)) return await failed(explainPushFailure(stdout, stderr, to));
  await followNew(root, target);
  const isWhole = notes === null || isTaken(output, NOTES_REF);
  const unsent = isWhole ? null : await pushNotes(root, remote, options);
  return { kind: "pushed", commits, ...(unsent === null ? {} : { unsent }) };
}

async function commitThere(root: string, { ref, newFor }: PushTarget): Promise<string | null> {
  if (newFor !== undefined) return null;
  const words = ["rev-parse", "--verify", "--quiet", `${ref}^{commit}`];
  const { code, stdout } = await runGit(root, words, { accept: "any" });
  return code === 0 ? stdout.trim() : null;
}

/** What the person's pre-push hook would have done by their own program. */
async function sendLargeFiles(
  root: string,
  { remote, url, commit, ref, there }: HookedPush,
  options: Pick<GitOptions, "env" | "signal" | "timeoutMs">,
): Promise<void> {
  const input = `${commit} ${commit} ${ref} ${there ?? "0".repeat(commit.length)}\n`;
  await runGit(root, ["lfs", "pre-push", remote, url], { ...options, input });
}

/** Whether every place that was pushed to has the ref as it was sent, by the porcelain of the push. */
function isTaken({ stdout, stderr }: GitOutput, ref: string): boolean {
  const lines = stdout.split("\n");
  const places = lines.filter((line) => line.startsWith("To ")).length;
  const taken = lines.filter(
    (line) => !line.startsWith("!") && line.split("\t")[1]?.endsWith(`:${ref}`) === true,
  );
  return places > 0 && taken.length === places && !/^fatal: /m.test(stderr);
}

/** Refused for a reason that may have nothing to do with the branch. */
function isRefused(output: GitOutput, ref: string): boolean {
  if (output.code === 0 || isTaken(output, ref)) return false;
  const { why } = explainPushFailure(output.stdout, output.stderr, ref);
  return why === "hook" || why === "protected" || why === "refused" || why === "unknown";
}

/** Our new branch follows what was pushed. Safe to repeat. */
async function followNew(root: string, { remote, branch, newFor }: PushTarget): Promise<void> {
  if (newFor === undefined) return;
  await runGit(root, ["config", `branch.${newFor}.remote`, remote]);
  await runGit(root, ["config", `branch.${newFor}.merge`, `refs/heads/${branch}`]);
}

/**
 * A new branch that somebody else pushed, as an act of the manifest does, and that holds nothing but verified
 * commits there: ours follows it from now on. @returns false where there is none, or no answer
 */
export async function followPushed(
  root: string,
  target: PushTarget,
  knownCommits: readonly string[],
  signal: AbortSignal,
): Promise<boolean> {
  const { remote, branch, ref } = target;
  const options = { accept: "any", timeoutMs: LOOK_TIMEOUT_MS, signal } as const;
  const from = ["--", remote, `refs/heads/${branch}`];
  try {
    const { code, stdout } = await runGit(root, ["ls-remote", "--heads", ...from], options);
    const [there = ""] = stdout.split("\t");
    if (code !== 0 || !knownCommits.includes(there)) return false;
    const quietly = ["--quiet", "--no-tags", "--no-write-fetch-head", "--no-auto-maintenance"];
    const move = `refs/heads/${branch}:${ref}`;
    const got = await runGit(root, ["fetch", ...quietly, "--", remote, move], options);
    if (got.code !== 0) return false;
  } catch (error) {
    if (error instanceof StintError) return false;
    throw error;
  }
  await followNew(root, target);
  return true;
}

function count(commits: number): string {
  return commits === 1 ? "1 commit" : `${commits} commits`;
}

/** What a failed push means and what a person does about it. The work stays committed in any case. */
export interface PushFailure {
  readonly why: "diverged" | "protected" | "auth" | "network" | "hook" | "refused" | "unknown";
  /** Where it was to go: `origin/main`. */
  readonly to: string;
  /** The reason in the words of the remote, or of git where that said nothing; one line. */
  readonly said: string;
  readonly hint: string;
}

const AUTH =
  /Authentication failed|Permission (?:to \S+ )?denied|could not read (?:Username|Password)|terminal prompts disabled|Host key verification failed|HTTP (?:401|403)|returned error: 40[13]|access denied/i;
const NETWORK =
  /Could not resolve host|Connection (?:timed out|refused|reset)|Network is unreachable|unable to access|Operation timed out|does not appear to be a git repository|repository .* not found|Could not read from remote repository|early EOF|returned error: 5\d\d/i;

/** `stdout` is the porcelain of `git push`: one line per ref, beginning with ! where it was refused. */
export function explainPushFailure(stdout: string, stderr: string, target: string): PushFailure {
  const refused = stdout.split("\n").find((line) => line.startsWith("!")) ?? "";
  const reason = /\[(?:remote )?rejected\] \((.+)\)/.exec(refused)?.[1];
  const said = [...new Set([...(reason === undefined ? [] : [reason]), ...wordsIn(stderr)])];
  return { to: target, said: said.join("; "), ...whyAndHint(refused, stderr, target) };
}

/** What git says around every push that fails, beside the reason. */
const AROUND =
  /^(?:To |hint: |failed to push some refs|Everything up-to-date|Please make sure you have the correct access rights|and the repository exists)/;
/** Progress of what was sent, which is no reason. */
const PROGRESS = /^(?:Enumerating|Counting|Compressing|Writing|Resolving|Processing|Total|Delta)\b/;

/** The lines that say why, without the marks of who says them. */
function wordsIn(stderr: string): string[] {
  return stderr
    .split(/[\r\n]+/)
    .map((line) => line.replace(/^(?:remote:\s*)?(?:(?:fatal|error): )?/, "").trim())
    .filter((line, index, lines) => line !== "" && lines.indexOf(line) === index)
    .filter((line) => !AROUND.test(line) && !PROGRESS.test(line));
}

const HOOK_REFUSED = {
  why: "hook",
  hint: "Your pre-push hook refused. See what it wants: git push",
} as const;

type WhyAndHint = Pick<PushFailure, "why" | "hint">;

function whyAndHint(refused: string, stderr: string, target: string): WhyAndHint {
  if (/\[remote rejected\]/.test(refused)) {
    if (/protected branch/i.test(`${refused}\n${stderr}`)) {
      return {
        why: "protected",
        hint: `${target} accepts no direct push. Allow the push there, then: stint resume; or leave pushing to a pull request of yours: stint resume --retry --no-push`,
      };
    }
    const isHook = /hook declined/.test(refused);
    const fix = isHook ? "Do what the remote's hook asks for" : "Fix that at the remote";
    return { why: isHook ? "hook" : "refused", hint: `${fix}, then: stint resume` };
  }
  if (/\[rejected\]/.test(refused)) {
    return {
      why: "diverged",
      hint: `${target} has commits that are not here. Bring them in, then push: git pull --rebase && git push`,
    };
  }
  if (AUTH.test(stderr)) {
    return {
      why: "auth",
      hint: "Sign in so that this works without a prompt: git push; then: stint resume",
    };
  }
  if (NETWORK.test(stderr)) {
    return { why: "network", hint: "When the remote can be reached again: stint resume" };
  }
  return { why: "unknown", hint: "See it for yourself: git push" };
}
