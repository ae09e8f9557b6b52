// Where verified work is pushed, and how: to the upstream of the branch that holds it. Stint's own branch is
// pushed as a new one where the work stays on it.
import type { PushedBranch, StopWanted, WorkPush } from "../base/ports.ts";
import { chooseDelivery, type PushPolicy } from "../../core/written/delivery-choice.ts";
import { checkedOutUpstream, targetFacts, type Upstream, upstreamOf } from "../../git/upstream.ts";
import type { Delivery } from "../../core/schema/project.ts";
import type { RunId } from "../../core/ids.ts";
import {
  followPushed,
  mayFollow,
  notPushed,
  type PushTarget,
  pushTarget,
  pushVerified,
} from "../../git/push.ts";
import { gitLines } from "../../git/run-git.ts";
import { RUN_ID_VARIABLE } from "../base/work-tree-variable.ts";
import { whileWanted } from "../base/while-wanted.ts";
import { commitOf } from "./branch-difference.ts";

export interface PushOptions {
  readonly root: string;
  readonly policy: PushPolicy;
  readonly runId: RunId;
  readonly stopWanted: () => StopWanted | null;
}

export const NO_PUSH: WorkPush = {
  announce: async () => null,
  upTo: async () => null,
  push: async () => ({ kind: "not-needed" }),
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

export function workPush({ root, policy, runId, stopWanted }: PushOptions): WorkPush {
  const known = new Map<string | null, PushTarget | null>();
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
  return {
    async announce(branch) {
      if ((await remotes(root)).length === 0) return null;
      if (policy === "never") return "nothing is pushed: push: never is set";
      const to = await target(branch);
      if (to === null) return `nothing is pushed: ${branch.name ?? "the branch"} has no upstream`;
      const isNewAsked = policy === "default" && to.newFor !== undefined;
      const isAsked = policy === "ask" || to.doubt !== undefined || isNewAsked;
      const how = isAsked ? "you are asked, at the end, before" : "when it is verified,";
      const as = to.newFor === undefined ? "" : ", as a new branch";
      return `${how} work is pushed to ${to.remote}/${to.branch} (${to.url})${as}`;
    },
    async upTo(branch, verified) {
      const to = await target(branch);
      return to === null ? null : await youngestOf(root, branch.name, to, verified);
    },
    async push({ branch, commit, known: knownCommits }, isAllowed) {
      const to = await target(branch);
      if (to === null) return { kind: "not-needed" };
      const env = { [RUN_ID_VARIABLE]: runId };
      return await whileWanted(stopWanted, "the push", async (signal) =>
        pushVerified(root, { policy, target: to, commit, knownCommits, isAllowed, env, signal }),
      );
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
