// `skip`: leaves a task out, for good unless it is reopened.
import type { AnswerView } from "../../core/schema/views.ts";
import { giveAnswer } from "./give-answer.ts";
import { givenReason } from "./given-reason.ts";
import { namedTask } from "./named-item.ts";
import type { System } from "../system.ts";

export interface SkipInput {
  readonly task: string;
  readonly reason?: string | undefined;
  readonly project?: string | undefined;
}

export async function skip(system: System, input: SkipInput): Promise<AnswerView> {
  const reason = givenReason("skip", [input.task, input.project], input.reason);
  return await giveAnswer(system, {
    project: input.project,
    answer: (state) => ({ verb: "skip", task: namedTask(state, input.task).id, reason }),
  });
}
