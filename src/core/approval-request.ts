// Asking a person: the answer will be bound to the digest of exactly what is shown.
import type { ApprovalRequest, EventOf } from "./events.ts";
import { type Instant, instantFromMs, msOf } from "./instant.ts";

export interface Asking {
  readonly at: Instant;
  readonly by: string;
  /** How long an answer is waited for; absent: for ever. */
  readonly expireMs?: number | undefined;
}

/** What Stint can look at and ask again by itself. The rest is about texts that stay as they are, or was asked by a session that is gone. */
const AGES: Readonly<Record<ApprovalRequest["kind"], boolean>> = {
  plan: false,
  proposal: false,
  settings: false,
  destructive: false,
  "task-before": true,
  "task-after": true,
  limit: true,
  release: true,
  command: true,
  deliver: true,
  push: true,
};

export function approvalRequested(
  { at, by, expireMs }: Asking,
  request: ApprovalRequest,
): EventOf<"approval-requested"> {
  const expiry =
    expireMs === undefined || !AGES[request.kind]
      ? {}
      : { expires_at: instantFromMs(msOf(at) + expireMs) };
  return { kind: "approval-requested", at, by, approval: { ...request, ...expiry } };
}
