// Requests that no longer ask for what is there, or were waited for long enough: they are closed, what
// is there now is looked at, and a person is asked anew under another id.
import type { ProjectEvent } from "../../core/events.ts";
import { msOf } from "../../core/instant.ts";
import { isStale } from "./carry-out-answer.ts";
import { fact } from "../base/fact.ts";
import type { RunContext } from "../base/run-context.ts";

export function voidApproval(context: RunContext): ProjectEvent | null {
  if (context.holder.state.current_task_id !== null) return null;
  return expiredApproval(context) ?? outdatedApproval(context);
}

function expiredApproval(context: RunContext): ProjectEvent | null {
  const { state } = context.holder;
  const { at, by } = fact(context);
  const item = state.approval_items.find(
    ({ status, expires_at }) =>
      status === "open" && expires_at !== undefined && msOf(expires_at) <= msOf(at),
  );
  if (item === undefined) return null;
  return { kind: "approval-expired", at, by, approval_id: item.id };
}

/** What a person is asked about must be what is there: otherwise it is checked and asked anew. */
function outdatedApproval(context: RunContext): ProjectEvent | null {
  const { state } = context.holder;
  const item = state.approval_items.find(
    (each) => each.status === "open" && isStale({ ...context, state }, each),
  );
  if (item === undefined) return null;
  const reason = "what it was about changed since it was asked";
  return { kind: "approval-outdated", ...fact(context), approval_id: item.id, reason };
}
