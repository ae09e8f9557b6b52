// What a person is asked once, when nothing else is left to do: about exactly what is there then. Something
// else there withdraws the question and asks anew; what was answered is not asked again.
import type { ApprovalRequest, ProjectEvent } from "../../core/events.ts";
import type { Approval } from "../../core/schema/items.ts";
import type { ProjectState } from "../../core/schema/project.ts";
import { sha256Of } from "../../store/digest.ts";
import { approvalRequested } from "../base/approval-request.ts";
import { asking, fact } from "../base/fact.ts";
import type { RunContext } from "../base/run-context.ts";

type Asker = Pick<RunContext, "holder" | "host" | "settings">;

/** Null where exactly this is asked already, or was denied. */
export function askOnce(
  context: Asker,
  request: Omit<ApprovalRequest, "subject_sha256">,
): ProjectEvent | null {
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

export function isAsked({ approval_items }: ProjectState, kind: Approval["kind"]): boolean {
  return approval_items.some((item) => item.kind === kind && item.status === "open");
}

/** Null where nothing of the kind is open. */
export function withdrawAsked(
  context: Pick<Asker, "holder" | "host">,
  kind: Approval["kind"],
  reason: string,
): ProjectEvent | null {
  const open = context.holder.state.approval_items.find(
    (item) => item.kind === kind && item.status === "open",
  );
  if (open === undefined) return null;
  return { kind: "approval-outdated", ...fact(context), approval_id: open.id, reason };
}
