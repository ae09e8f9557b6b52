// `retry`: gives a blocked task another attempt.
import type { AnswerView } from "../../core/schema/views.ts";
import { giveAnswer } from "./give-answer.ts";
import { namedTask } from "./named-item.ts";
import type { System } from "../system.ts";

export interface RetryInput {
  readonly task: string;
  readonly project?: string | undefined;
}

export async function retry(system: System, input: RetryInput): Promise<AnswerView> {
  return await giveAnswer(system, {
    project: input.project,
    answer: (state) => ({ verb: "retry", task: namedTask(state, input.task).id }),
  });
}
