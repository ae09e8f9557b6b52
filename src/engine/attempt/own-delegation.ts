// A session may give its own task to somebody outside, by its marker: `delegate:`, `returns:`, and `look:` and
// `deadline:` where it likes, or by `stint dispatch` in its shell. Its attempt goes on as a dispatch, with the work that it left. Its terms are held to
// what a person's are, and a command that nobody allowed is asked about first.
import { isJudged, timesFrom } from "../../core/delegation.ts";
import type { EventOf, ProjectEvent } from "../../core/events.ts";
import type { Marker } from "../../core/marker.ts";
import type { ReturnCondition } from "../../core/schema/items.ts";
import type { Task } from "../../core/schema/task.ts";
import { hasGrant } from "../../core/step/task-moves.ts";
import { parseDuration } from "../../core/written/times.ts";
import { parseReturn } from "../../manifest/parse-check.ts";
import { sha256Of } from "../../store/digest.ts";
import { approvalRequested, asking, fact } from "../base/fact.ts";
import type { RunContext } from "../base/run-context.ts";
import { consentOf } from "../people/consent.ts";
import { heard } from "../base/session-words.ts";
import type { AtEnd, InProgress, SpecialEnd } from "./special-end.ts";

export type OwnDelegation =
  | { readonly kind: "sent"; readonly event: EventOf<"dispatch-sent"> }
  | ({ readonly kind: "asked" } & SpecialEnd)
  | { readonly kind: "refused"; readonly why: string };

/** Null where the session wanted none. */
export function ownDelegation(
  context: RunContext,
  task: InProgress,
  atEnd: AtEnd,
): OwnDelegation | null {
  const { session, number: attempt } = task.attempt;
  const { runId: run_id } = context;
  const said = heard(context, session);
  const owner = said?.others["delegate"];
  if (said === null || owner === undefined) return null;
  const terms = termsIn(said, task);
  if (typeof terms === "string") return { kind: "refused", why: terms };
  const { returns, look_ms, deadline_ms } = terms;
  const { at, by } = fact(context);
  const unknown = unknownCommand(context, task, owner, returns);
  if (unknown !== null) {
    const wanted = approvalRequested(asking(context), {
      kind: "destructive",
      task_id: task.id,
      subject: unknown,
      reason: `a session wants to give ${task.id} to ${owner}, and wants Stint to run this to see whether it is back: ${unknown}`,
      on_yes: "the task continues in a new session that is told so",
      on_no: "the task is blocked",
    });
    const reason = `it needs an approval: ${unknown}`;
    const cut = { task_id: task.id, attempt, reason, excuse: "approval", ...atEnd } as const;
    const interrupted: ProjectEvent = { kind: "attempt-interrupted", at, by, ...cut };
    return { kind: "asked", requests: [wanted], cut: interrupted };
  }
  const dispatch = {
    task_id: task.id,
    owner,
    objective: task.title,
    worker: { kind: "outside" as const },
    returns,
    ...timesFrom(at, { look_ms, deadline_ms }),
  };
  return { kind: "sent", event: { kind: "dispatch-sent", at, by, run_id, dispatch, ...atEnd } };
}

/** No name of anybody is longer. */
const LONGEST_OWNER = 200;

interface Terms {
  readonly returns: ReturnCondition;
  readonly look_ms: number | undefined;
  readonly deadline_ms: number | undefined;
}

/** @returns the terms, or why they are none */
function termsIn({ others }: Marker, task: Task): Terms | string {
  const { delegate: owner = "", returns = "", look, deadline } = others;
  if (owner.trim() === "" || owner.length > LONGEST_OWNER) return "it does not say who";
  if (!isJudged(task)) return "the task has no check that could judge what comes back";
  const read = parseReturn(returns);
  if (!read.ok) return read.reason;
  if (read.returns.kind === "exit") return "exit is only for work that Stint starts itself";
  const [look_ms, deadline_ms] = [look, deadline].map((text) =>
    text === undefined ? undefined : (parseDuration(text) ?? Number.NaN),
  );
  if (Number.isNaN(look_ms) || Number.isNaN(deadline_ms))
    return "look or deadline is not a duration";
  if ((deadline_ms ?? Infinity) < (look_ms ?? 0))
    return "the deadline is earlier than the first look";
  return { returns: read.returns, look_ms, deadline_ms };
}

/** Allowed by the plan, or by a yes to exactly this. */
function unknownCommand(
  { store, holder }: RunContext,
  task: Task,
  delegate: string,
  returns: ReturnCondition,
): string | null {
  if (returns.kind !== "command") return null;
  const { command } = returns;
  const asked = { ...task, delegate, returns };
  const isMissing = consentOf(store, holder.state).missing(asked).includes(command);
  return isMissing && !hasGrant(task, "destructive", sha256Of(command)) ? command : null;
}
