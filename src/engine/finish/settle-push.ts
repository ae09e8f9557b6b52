// Verified work that is not plainly Stint's own to push waits for a person's word. It is asked about
// once, when nothing else is left to do, and pushed exactly as it was shown.
import type { PushOutcome } from "../base/ports.ts";
import type { ProjectEvent } from "../../core/events.ts";
import type { ProjectState } from "../../core/schema/project.ts";
import { shownAddress } from "../../core/written/address.ts";
import { answerTo, askOnce, isAsked, withdrawAsked } from "../people/ask-once.ts";
import { keepKnownCommits, verifiedCommits } from "../base/known-commits.ts";
import { fact } from "../base/fact.ts";
import type { RunContext } from "../base/run-context.ts";
import { branchToPush } from "./push-work.ts";

/** What a person is to be asked, or what stopped the push; null where there is nothing to say. */
export async function settlePush(context: RunContext): Promise<ProjectEvent | null> {
  const { holder, store, push, space } = context;
  const { state } = holder;
  const known = keepKnownCommits(holder, store, []);
  const branch =
    state.delivery === undefined ? null : branchToPush(state.delivery, space.deliversTo());
  // Where the work is to be comes first.
  if (known.length === 0 || isAsked(state, "deliver")) return null;
  const commit = branch === null ? null : await push.upTo(branch, verifiedCommits(state, known));
  if (branch === null || commit === null) return withdrawAsked(context, "push", GONE);
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
  const text = `pushed ${commit.slice(0, 10)}`;
  context.holder.note({ ...fact(context), kind: "pushed", summary: text, data: { commit } });
  context.tell({ kind: "notice", text });
}

const MOST_SAID = 500;
const MOST_COMMITS = 10;

/** The work stays committed; the next run pushes it. */
export function pushBlocked(
  context: RunContext,
  failed: Extract<PushOutcome, { kind: "failed" }>,
): ProjectEvent {
  return {
    kind: "blocked",
    ...fact(context),
    blocker: { kind: "push", reason: pushFailedText(failed), unblock: failed.hint },
  };
}

/** Why, in the words of the remote, and which commits are here and not there. */
export function pushFailedText({
  why,
  said,
  commits,
}: Extract<PushOutcome, { kind: "failed" }>): string {
  const words = said
    .split(/\s+/)
    .map((word) => word.replace(/[a-z][a-z0-9+.-]*:\/\/\S*/i, shownAddress))
    .join(" ")
    .trim();
  const shown = commits.slice(-MOST_COMMITS);
  const more = commits.length > shown.length ? ` and ${commits.length - shown.length} before` : "";
  const here = commits.length === 0 ? "" : `; here, and not there: ${shown.join(", ")}${more}`;
  const reason = words === "" ? "" : `: ${words.slice(0, MOST_SAID)}`;
  return `the work is committed but could not be pushed (${why})${reason}${here}`;
}
