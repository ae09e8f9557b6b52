// `pause`: nothing new begins; the session in hand and its checks are finished first.
import type { AnswerView } from "../../core/schema/views.ts";
import { giveAnswer } from "../answers/give-answer.ts";
import type { System } from "../system.ts";

export interface PauseInput {
  readonly reason?: string | undefined;
  readonly project?: string | undefined;
}

export async function pause(system: System, input: PauseInput): Promise<AnswerView> {
  const reason = input.reason?.trim() ?? "";
  return await giveAnswer(system, {
    project: input.project,
    answer: () => ({
      verb: "pause",
      now: false,
      reason: reason === "" ? `${system.user} paused it` : reason,
    }),
  });
}
