// `stop`: the run ends, after the session in hand, or at once.
import type { AnswerView } from "../../core/schema/views.ts";
import { giveAnswer } from "../answers/give-answer.ts";
import type { System } from "../system.ts";

export interface StopInput {
  /** Ends the session in hand; its attempt does not count against the task. */
  readonly now?: boolean;
  readonly project?: string | undefined;
}

export async function stop(system: System, input: StopInput): Promise<AnswerView> {
  const now = input.now === true;
  return await giveAnswer(system, {
    project: input.project,
    answer: () => ({ verb: "pause", now, reason: `${system.user} stopped it` }),
  });
}
