// `abandon`: nothing more is done for this project, ever. What was done stays.
import type { AnswerView } from "../../core/schema/views.ts";
import { giveAnswer } from "./give-answer.ts";
import { givenReason } from "./given-reason.ts";
import type { System } from "../system.ts";

export interface AbandonInput {
  readonly reason?: string | undefined;
  readonly project?: string | undefined;
}

export async function abandon(system: System, input: AbandonInput): Promise<AnswerView> {
  const reason = givenReason("abandon", [input.project], input.reason);
  return await giveAnswer(system, {
    project: input.project,
    answer: () => ({ verb: "abandon", reason }),
  });
}
