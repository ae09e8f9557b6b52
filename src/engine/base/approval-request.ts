// A request of the run, with the digest of what it shows.
import { approvalRequested as requested, type Asking as AskingOf } from "../../core/asking.ts";
import type { ApprovalRequest, EventOf } from "../../core/events.ts";
import { sha256Of } from "../../store/digest.ts";

export type Asking = AskingOf;

export function approvalRequested(
  asking: Asking,
  request: Omit<ApprovalRequest, "subject_sha256">,
): EventOf<"approval-requested"> {
  return requested(asking, { ...request, subject_sha256: sha256Of(request.subject) });
}
