// The two checks that somebody else answers: a person, and a second agent. Neither is asked before a
// session, when there is nothing to look at yet.
import type { Check } from "../core/schema/task.ts";
import type { CheckContext, Finding } from "./check-run.ts";

/** A person's yes to exactly this output. */
export interface PersonsYes {
  readonly by: string;
  readonly at: string;
  readonly approval_id: string;
}

export type AgentAnswer =
  | {
      readonly kind: "answered";
      readonly verdict: "pass" | "fail";
      readonly reasons: readonly string[];
    }
  /** It ended without an answer that counts. */
  | { readonly kind: "no-answer"; readonly why: string; readonly said: string }
  | { readonly kind: "unavailable"; readonly why: string; readonly hint: string }
  | { readonly kind: "not-asked" };

export type AgentReview = Extract<Check, { kind: "agent-review" }>;

export function runReviewCheck({ approved }: CheckContext): Finding {
  if (approved === undefined) {
    return { result: "pending", summary: "a person has yet to approve it", output: "" };
  }
  const summary = `${approved.by} approved it at ${approved.at} (${approved.approval_id})`;
  return { result: "passed", summary, output: summary };
}

export async function runAgentReview(
  check: AgentReview,
  tree: string,
  { askAgent }: CheckContext,
): Promise<Finding> {
  const { agent } = check;
  const answer = await (askAgent?.(check, tree) ?? ({ kind: "not-asked" } as const));
  switch (answer.kind) {
    case "not-asked":
      return { result: "pending", summary: `${agent} has yet to review it`, output: "" };
    case "unavailable":
      return {
        result: "unavailable",
        summary: `${agent} cannot review it: ${answer.why}`,
        output: "",
        hint: answer.hint,
      };
    case "no-answer": {
      const summary = `${agent} gave no answer that counts: ${answer.why}`;
      return { result: "failed", summary, output: answer.said };
    }
    case "answered": {
      const reasons = answer.reasons.map((reason) => `- ${reason}`).join("\n");
      return {
        result: answer.verdict === "pass" ? "passed" : "failed",
        summary: `${agent} answers ${answer.verdict}: ${answer.reasons[0]}`,
        output: `${check.question}\n\n${answer.verdict}\n${reasons}`,
      };
    }
    default:
      return answer satisfies never;
  }
}
