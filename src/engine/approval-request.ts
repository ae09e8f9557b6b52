// Asking a person: the answer will be bound to the digest of exactly what is shown.
import type { ApprovalRequest, EventOf } from "../core/events.ts";
import type { Instant } from "../core/instant.ts";
import { sha256Of } from "../store/digest.ts";

export function approvalRequested(
  when: { readonly at: Instant; readonly by: string },
  request: Omit<ApprovalRequest, "subject_sha256">,
): EventOf<"approval-requested"> {
  const { at, by } = when;
  const subject_sha256 = sha256Of(request.subject);
  return { kind: "approval-requested", at, by, approval: { ...request, subject_sha256 } };
}
