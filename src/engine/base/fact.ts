// What every event of a run begins with, when and by whom; what is told and noted; and what a person is asked,
// with the digest of what it shows.
import { approvalRequested as requested, type Asking } from "../../core/asking.ts";
import type { ApprovalRequest, EventOf, ProjectEvent } from "../../core/events.ts";
import { type Instant, instantFromMs } from "../../core/instant.ts";
import type { Approval } from "../../core/schema/items.ts";
import type { ProjectState } from "../../core/schema/project.ts";
import { sha256Of } from "../../store/digest.ts";
import type { RunContext } from "./run-context.ts";

type Author = Pick<RunContext, "holder" | "host">;
type Asker = Pick<RunContext, "holder" | "host" | "settings">;
type Request = Omit<ApprovalRequest, "subject_sha256">;

export function nowOf({ host }: Pick<RunContext, "host">): Instant {
  return instantFromMs(host.nowMs());
}

/** When and by whom, for an event of the run itself. */
export function fact(context: Author): { at: Instant; by: string } {
  return { at: nowOf(context), by: context.holder.state.owner_agent };
}

/** Told, and written into the journal. */
export function announce(
  context: Author & Pick<RunContext, "tell">,
  kind: string,
  text: string,
  data?: Record<string, unknown>,
): void {
  const more = data === undefined ? {} : { data };
  context.holder.note({ ...fact(context), kind, summary: text, ...more });
  context.tell({ kind: "notice", text });
}

/** When and by whom a person is asked, and for how long. */
export function asking(context: Asker): Asking {
  return { ...fact(context), expireMs: context.settings.approvalsExpireMs };
}

export function approvalRequested(when: Asking, request: Request): EventOf<"approval-requested"> {
  return requested(when, { ...request, subject_sha256: sha256Of(request.subject) });
}

/**
 * Asked when nothing else is left to do, about exactly what is there then: something else there withdraws the
 * question and asks anew. Null where exactly this is asked already, or was denied.
 */
export function askOnce(context: Asker, request: Request): ProjectEvent | null {
  const same = answerTo(context.holder.state, request.kind, request.subject);
  if (same?.status === "open" || same?.status === "denied") return null;
  return (
    withdrawAsked(context, request.kind, "what it was about changed since it was asked") ??
    approvalRequested(asking(context), request)
  );
}

/** The last question about exactly this. */
export function answerTo(
  { approval_items }: ProjectState,
  kind: Approval["kind"],
  subject: string,
): Approval | undefined {
  const digest = sha256Of(subject);
  return approval_items.findLast(
    (item) => item.kind === kind && item.subject_sha256 === digest && item.status !== "withdrawn",
  );
}

export function openApproval(
  { approval_items }: ProjectState,
  kind: Approval["kind"],
): Approval | undefined {
  return approval_items.find((item) => item.kind === kind && item.status === "open");
}

/** Null where nothing of the kind is open. */
export function withdrawAsked(
  context: Author,
  kind: Approval["kind"],
  reason: string,
): ProjectEvent | null {
  const open = openApproval(context.holder.state, kind);
  if (open === undefined) return null;
  return { kind: "approval-outdated", ...fact(context), approval_id: open.id, reason };
}
