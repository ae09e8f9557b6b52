// `deny`: a person's no to an item, with the reason.
import type { AnswerView } from "../../core/schema/views.ts";
import { giveAnswer } from "./give-answer.ts";
import { givenReason } from "./given-reason.ts";
import { namedApproval } from "./named-item.ts";
import type { System } from "../system.ts";

export interface DenyInput {
  readonly item: string;
  readonly reason?: string | undefined;
  readonly project?: string | undefined;
}

export async function deny(system: System, input: DenyInput): Promise<AnswerView> {
  const reason = givenReason("deny", [input.item, input.project], input.reason);
  return await giveAnswer(system, {
    project: input.project,
    answer(state) {
      const { id, subject_sha256 } = namedApproval(state, input.item);
      return { verb: "deny", item: id, subject_sha256, reason };
    },
  });
}
