// Asking a person: what is asked, and the exact commands by which it is looked at and answered. The answer will
// be bound to the digest of exactly what is shown.
import type { ApprovalRequest, EventOf } from "./events.ts";
import { type Instant, instantFromMs, msOf } from "./instant.ts";
import type { Approval, Question } from "./schema/items.ts";

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

export interface AnswerCommands {
  /** Shows what exactly is asked; null where the question says it all. */
  readonly look: string | null;
  readonly yes: string;
  readonly no: string | null;
}

export function approvalCommands(
  item: Pick<Approval, "id" | "kind">,
  project: string,
): AnswerCommands {
  const no = `stint deny ${item.id} ${project} --reason "why not"`;
  if (item.kind === "plan") {
    return { look: `stint plan ${project}`, yes: `stint approve plan ${project}`, no };
  }
  const yes = item.kind === "proposal" ? "accept" : "approve";
  const look = `stint diff ${item.id} ${project}`;
  return { look, yes: `stint ${yes} ${item.id} ${project}`, no };
}

export function questionCommands(
  { id, choices }: Pick<Question, "id" | "choices">,
  project: string,
): AnswerCommands {
  const words = choices?.[0] ?? '"your answer"';
  return { look: null, yes: `stint answer ${id} ${words} ${project}`, no: null };
}
