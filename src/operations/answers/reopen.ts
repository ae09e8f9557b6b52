// `reopen`: a task of a project that is Done is to be done again.
import type { AnswerView } from "../../core/schema/views.ts";
import { giveAnswer } from "./give-answer.ts";
import { givenReason } from "./given-reason.ts";
import { namedTask } from "./named-item.ts";
import type { System } from "../system.ts";

export interface ReopenInput {
  readonly task: string;
  readonly reason?: string | undefined;
  readonly project?: string | undefined;
}

export async function reopen(system: System, input: ReopenInput): Promise<AnswerView> {
  const reason = givenReason("reopen", [input.task, input.project], input.reason);
  return await giveAnswer(system, {
    project: input.project,
    answer: (state) => ({ verb: "reopen", task: namedTask(state, input.task).id, reason }),
  });
}
