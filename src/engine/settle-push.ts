// Verified work that is not plainly Stint's own to push waits for a person's word. It is asked about
// once, when nothing else is left to do, and pushed exactly as it was shown.
import type { ProjectEvent } from "../core/events.ts";
import type { ProjectState } from "../core/schema/project.ts";
import { shownAddress } from "../core/shown-address.ts";
import { sha256Of } from "../store/digest.ts";
import { approvalRequested } from "./approval-request.ts";
import { keepKnownCommits } from "./known-commits.ts";
import { asking, fact, type RunContext } from "./run-context.ts";
import type { PushOutcome } from "./push-work.ts";

/** What a person is to be asked, or what stopped the push; null where there is nothing to say. */
export async function settlePush(context: RunContext): Promise<ProjectEvent | null> {
  const { holder, store, push } = context;
  const known = keepKnownCommits(holder, store, []);
  const commit = known.at(-1);
  if (commit === undefined) return null;
  const outcome = await push.push(commit, known, isPushAllowed(holder.state));
  switch (outcome.kind) {
    case "ask":
      return askedOnce(context, outcome);
    case "failed":
      return pushBlocked(context, outcome);
    case "pushed":
      tellPushed(context, commit);
      return withdrawn(context, "it is pushed");
    case "not-needed":
    case "refused":
      return withdrawn(context, "nothing is to be pushed any longer");
    default:
      return outcome satisfies never;
  }
}

export function isPushAllowed({ approval_items }: ProjectState): (subject: string) => boolean {
  return (subject) => {
    const digest = sha256Of(subject);
    return approval_items.some(
      ({ kind, status, subject_sha256 }) =>
        kind === "push" && status === "granted" && subject_sha256 === digest,
    );
  };
}

export function tellPushed(context: RunContext, commit: string): void {
  const text = `pushed ${commit.slice(0, 10)}`;
  context.holder.note({ ...fact(context), kind: "pushed", summary: text, data: { commit } });
  context.tell({ kind: "notice", text });
}

const MOST_SAID = 500;

/** The work stays committed; the next run pushes it. */
export function pushBlocked(
  context: RunContext,
  { why, stderr, hint }: Extract<PushOutcome, { kind: "failed" }>,
): ProjectEvent {
  const words = stderr
    .split(/\s+/)
    .map((word) => word.replace(/[a-z][a-z0-9+.-]*:\/\/\S*/i, shownAddress))
    .join(" ");
  const said = words === "" ? "" : `: ${words.slice(0, MOST_SAID)}`;
  return {
    kind: "blocked",
    ...fact(context),
    blocker: {
      kind: "push",
      reason: `the work is committed but could not be pushed (${why})${said}`,
      unblock: hint,
    },
  };
}

function askedOnce(
  context: RunContext,
  { why, subject }: Extract<PushOutcome, { kind: "ask" }>,
): ProjectEvent | null {
  const digest = sha256Of(subject);
  const asked = context.holder.state.approval_items.filter(({ kind }) => kind === "push");
  const same = asked.findLast(({ subject_sha256 }) => subject_sha256 === digest);
  if (same?.status === "open" || same?.status === "denied") return null;
  return (
    withdrawn(context, "what would be pushed changed since it was asked") ??
    approvalRequested(asking(context), {
      kind: "push",
      subject,
      reason: `verified work is not pushed yet: ${why}`,
      on_yes: "exactly this is pushed",
      on_no: "it stays committed here; nothing is pushed",
    })
  );
}

function withdrawn(context: RunContext, reason: string): ProjectEvent | null {
  const open = context.holder.state.approval_items.find(
    ({ kind, status }) => kind === "push" && status === "open",
  );
  if (open === undefined) return null;
  return { kind: "approval-outdated", ...fact(context), approval_id: open.id, reason };
}
