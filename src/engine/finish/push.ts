// Verified work is pushed to the upstream of the branch that holds it; Stint's own branch as a new one, where
// the work stays on it. What is not plainly Stint's own to push is asked about once, when nothing else is
// left to do, and pushed exactly as it was shown.
import type { EventOf, ProjectEvent } from "../../core/events.ts";
import type { RunId } from "../../core/ids.ts";
import type { Delivery, ProjectState } from "../../core/schema/project.ts";
import { counted } from "../../core/words/amounts.ts";
import { shownAddress } from "../../core/written/address.ts";
import { chooseDelivery, type PushPolicy } from "../../core/written/delivery-choice.ts";
import {
  followPushed,
  mayFollow,
  notPushed,
  type PushFailure,
  type PushOptions as GitPush,
  type PushResult,
  type PushTarget,
  pushTarget,
  pushVerified,
} from "../../git/push.ts";
import { notesHere, pushNotes } from "../../git/push-notes.ts";
import { NOTES_REF } from "../../git/read-notes.ts";
import { checkedOutUpstream, targetFacts, type Upstream, upstreamOf } from "../../git/refs.ts";
import { gitLines } from "../../git/run-git.ts";
import { announce, answerTo, askOnce, fact, openApproval, withdrawAsked } from "../base/fact.ts";
import { keepKnownCommits, verifiedCommits } from "../base/kept-record.ts";
import type { PushedBranch, RunContext, StopWanted, WorkPush } from "../base/run-context.ts";
import { whileWanted } from "../base/while-wanted.ts";
import { RUN_ID_VARIABLE } from "../space/open-space.ts";
import { commitOf } from "./deliver.ts";

export interface PushOptions {
  readonly root: string;
  readonly policy: PushPolicy;
  readonly runId: RunId;
  readonly stopWanted: () => StopWanted | null;
  /** Runs the person's pre-push hook where sessions run. */
  readonly hook?: GitPush["hook"];
}

export const NO_PUSH: WorkPush = {
  announce: async () => null,
  destination: async () => null,
  upTo: async () => null,
  push: async () => ({ kind: "not-needed" }),
  pushEvidence: async () => null,
  isPushedByAct: async () => false,
};

/** The branch to push; null while the work is on its way to another. */
export function branchToPush(delivery: Delivery, target: string | null): PushedBranch | null {
  switch (delivery.kind) {
    case "in-place":
      return { name: null, isOwn: false, target: null };
    case "delivered":
      return { name: delivery.branch, isOwn: false, target: delivery.branch };
    case "waiting":
      return delivery.held_by === "choice" ? { name: delivery.branch, isOwn: true, target } : null;
    default:
      return delivery satisfies never;
  }
}

export function workPush({ root, policy, runId, stopWanted, hook }: PushOptions): WorkPush {
  const known = new Map<string | null, PushTarget | null>();
  const env = { [RUN_ID_VARIABLE]: runId };
  /** Remotes that take no evidence: they are sent none in this run. */
  const refusing = new Set<string>();
  /** Where evidence was sent last, and which. */
  let sent: { readonly remote: string; readonly notes: string | null } | null = null;
  /** As it is when somebody first asks, which is before the first session; a new branch has none yet. */
  const target = async (branch: PushedBranch): Promise<PushTarget | null> => {
    const found = known.get(branch.name);
    if (found !== undefined && found?.newFor === undefined) return found;
    const now = await targetOf(root, branch);
    // Where the name of the remote led at first is what counts.
    const settled = now === null ? null : { ...now, url: found?.url ?? now.url };
    known.set(branch.name, settled);
    return settled;
  };
  /** Where an earlier run pushed the branch without asking, its evidence follows. */
  const remoteOfPushed = async (branch: PushedBranch | null): Promise<string | null> => {
    if (branch === null || policy === "never" || policy === "ask") return null;
    const to = await target(branch);
    const isPlain = to !== null && to.newFor === undefined && to.doubt === undefined;
    return isPlain && !refusing.has(to.remote) ? to.remote : null;
  };
  return {
    async announce(branch, approved) {
      if ((await remotes(root)).length === 0) return null;
      if (policy === "never") return "nothing is pushed: push: never is set";
      const to = await target(branch);
      if (to === null) return `nothing is pushed: ${branch.name ?? "the branch"} has no upstream`;
      const as = to.newFor === undefined ? "" : ", as a new branch";
      const where = `pushed to ${to.remote}/${to.branch} (${to.url})${as}`;
      if (!isAskedAt(policy, to)) return `when it is verified, work is ${where}`;
      if (approved === null) return `you are asked, at the end, before work is ${where}`;
      return `what was approved (${approved}) is ${where}; you are asked before anything else is`;
    },
    async destination(branch) {
      const to = policy === "never" ? null : await target(branch);
      return to === null ? null : { remote: to.remote, branch: to.branch, url: to.url };
    },
    async upTo(branch, verified) {
      const to = await target(branch);
      return to === null ? null : await youngestOf(root, branch.name, to, verified);
    },
    async push({ branch, commit, known: knownCommits }, isAllowed) {
      const to = await target(branch);
      if (to === null) return { kind: "not-needed" };
      const withNotes = !refusing.has(to.remote);
      const work = {
        policy,
        target: to,
        commit,
        knownCommits,
        isAllowed,
        env,
        withNotes,
        ...(hook && { hook }),
      };
      const result = await whileWanted(stopWanted, "the push", async (signal) =>
        pushVerified(root, { ...work, signal }),
      );
      if (result.kind !== "pushed") return result;
      if (result.unsent !== undefined) refusing.add(to.remote);
      else if (withNotes) sent = { remote: to.remote, notes: await notesHere(root) };
      return result;
    },
    async pushEvidence(branch) {
      const remote = sent?.remote ?? (await remoteOfPushed(branch));
      const notes = remote === null ? null : await notesHere(root);
      if (remote === null || notes === null || notes === sent?.notes) return null;
      if (refusing.has(remote)) return null;
      const unsent = await whileWanted(stopWanted, "the push", async (signal) =>
        pushNotes(root, remote, { env, signal }),
      );
      if (unsent === null) sent = { remote, notes: await notesHere(root) };
      else refusing.add(remote);
      return unsent;
    },
    async isPushedByAct({ branch, known: knownCommits }) {
      const to = await target(branch);
      if (to?.newFor === undefined) return false;
      return await whileWanted(stopWanted, "a look at the remote", async (signal) =>
        followPushed(root, to, knownCommits, signal),
      );
    },
  };
}

/** Whether a person is asked before the first push, whatever commits it takes. */
export async function isPushAsked(
  root: string,
  policy: PushPolicy,
  branch: PushedBranch,
): Promise<boolean> {
  const to = policy === "never" ? null : await targetOf(root, branch);
  return to !== null && isAskedAt(policy, to);
}

function isAskedAt(policy: PushPolicy, { newFor, doubt }: PushTarget): boolean {
  const isNewAsked = policy === "default" && newFor !== undefined;
  return policy === "ask" || doubt !== undefined || isNewAsked;
}

/** Where the person pulled since, the remote takes it only together with what they brought in. */
async function youngestOf(
  root: string,
  name: string | null,
  target: PushTarget,
  verified: ReadonlySet<string>,
): Promise<string | null> {
  const tip = name === null ? "HEAD" : await commitOf(root, name);
  if (tip === null) return null;
  const commits = await notPushed(root, tip, target);
  const youngest = commits.find((commit) => verified.has(commit));
  if (youngest === undefined) return null;
  return (await mayFollow(root, target, youngest)) ? youngest : (commits[0] ?? null);
}

async function targetOf(root: string, branch: PushedBranch): Promise<PushTarget | null> {
  const { name, isOwn } = branch;
  const upstream = name === null ? await checkedOutUpstream(root) : await upstreamOf(root, name);
  if (upstream !== null) {
    const doubt = name === null ? null : await doubtAbout(root, name, upstream);
    return { ...(await pushTarget(root, upstream)), ...(doubt === null ? {} : { doubt }) };
  }
  const remote = isOwn && name !== null ? await remoteFor(root, branch.target) : null;
  if (remote === null || name === null) return null;
  const ref = `refs/remotes/${remote}/${name}`;
  return { ...(await pushTarget(root, { remote, branch: name, ref })), newFor: name };
}

/** Git makes `git switch -c work origin/main` follow main: what is work's own is not for there. */
async function doubtAbout(
  root: string,
  name: string,
  { remote, branch }: Upstream,
): Promise<string | null> {
  if (branch === name) return null;
  const facts = await targetFacts(root, name);
  const choice = chooseDelivery("auto", { ...facts, branch, upstreamRemote: remote });
  return choice.kind === "wait" ? `${name} follows ${remote}/${branch}, and ${choice.why}` : null;
}

/** The remote of the branch that the work belongs to, else origin, else the only one. */
async function remoteFor(root: string, target: string | null): Promise<string | null> {
  const upstream = target === null ? null : await upstreamOf(root, target);
  if (upstream !== null) return upstream.remote;
  const names = await remotes(root);
  if (names.includes("origin")) return "origin";
  return names.length === 1 ? (names[0] ?? null) : null;
}

async function remotes(root: string): Promise<readonly string[]> {
  return await gitLines(root, ["remote"]);
}

/** What a person is to be asked, or what stopped the push; null where there is nothing to say. */
export async function settlePush(context: RunContext): Promise<ProjectEvent | null> {
  const { push, space } = context;
  const { state } = context.holder;
  const known = keepKnownCommits(context, []);
  const branch =
    state.delivery === undefined ? null : branchToPush(state.delivery, space.deliversTo());
  // Where the work is to be comes first.
  if (known.length === 0 || openApproval(state, "deliver") !== undefined) return null;
  const commit = branch === null ? null : await push.upTo(branch, verifiedCommits(state, known));
  if (branch === null || commit === null) {
    tellUnsent(context, await push.pushEvidence(branch));
    return withdrawAsked(context, "push", GONE);
  }
  const work = { branch, commit, known };
  const isAllowed = isPushAllowed(state);
  const first = await push.push(work, isAllowed);
  const outcome =
    first.kind === "ask" && (await push.isPushedByAct(work))
      ? await push.push(work, isAllowed)
      : first;
  switch (outcome.kind) {
    case "ask":
      return askOnce(context, {
        kind: "push",
        subject: outcome.subject,
        reason: `verified work is not pushed yet: ${outcome.why}`,
        on_yes: "exactly this is pushed",
        on_no: "it stays committed here; nothing is pushed",
      });
    case "failed":
      return pushBlocked(context, outcome);
    case "pushed":
      tellPushed(context, commit);
      tellUnsent(context, outcome.unsent ?? null);
      return withdrawAsked(context, "push", "it is pushed");
    case "not-needed":
    case "refused":
      return withdrawAsked(context, "push", GONE);
    default:
      return outcome satisfies never;
  }
}

const GONE = "nothing is to be pushed any longer";

export function isPushAllowed(state: ProjectState): (subject: string) => boolean {
  return (subject) => answerTo(state, "push", subject)?.status === "granted";
}

export function tellPushed(
  context: Pick<RunContext, "holder" | "host" | "tell">,
  commit: string,
): void {
  announce(context, "pushed", `pushed ${commit.slice(0, 10)}`, { commit });
}

/** The work is there, and its evidence is here. */
export function tellUnsent({ tell }: Pick<RunContext, "tell">, why: string | null): void {
  if (why === null) return;
  const by = `To push it: git push <remote> ${NOTES_REF}`;
  tell({ kind: "notice", text: `the evidence could not be pushed: ${why}. ${by}` });
}

const MOST_SAID = 500;
const MOST_COMMITS = 10;

/** The work stays committed; the next run pushes it. */
export function pushBlocked(
  context: RunContext,
  failed: Extract<PushResult, { kind: "failed" }>,
  made?: EventOf<"blocked">["made"],
): ProjectEvent {
  return {
    kind: "blocked",
    ...fact(context),
    blocker: { kind: "push", reason: pushFailedText(failed), unblock: failed.hint },
    ...(made !== undefined && { made }),
  };
}

const REASONS: Readonly<Record<PushFailure["why"], string>> = {
  diverged: "the remote has commits that are not here",
  protected: "the branch is protected there",
  auth: "signing in failed",
  network: "the remote could not be reached",
  hook: "a hook refused it",
  refused: "the remote refused it",
  unknown: "git push failed",
};

/** Why, with the words of the remote, and which commits are here and not there. */
export function pushFailedText({
  why,
  to,
  said,
  commits,
}: Extract<PushResult, { kind: "failed" }>): string {
  const words = said
    .split(/\s+/)
    .map((word) => word.replace(/[a-z][a-z0-9+.-]*:\/\/\S*/i, shownAddress))
    .join(" ")
    .trim();
  const reason = words === "" ? "" : ` (${words.slice(0, MOST_SAID)})`;
  const shown = commits.slice(-MOST_COMMITS);
  const more = commits.length > shown.length ? `; and ${commits.length - shown.length} before` : "";
  const what = counted(commits.length, "commit");
  const here = commits.length === 0 ? "" : `. ${what} not pushed: ${shown.join("; ")}${more}`;
  return `the work is committed but could not be pushed to ${to}: ${REASONS[why]}${reason}${here}`;
}
